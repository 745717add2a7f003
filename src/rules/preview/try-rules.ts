import { readNotFounds, type StoredNotFounds, type TimeRange, findIndexedUrls } from '../store/page-urls.js';
import { mapYielding } from '../../base/map-yielding.js';
import { invalid } from '../../base/errors.js';
import type { RuleAction } from '../../base/glossary.js';
import { MAX_CHANGES } from '../change-rules.js';
import { openRuleMatcher, type FollowedPath, type LookupAnswer } from './rule-matcher.js';
import { checkChange, type CheckedChange, type RuleChange, type RuleDeps } from '../rule.js';
import { pathKey } from '../../text/paths/plain-path.js';

/** The numbers of stored 404s that were looked at. */
export interface Stored {
  days: number;
  paths: number;
  requests: number;
  /** Whether there are more paths than were looked at: these are the most frequent ones. */
  cut: boolean;
}

/** The stored 404s that a rule answers. */
export interface Answers {
  paths: number;
  requests: number;
  /** The most frequent paths. `to`: where the rule leads; null: the path is gone. */
  examples: { path: string; requests: number; to: string | null }[];
}

export interface RuleTestResult {
  stored: Stored;
  answered: { paths: number; requests: number };
  /** The rules that answer, by the number of requests. */
  rules: { path: string; action: RuleAction; target: string | null; paths: number; requests: number }[];
  /** The paths that are answered, the most frequent first. */
  rows: { path: string; requests: number; rule: string; action: RuleAction; to: string | null }[];
}

export const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const MAX_EXAMPLES = 5;
const DAY_MS = 86_400_000;

/**
 * Finds the stored 404s of the last days, or of a time range, that the rules answer, with some changes as if they were
 * made. Changes nothing.
 * @throws ApiError invalid_request
 */
export async function tryRules(
  deps: RuleDeps,
  projectId: string,
  {
    days = DEFAULT_DAYS,
    changes = [],
    range,
  }: { days?: number | undefined; changes?: readonly RuleChange[]; range?: TimeRange },
): Promise<RuleTestResult> {
  const { paths, cut } = range
    ? await readNotFounds(deps.db, projectId, range)
    : await readStored(deps, projectId, days);
  const checked = await checkChanges(changes);
  const matcher = await openRuleMatcher(deps.tenants.of(projectId), checked);
  const rows: RuleTestResult['rows'] = [];
  const byRule = new Map<string, RuleTestResult['rules'][number]>();
  const followed = await matcher.followAll(paths.map(({ path }) => path));
  for (const [at, { path, requests }] of paths.entries()) {
    const answer = followed[at]?.answer;
    if (!answer) continue;
    const { key, path: rulePath, action, target } = answer.rule;
    rows.push({ path, requests, rule: rulePath, action, to: answer.to });
    const sum = byRule.get(key) ?? { path: rulePath, action, target, paths: 0, requests: 0 };
    byRule.set(key, { ...sum, paths: sum.paths + 1, requests: sum.requests + requests });
  }
  return {
    stored: describeStored({ paths, cut }, days),
    answered: { paths: rows.length, requests: sumOf(rows) },
    rules: [...byRule.values()].sort((a, b) => b.requests - a.requests || (a.path < b.path ? -1 : 1)),
    rows,
  };
}

/**
 * Finds the rule that each path falls under, in the order of the paths. Rules that ignore a path count, too.
 * @throws ApiError invalid_request
 */
export async function findRules(deps: RuleDeps, projectId: string, paths: readonly string[]) {
  if (paths.length > MAX_CHANGES) throw invalid('paths', `paths must be ${MAX_CHANGES} at most.`);
  return (await openRuleMatcher(deps.tenants.of(projectId))).findAll(paths);
}

/** @throws ApiError invalid_request */
export async function checkChanges(changes: readonly RuleChange[]): Promise<CheckedChange[]> {
  if (changes.length > MAX_CHANGES) throw invalid('changes', `changes must be ${MAX_CHANGES} at most.`);
  return mapYielding(changes, (change, at) => checkChange(change, `changes.${at}`));
}

/** @throws ApiError invalid_request */
export async function readStored(deps: RuleDeps, projectId: string, days: number): Promise<StoredNotFounds> {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    throw invalid('days', `days must be a whole number from 1 to ${MAX_DAYS}.`);
  return readNotFounds(deps.db, projectId, { since: new Date(deps.clock.now() - days * DAY_MS) });
}

export function describeStored({ paths, cut }: StoredNotFounds, days: number): Stored {
  return { days, paths: paths.length, requests: sumOf(paths), cut };
}

function sumOf(rows: readonly { requests: number }[]): number {
  return rows.reduce((sum, { requests }) => sum + requests, 0);
}

/** Counts, by the rule's key, the 404s that each rule answers. */
export function countAnswers(paths: StoredNotFounds['paths'], followed: readonly FollowedPath[]): Map<string, Answers> {
  return sumAnswers(paths, followed, ({ answer }) => answer);
}

/**
 * Counts, by the rule's key, the 404s that redirects take though they lead to no page: a server would send visitors
 * there.
 */
export function countMisses(paths: StoredNotFounds['paths'], followed: readonly FollowedPath[]): Map<string, Answers> {
  return sumAnswers(paths, followed, ({ rule, target, answer }) =>
    rule?.action !== 'redirect' || answer?.rule.key === rule.key ? undefined : { rule, to: target ?? null },
  );
}

function sumAnswers(
  paths: StoredNotFounds['paths'],
  followed: readonly FollowedPath[],
  takenBy: (followedPath: FollowedPath) => LookupAnswer | undefined,
): Map<string, Answers> {
  const answers = new Map<string, Answers>();
  for (const [at, { path, requests }] of paths.entries()) {
    const taken = followed[at] && takenBy(followed[at]);
    if (!taken) continue;
    const sum = answers.get(taken.rule.key) ?? { paths: 0, requests: 0, examples: [] };
    if (sum.examples.length < MAX_EXAMPLES) sum.examples.push({ path, requests, to: taken.to });
    answers.set(taken.rule.key, { ...sum, paths: sum.paths + 1, requests: sum.requests + requests });
  }
  return answers;
}

/** Finds the missing paths, of 1,000 at most, that have neither a rule nor an indexed page. */
export async function findUndecided<Row extends { path: string }>(
  deps: RuleDeps,
  projectId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const paths = rows.map(({ path }) => path);
  const rules = await findRules(deps, projectId, paths);
  const keys = paths.map(pathKey);
  const live = new Set((await findIndexedUrls(deps.tenants.of(projectId).db, projectId, keys)).map(({ key }) => key));
  return rows.filter((_, at) => !rules[at] && !live.has(keys[at]?.toString('hex') ?? ''));
}
