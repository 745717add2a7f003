import { readMissingPaths } from '../../analytics/store/missing-paths.js';
import { ApiError, invalid } from '../../base/errors.js';
import { changeRules } from '../../rules/change-rules.js';
import { listChanges, type Change, type RuleSummary } from '../../rules/list-rules.js';
import { literally } from '../../rules/proposals/redirect-sheet.js';
import { previewChanges, type PreviewedChange } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import { html, type HtmlValue } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge, empty, form, table } from '../shared/components.js';
import { asEditor, actorOf, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { backTo } from './read-inbox.js';
import { pathHref } from '../shared/links.js';

export const DECISIONS = ['accept', 'gone', 'ignore'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Of one form. */
export const MAX_DECIDED = 25;
const UNDO_AMONG = 20;
const MAX_SAID = 200;

/** What a decision about a missing path changes. */
export function toChange(decision: Decision, path: string, target: string | undefined): RuleChange {
  if (decision === 'accept' && (target === undefined || target === ''))
    throw invalid('target', `There is no suggestion for ${path}: choose a page.`);
  return decision === 'accept'
    ? { path: literally(path), action: 'redirect', target }
    : { path: literally(path), action: decision };
}

/** Makes the changes, and returns the message about them. */
export async function makeChanges(visit: ProjectVisit, changes: readonly RuleChange[]): Promise<string> {
  const { deps, project } = visit;
  const { changed } = await changeRules(deps, project.project_id, changes, actorOf(visit), 'console').catch(nameField);
  const [first] = changes;
  const text = changes.length === 1 && first ? describe(first) : `${countOf(changed, 'rule')} changed.`;
  return changed === 0 ? 'Nothing to change.' : text;
}

/** Names the field of the form in place of a change's. */
export function nameField(error: unknown): never {
  if (error instanceof ApiError && error.param !== undefined) {
    const name = error.param.replace(/^changes\.\d+\./, '');
    throw invalid(name, error.message.replaceAll(error.param, name));
  }
  throw error;
}

function describe({ path: whole, action, target = '' }: RuleChange): string {
  const path = shorten(whole);
  if (action === 'redirect') return `${path} now leads to ${shorten(target)}.`;
  if (action === 'gone') return `${path} is now answered as gone (410).`;
  return action === 'ignore' ? `${path} is ignored from now on.` : `The rule for ${path} was removed.`;
}

/** For a message: it travels in a cookie. */
function shorten(text: string): string {
  return text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
}

/** The user's latest change of rules that is not undone. */
export async function findLastChange({ deps, project, user }: ProjectVisit): Promise<Change | undefined> {
  const { changes } = await listChanges(deps, project.project_id, { limit: UNDO_AMONG });
  return changes.find((one) => one.changed_by === user.email && one.kind !== 'undo' && one.undone_by === null);
}

/** What a rule says, in words. */
export function describeDecidedRule(said: RuleSummary): string {
  if (said === null) return 'no rule';
  return said.action === 'redirect' ? `to ${said.target ?? ''}` : said.action;
}

/** What is wrong with a change, each with its reason. */
export function problemBadges(problems: PreviewedChange['problems'], none: string): HtmlValue {
  if (problems.length === 0) return badge(none, 'good');
  return problems.map(({ kind, detail }) => html`${badge(kind, 'bad')}<span class="sub url">${detail}</span>`);
}

/** What a decision about several paths would change; a form makes the changes. */
export const inboxPreviewPage = projectPage({
  path: '/p/:project/inbox/preview',
  title: 'Preview',
  role: 'editor',
  show: async (visit) => {
    const fields = visit.given ? visit.given.entries() : visit.query;
    const { decision, chosen, changes } = await readChosen(visit, fields);
    if (changes.length === 0) return empty('Nothing is selected.', 'Go back to the inbox.');
    const { changes: previewed, stored } = await previewChanges(visit.deps, visit.project.project_id, changes);
    const hashOf = (at: number): string => chosen[at]?.hash ?? '';
    const rows = table('What would change', previewed, undefined, {
      Path: ({ path, problems }, at) =>
        html`<label class="check"><input type="checkbox" name="row" value="${hashOf(at)}"${problems.length === 0 ? html` checked` : undefined}><span class="url">${path}</span></label><input type="hidden" name="target:${hashOf(at)}" value="${chosen[at]?.target ?? ''}">`,
      'Will be': ({ action, target, replaces }) =>
        html`<span class="url">${describeDecidedRule(action === 'remove' ? null : { action, target })}</span>${replaces ? html`<span class="sub url">currently ${describeDecidedRule(replaces)}</span>` : undefined}`,
      [`404s in the last ${stored.days} days`]: ({ path, answers }) =>
        decision === 'ignore'
          ? html`<span class="quiet">leaves the inbox</span>`
          : html`<a href="${visit.ownHref(pathHref(path))}">${countOf(answers.requests, 'request')}</a>`,
      Check: ({ problems }) => problemBadges(problems, 'OK'),
    });
    const post = form(visit, visit.own('/inbox/preview/apply'), 'preview');
    return html`<p>Nothing has changed yet. Rows with a problem are not selected. The requests are those that each rule would have answered.</p>${post`<input type="hidden" name="do" value="${decision}"><input type="hidden" name="back" value="${fields.get('back') ?? ''}">${rows}
<p class="actions"><button class="button primary">Apply changes</button><a class="button" href="${visit.ownHref('/inbox')}">Cancel</a></p>`}`;
  },
  actions: {
    apply: asEditor(async (visit, given) => {
      const { changes } = await readChosen(visit, given.entries());
      if (changes.length === 0) throw invalid('row', 'Select at least one path.');
      return { to: backTo(visit, given.get('back')), text: await makeChanges(visit, changes) };
    }),
  },
});

async function readChosen({ deps, project }: ProjectVisit, fields: URLSearchParams) {
  const decision = DECISIONS.find((name) => name === fields.get('do')) ?? 'ignore';
  const targets = fields.getAll('target');
  const all = fields.getAll('row').map((hash, at) => ({ hash, target: fields.get(`target:${hash}`) ?? targets[at] }));
  const valid = all.filter(({ hash }) => /^[0-9a-f]{64}$/.test(hash)).slice(0, MAX_DECIDED);
  const paths = await readMissingPaths(
    deps.db,
    project.project_id,
    valid.map(({ hash }) => hash),
  );
  // Without a suggestion there is nothing to accept.
  const chosen = valid.filter(({ hash, target = '' }) => paths.has(hash) && (decision !== 'accept' || target !== ''));
  const changes = chosen.map(({ hash, target }) => toChange(decision, paths.get(hash) ?? '', target));
  return { decision, chosen, changes };
}
