import { amount, countOf, wasOrWere } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { listSheetRows, SHEET_DECISIONS, type SheetDecision } from '../../rules/store/redirect-sheet.js';
import { toneOf } from '../inbox/inbox-row.js';
import { badge, button, empty, field, form, select, table } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { scoreText } from '../shared/numbers.js';

/** Rows of a page. */
export const SHOWN = 25;
const MAX_TARGET = 4_096;

/** What a row becomes, and what the rows that become so are called. */
const NAMES: Readonly<Record<SheetDecision, [name: string, rows: string]>> = {
  review: ['Undecided', 'undecided'],
  accept: ['Redirect', 'redirected'],
  gone: ['Gone (410)', 'gone'],
  ignore: ['Ignore', 'ignored'],
  none: ['No rule', 'without a rule'],
};
const CHOICES = Object.fromEntries(SHEET_DECISIONS.map((one) => [one, NAMES[one][0]]));

/** The rows that were looked up, as a form for those who may decide, with what can be done with all of them. */
export async function sheet(visit: ProjectVisit, counts: Readonly<Record<SheetDecision, number>>): Promise<Html> {
  const { tenant, project, query, ownHref } = visit;
  const decision = readDecision(visit.given?.get('of') ?? query.get('of'));
  const after = /^[0-9a-f]{64}$/.exec(visit.given?.get('after') ?? query.get('after') ?? '')?.[0];
  const rows = await listSheetRows(tenant.db, project.project_id, {
    waiting: false,
    decision,
    after,
    limit: SHOWN + 1,
  });
  const shown = rows.slice(0, SHOWN);
  const decided = counts.accept + counts.gone + counts.ignore;
  const links = SHEET_DECISIONS.map(
    (one) =>
      html`<a href="${ownHref(`/redirects/map?of=${one}`)}"${one === decision ? html` aria-current="page"` : undefined}>${amount(counts[one])} ${NAMES[one][1]}</a>`,
  );
  const hidden = html`<input type="hidden" name="of" value="${decision ?? ''}"><input type="hidden" name="after" value="${after ?? ''}"><input type="hidden" name="last" value="${rows.length > SHOWN ? (shown.at(-1)?.key ?? '') : ''}">`;
  const all = select(visit, {
    name: 'all',
    label: 'All rows of this page',
    value: '',
    choices: { '': 'As set in each row', ...CHOICES },
  });
  const may = visit.may('editor');
  const none = empty('No rows here.', html`See <a href="${ownHref('/redirects/map')}">all rows</a>.`);
  const list = table('Old urls', shown, none, {
    'Old url': ({ path, hits }) =>
      html`<span class="url">${path}</span>${hits > 0 ? html`<span class="sub">requested ${countOf(hits, 'time')}, by your file</span>` : undefined}`,
    Action: ({ key, path, decision: value }) =>
      may
        ? select(visit, { name: `do:${key}`, label: `Action for ${path}`, value, choices: CHOICES })
        : NAMES[value][0],
    Target: ({ key, path, target: value, why }) =>
      html`${may ? field(visit, { name: `to:${key}`, label: `Target of ${path}`, value, attributes: { maxlength: MAX_TARGET } }) : html`<span class="url">${value}</span>`}<span class="sub">${why}</span>`,
    Score: ({ score }) =>
      score === 0 ? html`<span class="quiet">none</span>` : badge(scoreText(score), toneOf(score)),
  });
  return html`<h2>Review old urls</h2><p class="explained">Proposed actions: redirect if a page is nearly certain, undecided if not, gone if no page is similar. A score is how probably the old url means this page. No rules are created until you save.</p>
<nav class="tabs" aria-label="Rows"><a href="${ownHref('/redirects/map')}"${decision === undefined ? html` aria-current="page"` : undefined}>All rows</a>${links}</nav>${
    may
      ? html`${form(visit, visit.own('/redirects/map/decide'), 'sheet')`${all}${list}${hidden}<div class="actions">${rows.length > SHOWN ? html`<button class="button primary">Keep and show next ${SHOWN}</button>` : html`<button class="button">Keep</button>`}<button class="button${rows.length > SHOWN ? '' : ' primary'}" name="then" value="save">Save all decided rows as rules</button></div>`}<p class="hint">${countOf(decided, 'row')} ${wasOrWere(decided)} decided on other pages. Saving includes this page and makes one change, which you can undo in the history. Undecided rows stay here.</p>${discardButton(visit)}`
      : list
  }`;
}

export function readDecision(text: string | null | undefined): SheetDecision | undefined {
  return SHEET_DECISIONS.find((one) => one === text);
}

export function discardButton(visit: ProjectVisit): Html {
  return button(visit, visit.own('/redirects/map/discard'), 'Discard all rows', {
    className: 'button danger',
    confirm: 'Discard all rows? Saved rules stay.',
  });
}
