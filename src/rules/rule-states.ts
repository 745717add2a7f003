import type { Trx } from '../platform/database/db.js';
import { readRules, type RuleRow } from './store/rules.js';
import { countRoom, deleteRules, MAX_WILDCARDS, writeRules } from './store/store-rules.js';
import { mapYielding } from '../base/map-yielding.js';
import { invalid } from '../base/errors.js';
import type { RuleOrigin } from '../base/glossary.js';
import { ruleOf } from './rule-keys.js';
import { listedTermsOf, type RuleMeaning } from './rule-meaning.js';
import type { RuleScope } from './rule.js';

/** All fields that are needed to store a rule again. */
export interface RuleState extends RuleMeaning {
  origin: RuleOrigin;
  made_by: string | null;
  /** The moment when the rule was made, in ISO 8601. */
  made_at: string;
  /** The other spellings in which its path was listed; those of a wildcard end before the star. */
  spellings?: string[];
  /** The confidence of the proposal from which the rule was made; null or absent for other rules. */
  confidence?: number | null;
}

/** A rule before and after a change; null: there is no rule. */
export interface StateChange {
  scope: RuleScope;
  before: RuleState | null;
  after: RuleState | null;
}

/** Reads the rules of these scopes, by key. */
export async function readStates(trx: Trx, projectId: string, scopes: readonly RuleScope[]) {
  const rows = await readRules(trx, projectId, scopes.map(keyOf));
  return new Map(rows.map((row): [string, RuleState] => [row.key, toState(row)]));
}

const keyOf = ({ key }: RuleScope): Buffer => Buffer.from(key, 'hex');

function toState(row: RuleRow): RuleState {
  const { path, kind, action, target, origin, made_by, confidence, spellings } = row;
  const state = { path, kind, action, target, origin, made_by, confidence, spellings };
  return { ...state, made_at: row.made_at.toISOString(), ...listedTermsOf(row) };
}

/**
 * Stores rules in place of those that their scopes had. The caller holds the lock of `lockRedirects`.
 * @throws ApiError invalid_request if the project has too many wildcards and patterns
 */
export async function storeStates(trx: Trx, projectId: string, changes: readonly StateChange[]): Promise<void> {
  const keys = changes.map(({ scope }) => keyOf(scope));
  await deleteRules(trx, projectId, keys);
  const stored = await mapYielding(changes, ({ scope: { field = 'path' }, after }) => {
    if (after === null) return [];
    const { origin, made_by: by, made_at, confidence } = after;
    return [{ ...ruleOf(after), field, made: { origin, by, at: new Date(made_at), confidence } }];
  });
  const rules = stored.flat();
  const wildcards = rules.filter(({ kind }) => kind !== 'exact');
  const tooMany = wildcards.length > 0 ? wildcards[Math.max(0, await countRoom(trx, projectId))] : undefined;
  if (tooMany)
    throw invalid(tooMany.field, `${tooMany.field}: a project may have ${MAX_WILDCARDS} wildcards and patterns.`);
  await writeRules(trx, projectId, rules);
}
