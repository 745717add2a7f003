import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { listSheetRows, SHEET_DECISIONS, type SheetDecision, type SheetRow } from '../../rules/store/redirect-sheet.js';
import { toneOf } from '../inbox/inbox-row.js';
import { badge, button, empty, field, form, navLink, select } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { scoreText } from '../shared/numbers.js';

/** The number of rows on a page. */
export const SHOWN = 25;
const MAX_TARGET = 4_096;
/** The number of characters that are shown of a path. */
const MAX_SHOWN = 70;

/** For each decision: its name as a choice, and the words for the rows that have it. */
const NAMES: Readonly<Record<SheetDecision, [name: string, rows: string]>> = {
  review: ['Undecided', 'undecided'],
  accept: ['Redirect', 'redirected'],
  gone: ['Gone (410)', 'gone'],
  ignore: ['Ignore', 'ignored'],
  none: ['No rule', 'without a rule'],
};
const CHOICES = Object.fromEntries(SHEET_DECISIONS.map((decision) => [decision, NAMES[decision][0]]));

/** Shows the rows that were looked up. Editors get a form to decide about each row, and buttons for all rows. */
export async function sheet(visit: ProjectVisit, counts: Readonly<Record<SheetDecision, number>>): Promise<Html> {
  const { tenant, project, query, ownHref } = visit;
  const decision = readDecision(visit.fields?.get('of') ?? query.get('of'));
  const after = /^[0-9a-f]{64}$/.exec(visit.fields?.get('after') ?? query.get('after') ?? '')?.[0];
  const wanted = { waiting: false, decision, after, limit: SHOWN + 1 };
  const rows = await listSheetRows(tenant.db, project.project_id, wanted);
  const shown = rows.slice(0, SHOWN);
  const decided = counts.accept + counts.gone + counts.ignore;
  const links = SHEET_DECISIONS.map((linked) => {
    const text = `${amount(counts[linked])} ${NAMES[linked][1]}`;
    return navLink(ownHref(`/redirects/map?of=${linked}`), text, linked === decision);
  });
  const hidden = html`<input type="hidden" name="of" value="${decision ?? ''}"><input type="hidden" name="after" value="${after ?? ''}"><input type="hidden" name="last" value="${rows.length > SHOWN ? (shown.at(-1)?.key ?? '') : ''}">`;
  const choices = { '': 'As set in each row', ...CHOICES };
  const all = select(visit, { name: 'all', label: 'All rows of this page', value: '', choices });
  const may = visit.may('editor');
  const list =
    shown.length === 0
      ? empty('No rows here.', html`See <a href="${ownHref('/redirects/map')}">all rows</a>.`)
      : html`<ol class="inbox" aria-label="Old urls">${shown.map((row) => oldUrl(visit, row, may))}</ol>`;
  return html`<h2>Review old urls</h2><p class="explained">Redirect is proposed if a page is nearly certain, gone if no page seems to be it. The other rows are undecided: these come first. A score is how probably the old url means this page. No rules are created until you save.</p>
<nav class="tabs" aria-label="Rows">${navLink(ownHref('/redirects/map'), 'All rows', decision === undefined)}${links}</nav>${
    may
      ? html`<details class="keys" open><summary>Keyboard shortcuts <span class="quiet">(? shows or hides them)</span></summary><p>For the highlighted old url: <kbd>1</kbd> <kbd>2</kbd> <kbd>3</kbd> redirect to this page, <kbd>g</kbd> gone (410), <kbd>i</kbd> ignore, <kbd>n</kbd> no rule, <kbd>u</kbd> undecided. Then the next one is highlighted. <kbd>j</kbd> next, <kbd>k</kbd> previous</p></details>
<p class="said" role="status"></p>${form(visit, visit.ownPath('/redirects/map/decide'), 'deciding sheet')`${all}${list}${hidden}<div class="actions">${rows.length > SHOWN ? html`<button class="button primary">Keep and show next ${SHOWN}</button>` : html`<button class="button">Keep</button>`}<button class="button${rows.length > SHOWN ? '' : ' primary'}" name="then" value="save">Save all decided rows as rules</button></div>`}<p class="hint">Saving keeps this page, and makes rules of all rows that are set to be redirected, gone or ignored: ${countOf(decided, 'row')} so far, as pathmend proposes or you decided. It is one change, which you can undo in the history. Undecided rows stay here.</p>${discardButton(visit)}`
      : list
  }`;
}

/** Shows an old url with the pages that it may have become. `may`: the user may choose a page and an action. */
function oldUrl(visit: ProjectVisit, row: SheetRow, may: boolean): Html {
  const { key, path, hits, decision, target, why, choices } = row;
  const id = `row-${key.slice(0, 12)}`;
  const chosen = visit.fields?.get(`pick:${key}`) ?? target;
  const isListed = choices.some(({ href }) => href === target);
  const pages = choices.map(({ href, url, title, score }, at) => {
    const page = html`<span class="title">${title}</span> <span class="url" title="${url}">${endOf(url)}</span> ${badge(scoreText(score), toneOf(score))}`;
    return html`<li>${may ? html`<label class="check"><input type="radio" name="pick:${key}" value="${href}"${href === chosen && html` checked`}><kbd>${at + 1}</kbd><span>${page}</span></label>` : page}</li>`;
  });
  const other = isListed ? '' : target;
  return html`<li class="missing" tabindex="-1" aria-labelledby="${id}"><div class="about"><p class="path url" id="${id}">${path}</p>
${hits > 0 && html`<p class="met">requested ${countOf(hits, 'time')}, by your file</p>`}<ol class="pages">${pages}</ol>
${why !== '' && html`<p class="why">${choices.length === 0 ? '' : 'Why: '}${why}</p>`}</div>
${
  may
    ? html`<div class="decide">${select(visit, { name: `do:${key}`, label: `Action for ${path}`, value: decision, choices: CHOICES })}${field(visit, { name: `to:${key}`, label: `Another target of ${path}`, value: other, attributes: { maxlength: MAX_TARGET, placeholder: 'Another path or url' } })}</div>`
    : html`<p>${NAMES[decision][0]}${other !== '' && decision === 'accept' && html` <span class="url">${other}</span>`}</p>`
}</li>
`;
}

/** Returns the end of a long path, which distinguishes similar pages. */
function endOf(path: string): string {
  return path.length > MAX_SHOWN ? `…${path.slice(-MAX_SHOWN)}` : path;
}

export function readDecision(text: string | null | undefined): SheetDecision | undefined {
  return SHEET_DECISIONS.find((decision) => decision === text);
}

export function discardButton(visit: ProjectVisit): Html {
  return button(visit, visit.ownPath('/redirects/map/discard'), 'Discard all rows', {
    className: 'button danger',
    confirm: 'Discard all rows? Saved rules stay.',
  });
}
