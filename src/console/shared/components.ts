import { html, type Html, type HtmlValue } from '../../text/html.js';
import { amount } from '../../text/count-of.js';
import type { Visit } from './console-page.js';
import { TOKEN_FIELD } from './forms.js';
import { areNumbers } from './numbers.js';

/**
 * Makes a form that posts to an action of a page. `action`: its path below CONSOLE_URL. The template literal behind the
 * call is the content of the form.
 * @param encoding of a form with a file
 */
export function form(visit: Visit, action: string, className = 'form', encoding?: 'multipart/form-data'): typeof html {
  const start = html`<form method="post" action="${visit.href(action)}" class="${className}"${attribute('enctype', encoding)}>
<input type="hidden" name="${TOKEN_FIELD}" value="${visit.formToken}">`;
  return (...content) => html`${start}${html(...content)}</form>`;
}

/** A form of one button. `label`: for screen readers, where the text alone is ambiguous. */
export function button(
  visit: Visit,
  action: string,
  text: string,
  options: { fields?: Readonly<Record<string, string>>; className?: string; label?: string; confirm?: string } = {},
): Html {
  const hidden = Object.entries(options.fields ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const { className = 'button', label, confirm } = options;
  const button = html`<button class="${className}"${attribute('aria-label', label)}${attribute('data-confirm', confirm)}>${text}</button>`;
  return form(visit, action, 'inline')`${hidden}${button}`;
}

export interface FieldOptions {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'date' | 'file';
  hint?: string;
  /**
   * The text in the field, unless the form was refused: then it is what the user had filled in. A password is never
   * shown.
   */
  value?: string;
  autocomplete?: string;
  /** Other attributes of the input; an attribute with the value false is left out. */
  attributes?: Readonly<Record<string, string | number | boolean>>;
  /** The name of the form's action, where a page has several forms with such a field. */
  of?: string;
}

/** A labelled input, with the reason why it was refused. */
export function field(visit: Visit, options: FieldOptions): Html {
  const { name, type = 'text', attributes = {} } = options;
  const value = type === 'password' || type === 'file' ? undefined : (filledValue(visit, options) ?? options.value);
  const more = Object.entries(attributes).map(([key, setting]) =>
    setting === true ? html` ${key}` : setting !== false && html` ${key}="${String(setting)}"`,
  );
  const input = (described: Html): Html =>
    html`<input id="${idOf(options)}" name="${name}" type="${type}"${attribute('value', value)}${attribute('autocomplete', options.autocomplete)}${more}${described}>`;
  return around(visit, options, input);
}

/** A labelled list of choices: values with their texts. */
export function select(
  visit: Visit,
  options: Omit<FieldOptions, 'type' | 'autocomplete'> & { choices: Readonly<Record<string, string>> },
): Html {
  const chosen = filledValue(visit, options) ?? options.value;
  const items = Object.entries(options.choices).map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  );
  const list = (described: Html): Html =>
    html`<select id="${idOf(options)}" name="${options.name}"${described}>${items}</select>`;
  return around(visit, options, list);
}

/** A checkbox that checks all others of its form. It is hidden until script shows it, and script does the checking. */
export function selectAll(): Html {
  return html`<label class="check" hidden><input type="checkbox" class="select-all"> Select all</label>`;
}

export function checkbox(name: string, label: string, checked: boolean, value = 'on'): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}> ${label}</label>`;
}

function around(visit: Visit, options: FieldOptions | Omit<FieldOptions, 'type'>, input: (described: Html) => Html) {
  const { name, label, hint } = options;
  const id = idOf(options);
  const problem = visit.problem?.field === name && isOf(visit, options) ? visit.problem.message : undefined;
  const ids = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`].filter(Boolean);
  const described = html`${attribute('aria-describedby', ids.join(' ') || undefined)}${problem !== undefined && html` aria-invalid="true"`}`;
  const hinted = hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`;
  const refused = problem !== undefined && html`<p class="problem" id="${id}-problem">${problem}</p>`;
  return html`<div class="field"><label for="${id}">${label}</label>${hinted}${refused}${input(described)}</div>`;
}

function idOf({ name, of }: Pick<FieldOptions, 'name' | 'of'>): string {
  return of === undefined ? name : `${of}-${name}`;
}

function isOf(visit: Visit, { of }: Pick<FieldOptions, 'of'>): boolean {
  return of === undefined || visit.request.path.endsWith(`/${of}`);
}

function filledValue(visit: Visit, options: Pick<FieldOptions, 'name' | 'of'>): string | undefined {
  return isOf(visit, options) ? visit.fields?.get(options.name) : undefined;
}

/** Writes an attribute: ` name="value"`, or nothing without a value. */
export function attribute(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html` ${name}="${value}"`;
}

/**
 * A table that scrolls by itself if it is wider than the screen, and a list of cards on a narrow screen. The cells of
 * the first column are the headings of their rows.
 *
 * @param none shown if there are no rows
 * @param columns the names of the columns, and what each shows for a row
 */
export function table<Row>(
  caption: string,
  of: readonly Row[],
  none: Html | undefined,
  columns: Readonly<Record<string, (row: Row, at: number) => HtmlValue>>,
): Html {
  if (none && of.length === 0) return none;
  const names = Object.keys(columns);
  const rows = of.map((row, at) => Object.values(columns).map((cell) => cell(row, at)));
  const classes = names.map((_, at) => areNumbers(rows.map((row) => textOf(row[at]))) && html` class="number"`);
  // A narrow screen shows each cell with the name of its column.
  const cellOf = (cell: HtmlValue, at: number): Html =>
    html`<td${classes[at + 1]}${attribute('data-column', names[at + 1])}>${typeof cell === 'number' ? amount(cell, 1) : cell}</td>
`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
<table><caption class="unseen">${caption}</caption>
<thead><tr>${names.map((name, at) => html`<th scope="col"${classes[at]}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([head, ...cells]) => html`<tr><th scope="row"${classes[0]}>${head}</th>${cells.map(cellOf)}</tr>`,
  )}</tbody></table></div>`;
}

/** The text of a cell, without the notes below it. */
function textOf(cell: HtmlValue): string {
  const [text = ''] = html`${cell}`.text.split('<span class="sub');
  return text.replace(/<[^<>]*>/g, '').trim();
}

/** The text that a page has in place of an empty list. */
export function empty(heading: string, text: HtmlValue): Html {
  return html`<div class="empty"><p class="empty-heading">${heading}</p><p>${text}</p></div>`;
}

export type Tone = 'good' | 'bad' | 'waiting' | 'quiet';

/** A word with a colour, which adds no information to the word. */
export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A moment in UTC; script rewrites it in the time zone of the reader. */
export function time(at: Date | null, never = 'never'): Html {
  if (at === null) return html`<span class="quiet">${never}</span>`;
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** A bar whose length is a share from 0 to 1. Screen readers skip it: words next to it have the same content. */
export function bar(share: number): Html {
  const width = Math.round(1000 * Math.min(1, Math.max(0, share))) / 10;
  return html`<svg class="bar" aria-hidden="true" focusable="false"><rect class="track" width="100%" height="100%" rx="3"/><rect class="value" width="${width}%" height="100%" rx="3"/></svg>`;
}

/** Names with values, as a description list; without those that are undefined or false. */
export function facts(rows: Readonly<Record<string, HtmlValue>>): Html {
  const shown = Object.entries(rows).filter(([, value]) => value !== undefined && value !== false);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A link of a navigation. `isHere`: it leads to the page that is shown. */
export function navLink(href: string, text: HtmlValue, isHere: boolean): Html {
  return html`<a href="${href}"${isHere && html` aria-current="page"`}>${text}</a>`;
}
