import { ApiError, invalid } from '../../base/errors.js';
import { changeRules } from '../../rules/change-rules.js';
import { listChanges, type Change, type RuleSummary } from '../../rules/list-rules.js';
import { literally } from '../../rules/proposals/redirect-sheet.js';
import type { PreviewedChange } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import { overruleJudgement } from '../../search/judge-guess.js';
import { html, type HtmlValue } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { badge } from '../shared/components.js';
import { actorOf, type ProjectVisit } from '../shared/console-page.js';

export const DECISIONS = ['accept', 'gone', 'ignore'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The maximum number of paths that one form decides about. */
export const MAX_DECIDED = 25;
const UNDO_AMONG = 20;
const MAX_TEXT = 200;

/** Returns the change of rules that a decision makes. @throws ApiError that names the target, if it is missing */
export function toChange(decision: Decision, path: string, target: string | undefined): RuleChange {
  if (decision === 'accept' && (target === undefined || target === ''))
    throw invalid('target', `There is no suggestion for ${path}: choose a page.`);
  return decision === 'accept'
    ? { path: literally(path), action: 'redirect', target }
    : { path: literally(path), action: decision };
}

/** Decides about one path. A page that the user accepts or keeps is right, even if somebody judged it wrong before. */
export async function decideOne(visit: ProjectVisit, decision: Decision | 'keep', path: string, target?: string) {
  const { deps, project, user } = visit;
  const text =
    decision === 'keep'
      ? `${shorten(path)} still leads to ${shorten(target ?? '')}.`
      : await makeChanges(visit, [toChange(decision, path, target)]);
  if (target !== undefined && (decision === 'keep' || decision === 'accept'))
    await overruleJudgement(deps, project.project_id, { path, url: target, by: user.email });
  return text;
}

/** Makes the changes, and returns the message about them. */
export async function makeChanges(visit: ProjectVisit, changes: readonly RuleChange[]): Promise<string> {
  const { deps, project } = visit;
  const { changed } = await changeRules(deps, project.project_id, changes, actorOf(visit), 'console').catch(nameField);
  const [first] = changes;
  const text = changes.length === 1 && first ? describe(first) : `${countOf(changed, 'rule')} changed.`;
  return changed === 0 ? 'Nothing to change.' : text;
}

/** The names of a change's fields in the form. */
const LABELS: Readonly<Record<string, string>> = {
  path: 'Missing path',
  target: 'Target',
  code: 'Status code',
  valid_from: 'Active from',
  valid_until: 'Active until',
};

/** Throws an error about a field of a change again, with the name that the form has for the field. */
export function nameField(error: unknown): never {
  if (!(error instanceof ApiError) || error.param === undefined) throw error;
  const name = error.param.replace(/^changes\.\d+\./, '');
  const message = name === error.param ? error.message : error.message.replaceAll(error.param, LABELS[name] ?? name);
  throw invalid(name, message.replaceAll('valid_from', 'Active from'));
}

function describe({ path: whole, action, target = '' }: RuleChange): string {
  const path = shorten(whole);
  if (action === 'redirect') return `${path} now leads to ${shorten(target)}.`;
  if (action === 'gone') return `${path} is now answered as gone (410): removed for good.`;
  return action === 'ignore' ? `${path} is ignored from now on.` : `The rule for ${path} was removed.`;
}

/** Shortens a text for a message, because messages travel in a cookie. */
function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** The user's latest change of rules that is not undone. */
export async function findLastChange({ deps, project, user: { email } }: ProjectVisit): Promise<Change | undefined> {
  const { changes } = await listChanges(deps, project.project_id, { limit: UNDO_AMONG });
  return changes.find((change) => change.changed_by === email && change.kind !== 'undo' && change.undone_by === null);
}

/** Describes in words what a rule does. */
export function describeDecidedRule(rule: RuleSummary): string {
  if (rule === null) return 'no rule';
  if (rule.action === 'gone') return rule.code === 451 ? 'gone (451)' : 'gone (410): removed for good';
  return rule.action === 'redirect' ? `to ${rule.target ?? ''}` : rule.action;
}

/** Shows the problems of a change as badges, each with its reason. `none`: the badge of a change without problems. */
export function problemBadges(problems: PreviewedChange['problems'], none: string): HtmlValue {
  if (problems.length === 0) return badge(none, 'good');
  return problems.map(({ kind, detail }) => html`${badge(kind, 'bad')}<span class="sub url">${detail}</span>`);
}
