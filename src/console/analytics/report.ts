import { dayOf, type Range } from '../../analytics/range.js';
import type { Period } from '../../analytics/store/not-founds.js';
import { csvCell } from '../../rule-formats/write/formats.js';
import { amount } from '../../text/count-of.js';
import { html, type Html, type HtmlValue } from '../../text/html.js';
import { percent, scoreText } from '../shared/numbers.js';
import { table } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { pathLink } from '../shared/links.js';

/** The days of a page's reports, and what of them is meant. */
export type ShownPeriod = Period & Range;

type Value = string | number | Date | null;

export interface Column<Row> {
  name: string;
  /** As the download has it: a share is a number from 0 to 1. */
  value: (row: Row) => Value;
  as?: 'url' | 'path' | 'percent' | 'score';
  /** Where it leads, below the project: to the rows that a number counts. */
  to?: (row: Row, period: ShownPeriod) => string | undefined;
  /** Where there is no value: `none` unless given. */
  none?: string;
  /** Below it; a column of its own in the download. */
  note?: { name: string; word?: string; value: (row: Row) => Date | string | null };
}

/** The score of a past answer, and when it was: what is answered now may be another (docs/evidence/relevance.md). */
export function pastAnswerColumns<Score extends string, At extends string>(
  score: Score,
  at: At,
): Column<Record<Score, number | null> & Record<At, Date | null>> {
  const note = { name: 'Answered on', word: 'on', value: (row: Record<At, Date | null>) => row[at] };
  return { name: 'Last score', value: (row) => row[score], as: 'score', note };
}

export interface ReportOptions<Row> {
  /** In urls and names of files. */
  id: string;
  title: string;
  /** What it tells, and what to do about it. */
  about: HtmlValue;
  /** The text where there is no row. */
  none: string;
  columns: readonly Column<Row>[];
  /** What an editor may do: before a row, behind it, and around all. */
  act?: {
    before: (row: Row) => Html;
    behind: (visit: ProjectVisit, row: Row) => Html;
    around: (visit: ProjectVisit, list: Html) => Html;
  };
  /** No more than `limit` rows. */
  read: (visit: ProjectVisit, period: ShownPeriod, limit: number) => Promise<Row[]>;
  /** Sums of all rows, which are compared with those of the days before. */
  sums?: Readonly<Record<string, (row: Row) => number>>;
  picture?: (rows: readonly Row[], period: ShownPeriod) => Html;
  /** Whether the picture's own table has the numbers. */
  isPictureAlone?: boolean;
}

/** A question of the analysts' views, answered as a picture, a table and a file. */
export interface Report {
  id: string;
  /** @param files the hrefs of its downloads */
  section: (visit: ProjectVisit, period: ShownPeriod, files: Record<'csv' | 'jsonl', string>) => Promise<Html>;
  csv: (visit: ProjectVisit, period: ShownPeriod) => Promise<string>;
  /** A JSON object a line, with the names of the columns. */
  jsonl: (visit: ProjectVisit, period: ShownPeriod) => Promise<string>;
}

const SHOWN = 15;
const MAX_DOWNLOADED = 5_000;

export function report<Row>(options: ReportOptions<Row>): Report {
  const { id, title, about, none, columns, read, sums, picture, isPictureAlone = false } = options;
  const all = columns.flatMap((one) => (one.note ? [one, one.note] : [one]));
  return {
    id,
    section: async (visit, period, files) => {
      const [found, before] = await Promise.all([
        read(visit, period, isPictureAlone || sums ? MAX_DOWNLOADED : SHOWN + 1),
        sums ? read(visit, { ...period, ...period.before }, MAX_DOWNLOADED) : [],
      ]);
      const rows = found.slice(0, isPictureAlone ? undefined : SHOWN);
      const act = visit.may('editor') ? options.act : undefined;
      const compared = sums && compare(sums, found, before);
      if (rows.length === 0) return html`<h2 id="${id}">${title}</h2><p class="quiet">${none}</p>${compared}`;
      const list = table(title, rows, undefined, {
        ...Object.fromEntries(
          columns.map((column, at) => [
            column.name,
            (row: Row) => html`${at === 0 ? act?.before(row) : undefined}${shown(visit, column, row, period)}`,
          ]),
        ),
        ...(act && { '': (row) => act.behind(visit, row) }),
      });
      const listed = isPictureAlone ? undefined : (act?.around(visit, list) ?? list);
      const more =
        found.length > rows.length ? html` <span class="quiet">Showing the first ${SHOWN}.</span>` : undefined;
      return html`<h2 id="${id}">${title}</h2><p class="explained">${about}</p>${compared}${picture?.(rows, period)}${listed}
<p class="download"><a href="${files.csv}" aria-label="Download as CSV: ${title}">Download as CSV</a> <a href="${files.jsonl}" aria-label="Download as JSON lines: ${title}">JSON lines</a>${more}</p>`;
    },
    csv: async (visit, period) => {
      const rows = await read(visit, period, MAX_DOWNLOADED);
      const lines = [all.map(({ name }) => name), ...rows.map((row) => all.map(({ value }) => value(row)))];
      return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
    },
    jsonl: async (visit, period) => {
      const rows = await read(visit, period, MAX_DOWNLOADED);
      const lines = rows.map((row) => Object.fromEntries(all.map(({ name, value }) => [name, value(row)])));
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    },
  };
}

/** Sums of these days and of as many before. */
function compare<Row>(
  sums: Readonly<Record<string, (row: Row) => number>>,
  now: readonly Row[],
  before: readonly Row[],
): Html {
  const total = (rows: readonly Row[], of: (row: Row) => number): string =>
    amount(rows.reduce((sum, row) => sum + of(row), 0));
  const parts = Object.entries(sums).map(([name, of]) => `${name}: ${total(now, of)} (before: ${total(before, of)})`);
  return html`<p class="compared">${parts.join(' · ')}</p>`;
}

function shown<Row>(
  visit: ProjectVisit,
  { note, to, ...column }: Column<Row>,
  row: Row,
  period: ShownPeriod,
): HtmlValue {
  const path = to?.(row, period);
  const value = shownValue(visit, column, row);
  const found = path === undefined ? value : html`<a href="${visit.ownHref(path)}">${value}</a>`;
  const noted = note?.value(row);
  if (!note || !noted) return found;
  return html`${found}<span class="sub">${noted instanceof Date ? day(noted, `${note.word ?? ''} `) : noted}</span>`;
}

function shownValue<Row>(visit: ProjectVisit, { value, as, none = 'none' }: Column<Row>, row: Row): HtmlValue {
  const found = value(row);
  if (found === null || found === '') return none === '' ? '' : html`<span class="quiet">${none}</span>`;
  if (found instanceof Date) return day(found);
  if (as === 'percent') return percent(Number(found));
  if (as === 'score') return scoreText(Number(found));
  if (as === 'path') return pathLink(visit, String(found));
  if (typeof found === 'number') return amount(found, 1);
  return as === 'url' ? html`<span class="url">${found}</span>` : found;
}

function day(date: Date, before = ''): Html {
  return html`<span class="day">${before}${dayOf(date.getTime())}</span>`;
}

/** Spreadsheets run what begins as a formula: visitors choose paths, questions and referrers. */
function cellOf(value: Value): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value ?? ''}` : (value ?? '');
  return csvCell(text);
}
