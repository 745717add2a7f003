import { onlyGiven } from '../rule-formats/read/read-rule.js';
import { listRuleChanges, readRuleChange, type RuleChangeRow } from './store/rule-history.js';
import { listRuleRows, type RuleFilter } from './store/rules.js';
import { ApiError, invalid } from '../base/errors.js';
import type { RuleAction } from '../base/glossary.js';
import { isId, readCursor, writeCursor } from '../base/cursor.js';
import { checkStorable } from '../base/validate.js';
import type { RuleDeps } from './rule.js';
import type { RuleState } from './rule-states.js';
import type { ListedTerms } from './rule-meaning.js';

export interface Page {
  /** The `next_cursor` of the answer before. */
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** The action, target and terms of a rule, as a list shows them; null: there is no rule. */
export type RuleSummary = ({ action: RuleAction; target: string | null } & Partial<ListedTerms>) | null;

export interface Change extends Omit<RuleChangeRow, 'rules'> {
  /** The number of rules that the change is about; `rules` may have fewer. */
  count: number;
  rules: { path: string; before: RuleSummary; after: RuleSummary }[];
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;
/** The maximum number of rules of each change that a list shows. */
const SHOWN = 5;

/**
 * Lists a project's rules in the order of their paths.
 * @throws ApiError invalid_request
 */
export async function listRules(deps: RuleDeps, projectId: string, { cursor, limit, ...filter }: RuleFilter & Page) {
  checkStorable(filter.search, 'search');
  checkStorable(filter.host, 'host');
  const max = readLimit(limit);
  const place = cursor === undefined ? undefined : readCursor(cursor, (value) => typeof value === 'string');
  const [key = '', path = ''] = place === undefined ? [] : [place.slice(0, 64), place.slice(64)];
  const after = place === undefined ? undefined : { key, path };
  const { db } = deps.tenants.of(projectId);
  const listed = await listRuleRows(db, projectId, filter, after, max + 1);
  const rows = listed.slice(0, max);
  return {
    rules: rows,
    next_cursor: listed.length > max ? writeCursor(`${rows.at(-1)?.key ?? ''}${rows.at(-1)?.path ?? ''}`) : null,
  };
}

/**
 * Lists the changes that people made to rules, the latest first, each with its first few rules.
 * @throws ApiError invalid_request
 */
export async function listChanges(deps: RuleDeps, projectId: string, { cursor, limit }: Page) {
  const max = readLimit(limit);
  const before = cursor === undefined ? undefined : readCursor(cursor, isId);
  const { db } = deps.tenants.of(projectId);
  const listed = await listRuleChanges(db, projectId, before, max + 1, SHOWN);
  const rows = listed.slice(0, max);
  return {
    changes: rows.map(toChange),
    next_cursor: listed.length > max ? writeCursor(rows.at(-1)?.change_id) : null,
  };
}

/**
 * Reads a change with all of its rules.
 * @throws ApiError not_found
 */
export async function readChange(deps: RuleDeps, projectId: string, changeId: number): Promise<Change> {
  const { db } = deps.tenants.of(projectId);
  const row = isId(changeId) ? await readRuleChange(db, projectId, changeId) : undefined;
  if (!row) throw new ApiError('not_found', { message: `There is no change ${changeId}.` });
  return toChange({ ...row, count: row.rules.length });
}

export function toChange(row: RuleChangeRow & { count: number }): Change {
  const rules = row.rules.map(({ path, before, after }) => ({
    path,
    before: summarize(before),
    after: summarize(after),
  }));
  return { ...row, rules };
}

function summarize(state: RuleState | null): RuleSummary {
  if (state === null) return null;
  const { action, target, code, pass_query, valid_from, valid_until } = state;
  return { action, target, ...onlyGiven({ code, pass_query, valid_from, valid_until }) };
}

/** @throws ApiError invalid_request */
export function readLimit(limit = DEFAULT_LIMIT): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalid('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
