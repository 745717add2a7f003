import type { Trx } from '../platform/database/db.js';
import { storeGonePaths } from './store/gone-paths.js';
import { MAX_REDIRECTS, storeRedirects } from './store/redirects.js';
import { deleteRules, readRules, storeIgnoredPaths, type RuleRow } from './store/rules.js';
import { MAX_WILDCARDS, storeWildcard, type WildcardInput } from './store/wildcard-redirects.js';
import { invalid } from '../base/errors.js';
import type { Made, RuleAction, RuleKind, RuleOrigin } from '../base/glossary.js';
import { toBareWildcard, toGonePath, toRedirectInput, toWildcardInput } from './rule-keys.js';
import { readTarget } from '../rule-formats/read-redirect.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';
import type { RuleScope } from './rule.js';

/** All that it takes to store a rule again. */
export interface RuleState {
  path: string;
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
  origin: RuleOrigin;
  made_by: string | null;
  /** ISO 8601. */
  made_at: string;
  /** In what other ways its path was listed; of wildcards up to the star. Absent from changes of earlier releases. */
  spellings?: string[];
  /** Of a confirmed proposal. Absent from changes of earlier releases. */
  confidence?: number | null;
}

/** A rule as it was before and as it is to be; null: none. */
export interface StateChange {
  scope: RuleScope;
  before: RuleState | null;
  after: RuleState | null;
}

/** The rules of these scopes, by key. */
export async function readStates(
  trx: Trx,
  projectId: string,
  scopes: readonly RuleScope[],
): Promise<Map<string, RuleState>> {
  const rows = await readRules(trx, projectId, lookUpsOf(scopes));
  return new Map(rows.map((row) => [row.key, toState(row)]));
}

function lookUpsOf(scopes: readonly RuleScope[]): { keys: Buffer[]; prefixes: string[] } {
  return {
    keys: scopes.flatMap(({ key, oldPrefix }) => (oldPrefix === undefined ? [Buffer.from(key, 'hex')] : [])),
    prefixes: scopes.flatMap(({ oldPrefix }) => oldPrefix ?? []),
  };
}

export function toState({
  made_at,
  path,
  kind,
  action,
  target,
  origin,
  made_by,
  confidence,
  spellings,
}: RuleRow): RuleState {
  return { path, kind, action, target, origin, made_by, made_at: made_at.toISOString(), confidence, spellings };
}

type SaidRule = Pick<RuleState, 'kind' | 'action' | 'target'>;

/** Whether two rules of one scope say the same. */
export function saysTheSame(a: SaidRule | null, b: SaidRule | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.action !== b.action) return false;
  if (a.target === null || b.target === null) return a.target === b.target;
  const [one, other] = [targetOf(a.kind, a.target), targetOf(b.kind, b.target)];
  // A redirect that was written with a path alone has its page's whole url as soon as the page is there.
  return one.key === other.key && (one.host === other.host || one.host === null || other.host === null);
}

function targetOf(kind: RuleKind, target: string): { key: string; host: string | null } {
  const keepsRest = kind !== 'exact' && target.endsWith(':splat');
  const bare = keepsRest ? target.slice(0, -':splat'.length) : target;
  const url = parsePageUrl(bare);
  return { key: `${pathKey(url?.path ?? bare).toString('hex')} ${keepsRest}`, host: url?.host ?? null };
}

/**
 * Stores rules in place of those that their scopes had. The caller holds the lock on moves.
 * @throws ApiError invalid_request if the project has too many wildcards
 */
export async function storeStates(trx: Trx, projectId: string, changes: readonly StateChange[]): Promise<void> {
  await deleteRules(trx, projectId, lookUpsOf(changes.map(({ scope }) => scope)));
  const byMade = new Map<string, RuleState[]>();
  for (const { after } of changes) {
    if (after === null) continue;
    const id = JSON.stringify([after.origin, after.made_by, after.made_at]);
    byMade.set(id, [...(byMade.get(id) ?? []), after]);
  }
  for (const states of byMade.values()) {
    const [first] = states;
    if (!first) continue;
    const made: Made = { origin: first.origin, by: first.made_by, at: new Date(first.made_at) };
    await storeAlike(trx, projectId, states, made);
  }
}

async function storeAlike(trx: Trx, projectId: string, states: readonly RuleState[], made: Made): Promise<void> {
  const exact = states.filter(({ kind }) => kind === 'exact');
  const of = (action: RuleAction): RuleState[] => exact.filter((one) => one.action === action);
  const redirects = exact.flatMap(({ path, target, spellings }) =>
    target === null
      ? []
      : [toRedirectInput({ oldPath: path, target: readTarget(target) ?? { path: target } }, spellings)],
  );
  for (let at = 0; at < redirects.length; at += MAX_REDIRECTS)
    await storeRedirects(trx, projectId, redirects.slice(at, at + MAX_REDIRECTS), made);
  const gone = of('gone').map(({ path, spellings }) => toGonePath(path, spellings));
  if (gone.length > 0) await storeGonePaths(trx, projectId, gone, made);
  const ignored = of('ignore').map(({ path }) => ({ path, key: pathKey(path) }));
  if (ignored.length > 0) await storeIgnoredPaths(trx, projectId, ignored, made);
  for (const state of states)
    if (
      state.kind !== 'exact' &&
      (await storeWildcard(
        trx,
        projectId,
        { ...toWildcard(state), spellings: state.spellings ?? [] },
        { ...made, confidence: state.confidence },
      )) === 'full'
    )
      throw invalid('path', `the project has ${MAX_WILDCARDS} wildcards, and may have no more.`);
}

export function toWildcard({ path, action, target }: Pick<RuleState, 'path' | 'action' | 'target'>): WildcardInput {
  const oldPath = path.slice(0, -1);
  if (target === null) return toBareWildcard(action, oldPath);
  const keepsRest = target.endsWith(':splat');
  const bare = keepsRest ? target.slice(0, -':splat'.length) : target;
  return toWildcardInput({ oldPath, target: readTarget(bare) ?? { path: bare }, keepsRest });
}
