import { inTransaction } from '../platform/database/session/connect.js';
import { mapYielding } from '../base/map-yielding.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { lockRedirects } from '../projects/turns.js';
import { insertRuleChange, markUndone, readRuleChange, type ChangeKind } from './store/rule-history.js';
import { deleteGone } from './store/store-rules.js';
import type { Trx } from '../platform/database/db.js';
import { ApiError, invalid } from '../base/errors.js';
import type { RuleOrigin } from '../base/glossary.js';
import { recordChange, type Actor } from '../accounts/actor.js';
import { findProject } from '../projects/store/projects.js';
import { coverAllPaths } from './cover-paths.js';
import { learnSectionRedirects } from './learn-redirects-job.js';
import { checkStorable } from '../base/validate.js';
import {
  checkChange,
  scopeOf,
  sourceOf,
  type CheckedChange,
  type RuleChange,
  type RuleDeps,
  type RuleScope,
} from './rule.js';
import { formOf, addSpellings, listedTermsOf, rulesEqual } from './rule-meaning.js';
import { readStates, storeStates, type RuleState, type StateChange } from './rule-states.js';

/** The maximum number of changes in one call, which is one entry of the history. */
export const MAX_CHANGES = 1_000;
const MAX_NAME = 200;

const ACTIONS: Readonly<Record<ChangeKind, string>> = {
  change: 'rules changed',
  confirm: 'proposals confirmed',
  undo: 'rules restored',
};

export interface Changed {
  /** The entry of the history; null: no rule changed, so there is no entry. */
  change_id: number | null;
  changed: number;
  unchanged: number;
}

/** `rules` has the rules before and after each change. It leaves out removals of rules that do not exist. */
interface Applied {
  changed: Changed;
  rules: (StateChange & { isSame: boolean })[];
}

/**
 * Changes rules, all or none; they are one entry of the history, and undone together. Of several changes for one path,
 * the last one counts. Resolves when every process answers by the new rules.
 * @param by for the history and the audit log
 * @throws ApiError invalid_request
 */
export async function changeRules(
  deps: RuleDeps,
  projectId: string,
  changes: readonly RuleChange[],
  by: Actor,
  origin: RuleOrigin = 'person',
): Promise<Changed> {
  return (await applyRuleChanges(deps, projectId, changes, { by, origin, field: 'changes' })).changed;
}

/**
 * Does the same as {@link changeRules}, and returns the rules before and after each change, too.
 * @param changes the changes, or a function that makes them from the stored rules; it runs under the lock of
 * `lockRedirects`
 * @param options.field names the changes in errors; '': there is one change, and errors name only its fields
 * @throws ApiError invalid_request
 */
export async function applyRuleChanges(
  deps: RuleDeps,
  projectId: string,
  changes: readonly RuleChange[] | ((trx: Trx) => Promise<readonly RuleChange[]>),
  { by, origin, field }: { by: Actor; origin: RuleOrigin; field: string },
): Promise<Applied> {
  const prepared = typeof changes === 'function' ? changes : await checkAll(changes, field);
  return applyChanges(deps, projectId, { by, kind: 'change', undoes: null }, async (trx) => {
    const made = { origin, made_by: by.name, made_at: new Date(deps.clock.now()).toISOString() };
    const checked = typeof prepared === 'function' ? await checkAll(await prepared(trx), field) : prepared;
    const before = await readStates(trx, projectId, checked);
    return mapYielding(checked, (change): StateChange => {
      const { path, kind, action, target } = change;
      const stored = before.get(change.key) ?? null;
      const after = action === 'remove' ? null : { path, kind, action, target, ...listedTermsOf(change), ...made };
      // The change says the same for another spelling of the path: the stored rule stays, and is listed in both
      // spellings.
      const isSame = stored !== null && rulesEqual(stored, after);
      return { scope: change, before: stored, after: isSame ? inSpelling(stored, path) : after };
    });
  });
}

/**
 * Checks changes. Of several changes for one path, the last one counts; with the `field` "rules", each must be for
 * another path.
 * @throws ApiError invalid_request
 */
async function checkAll(changes: readonly RuleChange[], field: string): Promise<CheckedChange[]> {
  if (changes.length === 0 || changes.length > MAX_CHANGES)
    throw invalid('changes', `changes must be 1 to ${MAX_CHANGES}.`);
  const checked = new Map<string, CheckedChange>();
  const places = new Map<string, string>();
  await mapYielding(changes, (unchecked, at) => {
    const place = field === '' ? '' : `${field}.${at}`;
    const change = checkChange(unchecked, place);
    const first = places.get(change.key);
    if (field === 'rules' && first !== undefined)
      throw invalid(`${place}.path`, `${place}.path is for the same as ${first}.`);
    places.set(change.key, place);
    checked.set(change.key, change);
  });
  return [...checked.values()];
}

/**
 * Restores the rules that a change replaced. That is a change, too, and can be undone.
 * @throws ApiError not_found; invalid_request with `details.conflicts`, the paths that were changed since
 */
export async function undoChange(deps: RuleDeps, projectId: string, changeId: number, by: Actor): Promise<Changed> {
  if (!Number.isInteger(changeId) || changeId < 1 || changeId > 0x7fff_ffff)
    throw invalid('change_id', 'change_id must be the number of a change.');
  const { changed } = await applyChanges(deps, projectId, { by, kind: 'undo', undoes: changeId }, async (trx) => {
    const change = await readRuleChange(trx, projectId, changeId);
    if (!change) throw new ApiError('not_found', { message: `There is no change ${changeId}.` });
    if (change.undone_by !== null)
      throw invalid('change_id', `Change ${changeId} was undone by change ${change.undone_by} already.`);
    const scopes = await mapYielding(change.rules, ({ path, before, after }) => {
      const { path: rulePath = path, kind = 'exact', host = null } = before ?? after ?? {};
      return scopeOf(rulePath, kind, host);
    });
    const now = await readStates(trx, projectId, scopes);
    const present = (scope: RuleScope): RuleState | null => now.get(scope.key) ?? null;
    const conflicts = change.rules.flatMap(({ path, after }, at) => {
      const current = present(scopes[at] as RuleScope);
      // A page that was pushed to a path deleted the rule that marks the path as gone. That does not count as a
      // conflict.
      return rulesEqual(current, after) || (current === null && after?.action === 'gone') ? [] : [path];
    });
    if (conflicts.length > 0)
      throw new ApiError('invalid_request', {
        message: `Change ${changeId} cannot be undone: ${conflicts.length === 1 ? 'a rule that it made was' : `${conflicts.length} rules that it made were`} changed since, ${conflicts[0] ?? ''} first. Undo the later changes before.`,
        param: 'change_id',
        details: { conflicts },
      });
    // The change that the undone one had undone is in force again, and can be undone anew.
    if (change.undoes !== null) await markUndone(trx, projectId, change.undoes, null);
    return change.rules.map(({ before }, at): StateChange => {
      const scope = scopes[at] as RuleScope;
      return { scope, before: present(scope), after: before };
    });
  });
  return changed;
}

/**
 * Stores the changes that `plan` returns, with an entry in the history. `plan` runs under the lock of `lockRedirects`.
 * @param done runs in the same transaction, after the rules are stored
 */
export async function applyChanges(
  deps: RuleDeps,
  projectId: string,
  { by, kind, undoes }: { by: Actor; kind: ChangeKind; undoes: number | null },
  plan: (trx: Trx) => Promise<StateChange[]>,
  done: (trx: Trx) => Promise<void> = () => Promise.resolve(),
): Promise<Applied> {
  checkName(by.name);
  const tenant = deps.tenants.of(projectId);
  const { planned, changed, change_id } = await inTransaction(tenant.db, async (trx) => {
    await lockRedirects(trx, projectId);
    const planned = (await plan(trx)).map((change) => ({ ...change, isSame: rulesEqual(change.before, change.after) }));
    const changed = planned.filter(({ isSame }) => !isSame);
    // These only add a spelling to a rule. No answer changes, so that there is nothing to undo.
    const respelled = planned.filter(
      ({ before, after, isSame }) => isSame && before?.spellings?.length !== after?.spellings?.length,
    );
    await storeStates(trx, projectId, [...respelled, ...changed]);
    await done(trx);
    if (changed.length === 0) return { planned, changed, change_id: null };
    const change_id = await insertRuleChange(trx, projectId, {
      changed_at: new Date(deps.clock.now()),
      changed_by: by.name,
      kind,
      undoes,
      rules: changed.map(({ scope, before, after }) => ({ path: sourceOf(scope), before, after })),
    });
    if (undoes !== null) await markUndone(trx, projectId, undoes, change_id);
    await bumpIndexVersion(trx, projectId);
    return { planned, changed, change_id };
  });
  const rules = planned.filter(({ before, after }) => before !== null || after !== null);
  const result = { change_id, changed: changed.length, unchanged: planned.length - changed.length };
  if (changed.length === 0) return { changed: result, rules };
  // This is outside the transaction, whose role is a tenant's. The history of rules is inside, and names who changed
  // what, too.
  const names = undoes === null ? changed.map(({ scope }) => sourceOf(scope)).join(' ') : `change ${undoes}`;
  await recordChange(deps.db, by, await findProject(deps.db, projectId), ACTIONS[kind], names);
  if (changed.some(({ before, after }) => before?.action === 'redirect' || after?.action === 'redirect'))
    await learnSectionRedirects(tenant);
  else await coverAllPaths(tenant);
  await deps.indexChanges.committedAndVisible(projectId);
  return { changed: result, rules };
}

function inSpelling(rule: RuleState, path: string): RuleState {
  if (formOf(rule.kind, rule.path, rule.target) === 'pattern') return rule;
  const ofWildcard = (text: string): string => (rule.kind === 'exact' ? text : text.slice(0, -1));
  return { ...rule, spellings: addSpellings(ofWildcard(rule.path), rule.spellings ?? [], [ofWildcard(path)]) };
}

/** @throws ApiError invalid_request */
export function checkName(by: string): void {
  checkStorable(by, 'by');
  if (by.trim() === '' || by.length > MAX_NAME) throw invalid('by', `by must have 1 to ${MAX_NAME} characters.`);
}

/** Deletes the rules that mark these paths as gone, because pages appeared there. */
export async function onPagesCreated(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<void> {
  await deleteGone(trx, projectId, pathKeys);
}
