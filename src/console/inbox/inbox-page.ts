import { readMissingPaths, selectReferrers } from '../../analytics/store/missing-paths.js';
import { invalid } from '../../base/errors.js';
import { undoChange } from '../../rules/change-rules.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { button, empty, field, form, select, selectAll } from '../shared/components.js';
import { asEditor, projectPage, actorOf, type Done, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { decideOne, DECISIONS, findLastChange, MAX_DECIDED, describeDecidedRule } from './decide.js';
import {
  backTo,
  DAY_CHOICES,
  hasScore,
  readInboxQuery,
  readUnresolved,
  REFERRER_CHOICES,
  SCORE_CHOICES,
  writeInboxQuery,
  type InboxQuery,
} from './read-inbox.js';
import { inboxRow, inboxTabs, type InboxRow } from './inbox-row.js';
import { MAX_PATIENCE_MS } from './suggestions-ahead.js';
import { pager } from '../shared/links.js';

const REFERRERS = 3;
/** The page waits this long for suggestions. Script requests the others, which are looked up while people read. */
const PATIENCE_MS = 60;
const PATIENCE_OF_SCRIPT_MS = 2_000;
/** The inbox offers to undo the last change for this long. */
const UNDO_MS = 3_600_000;

/** The page lists the missing paths that nothing is decided about, the most important first. */
export const inboxPage = projectPage({
  path: '/p/:project/inbox',
  nav: 'Inbox',
  show: async (visit) => {
    const { deps, project, fields } = visit;
    const inboxQuery = readInboxQuery(fields ? new URLSearchParams(fields.get('back') ?? '') : visit.query);
    const read = await readUnresolved(deps, project.project_id, inboxQuery.filter, inboxQuery.after, MAX_DECIDED);
    const { next } = read;
    // Script requests the rows whose suggestions there was no time to look up.
    const isPart = visit.query.get('part') === 'rows';
    const rows = isPart ? read.rows.filter(({ hash }) => visit.query.getAll('row').includes(hash)) : read.rows;
    const hashes = rows.map(({ hash }) => hash);
    const paths = rows.map(({ path }) => path);
    const isPatient = visit.query.get('wait') === '1';
    const patience = isPart ? PATIENCE_OF_SCRIPT_MS : isPatient ? MAX_PATIENCE_MS : PATIENCE_MS;
    const [referrers, suggestions, undoing] = await Promise.all([
      selectReferrers(deps.db, project.project_id, hashes, REFERRERS),
      deps.suggestionsAhead.suggest(project.project_id, paths, patience),
      isPart ? undefined : lastChange(visit),
    ]);
    const all = rows.map((row, at) => ({
      ...row,
      suggestion: suggestions[at],
      referrers: referrers.filter(({ hash }) => hash === row.hash),
    }));
    // The filter of the query knows the last stored score; the answer of now may have another.
    const isMeant = ({ suggestion }: InboxRow): boolean => hasScore(inboxQuery.filter, suggestion);
    const shown = all.filter(isMeant);
    if (isPart) {
      const parts = all.map((row) => [row.hash, isMeant(row) ? inboxRow(visit, row).text : '']);
      return { content: html``, raw: { type: 'application/json', body: JSON.stringify(parts) } };
    }
    const isFull = rows.length === MAX_DECIDED;
    const behind = next && visit.ownHref(`/inbox${writeInboxQuery({ ...inboxQuery, after: next })}`);
    const waiting = shown.filter(({ suggestion }) => suggestion === undefined).length;
    const isFiltered = writeInboxQuery({ fields: inboxQuery.fields, after: undefined }) !== '';
    return {
      script: 'inbox.js',
      content: html`${inboxTabs(visit, '')}${rows.length > 0 && html`<p>Decide what happens to these missing paths. The most important ones come first: many people miss them, and no answer is certain yet.</p><details class="meaning"><summary>What the numbers and buttons mean</summary><p class="explained">The counts of people and robots are those of all stored 404s: click one to see its days. A score is how probably the path means this page: of a hundred with 0.83, about 83. “Why” lists what speaks for the page, with its share in the score. Gone answers visitors and search engines with 410: the page was removed for good. Ignore takes a path out of this list, and changes no answer.</p></details>`}${undoing}${(rows.length > 0 || isFiltered) && filters(visit, inboxQuery)}${waiting > 0 && stillLookedUp(visit, inboxQuery, waiting)}${
        shown.length === 0 ? nothing(visit, isFiltered, next !== undefined) : list(visit, inboxQuery, shown)
      }${behind && pager(behind, isFull ? `Next ${MAX_DECIDED}` : 'Show more')}`,
    };
  },
  actions: { decide: asEditor(decide), undo: asEditor(undo) },
});

function list(visit: ProjectVisit, inboxQuery: InboxQuery, rows: readonly InboxRow[]): Html {
  const items = html`<ol class="inbox">${rows.map((row) => inboxRow(visit, row))}</ol>`;
  if (!visit.may('editor')) return items;
  const bulk = (decision: string, text: string): Html =>
    html`<button class="button small" name="bulk" value="${decision}">${text}</button>`;
  const post = form(visit, visit.ownPath('/inbox/decide'), 'deciding');
  return html`<details class="keys" open><summary>Keyboard shortcuts <span class="quiet">(? shows or hides them)</span></summary><p>For the highlighted path: <kbd>a</kbd> accept the suggestion, <kbd>c</kbd> choose another page, <kbd>g</kbd> gone (410: removed for good), <kbd>i</kbd> ignore. Then the next path is highlighted. <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>x</kbd> select, <kbd>z</kbd> undo</p></details>
<p class="said" role="status"></p>
${post`<input type="hidden" name="back" value="${writeInboxQuery(inboxQuery)}">
<div class="bulk">${selectAll()}<span>Selected: </span>${bulk('accept', 'Accept…')}${bulk('gone', 'Gone…')}${bulk('ignore', 'Ignore…')}<span class="quiet">You get a preview first.</span></div>
${items}`}`;
}

/** A note that suggestions are still being looked up. Script requests them by itself, and then removes the note. */
function stillLookedUp(visit: ProjectVisit, inboxQuery: InboxQuery, waiting: number): Html {
  const query = new URLSearchParams(writeInboxQuery(inboxQuery));
  query.set('wait', '1');
  return html`<p class="quiet looking-up" role="status">Suggestions for ${countOf(waiting, 'path')} are still being looked up.<noscript>
<a href="${visit.ownHref(`/inbox?${query.toString()}`)}">Show them</a></noscript></p>`;
}

function filters(visit: ProjectVisit, { fields }: InboxQuery): Html {
  const isOpen = Object.values(fields).some((value) => value !== '');
  return html`<details class="filters"${isOpen && html` open`}><summary>Filter</summary><form method="get" action="${visit.ownHref('/inbox')}" class="row">
${field(visit, { name: 'section', label: 'Path begins with', value: fields.section, attributes: { placeholder: '/blog/', maxlength: 500 } })}
${select(visit, { name: 'referrer', label: 'Linked from', value: fields.referrer, choices: REFERRER_CHOICES })}
${select(visit, { name: 'score', label: 'Last score', value: fields.score, choices: SCORE_CHOICES })}
${select(visit, { name: 'days', label: 'Seen in', value: fields.days, choices: DAY_CHOICES })}
<button class="button">Show</button></form></details>`;
}

function nothing(visit: ProjectVisit, isFiltered: boolean, isMore: boolean): Html {
  if (isMore) return empty('No matching path so far.', 'There are more paths to search.');
  if (isFiltered)
    return empty('No matching paths.', html`<a href="${visit.ownHref('/inbox')}">Show all missing paths</a>`);
  return empty(
    'No missing path needs a decision.',
    html`Missing paths appear here once your site reports 404s, with a pathmend client or with
<code>POST /v1/events</code> with <code>{"raw_path": "/the/missing/path"}</code>. Paths that you decided on are under
<a href="${visit.ownHref('/redirects')}">Redirects</a>.`,
  );
}

/** The user's last change, with a button that undoes it. It is hidden until there is a change; then script shows it. */
async function lastChange(visit: ProjectVisit): Promise<Html | undefined> {
  if (!visit.may('editor')) return undefined;
  const last = await findLastChange(visit);
  const isRecent = last !== undefined && last.changed_at.getTime() > visit.deps.clock.now() - UNDO_MS;
  const [rule] = last?.rules ?? [];
  const text =
    !isRecent || !rule
      ? ''
      : last.count === 1
        ? `Your last change: ${rule.path} ${describeDecidedRule(rule.after)}`
        : `Your last change: ${countOf(last.count, 'rule')}`;
  return html`<div class="undo"${!isRecent && html` hidden`}><span class="url">${text}</span>${button(visit, visit.ownPath('/inbox/undo'), 'Undo', { className: 'button small', fields: { back: writeInboxQuery(readInboxQuery(visit.query)) } })}<a href="${visit.ownHref('/redirects/history')}">History</a></div>`;
}

async function decide(visit: ProjectVisit, fields: Form): Promise<Done> {
  const { deps, project } = visit;
  const back = backTo(visit, fields.get('back'));
  const [, verb, row] = /^(accept|keep|gone|ignore) ([0-9a-f]{64})$/.exec(fields.get('one') ?? '') ?? [];
  const hashes = row === undefined ? fields.all('row') : [row];
  if (row === undefined && hashes.length === 0) throw invalid('row', 'Select at least one path.');
  if (hashes.length > MAX_DECIDED || hashes.some((hash) => !/^[0-9a-f]{64}$/.test(hash)))
    throw invalid('row', `Select at most ${MAX_DECIDED} paths.`);
  if (row === undefined) {
    const decision = fields.choice('bulk', DECISIONS);
    const query = new URLSearchParams({ do: decision, back: fields.get('back') ?? '' });
    for (const hash of hashes) query.append('row', hash);
    return { to: visit.ownPath(`/inbox/preview?${query.toString()}`), text: '' };
  }
  const path = (await readMissingPaths(deps.db, project.project_id, hashes)).get(row);
  if (path === undefined) throw invalid('one', 'This path is no longer listed. Reload the page.');
  const decision = verb === 'keep' ? verb : (DECISIONS.find((name) => name === verb) ?? 'ignore');
  return { to: back, text: await decideOne(visit, decision, path, fields.get(`target:${row}`)) };
}

async function undo(visit: ProjectVisit, fields: Form): Promise<Done> {
  const last = await findLastChange(visit);
  if (!last) throw invalid(undefined, 'You have no change to undo.');
  await undoChange(visit.deps, visit.project.project_id, last.change_id, actorOf(visit));
  const text = `Undone: ${last.rules[0]?.path ?? ''}${last.count > 1 ? ' and others' : ''}.`;
  return { to: backTo(visit, fields.get('back')), text };
}
