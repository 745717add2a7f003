import type { PathRule } from './store/rules-of-path.js';
import {
  fillTarget,
  hasPattern,
  literalLength,
  matchPathPattern,
  parsePathPattern,
  type PathMatching,
} from '../rule-formats/path-pattern.js';
import { partsOfTarget, restBelow, type TargetParts } from '../rule-formats/read-redirect.js';
import { comparedQuery, hasNumberPlaceholder } from '../text/paths/plain-path.js';
import { differsInCase, differsInSlash } from '../text/paths/compare-spelling.js';
import type { RuleCode } from '../rule-formats/read/read-rule.js';
import { hasParameters, type CompiledPattern, type RequestedPath, type OrderedRule } from './requested-path.js';

/** The rule that decides about a dead path. */
export interface MatchedRule extends TargetParts {
  action: 'redirect' | 'gone';
  /** The rule's key, as in rule_hits.rule_key. */
  key: Buffer;
  /**
   * The indexed page that the rule leads to, perhaps over other rules; undefined: the path is gone, or there is no
   * page.
   */
  pageId: string | undefined;
  /** The old prefix of a wildcard, or the text of a pattern; undefined: a rule of the path itself. */
  oldPrefix: string | undefined;
  isPattern?: true;
  /** The address on another host that it leads to. Without it and without a page, a redirect waits for its page. */
  leadsTo?: string;
  code: RuleCode;
  passQuery: boolean;
}

/** A rule of a path as it is found: with its page, or with the address that its owner wrote. */
export interface FoundRule extends MatchedRule {
  target?: string | undefined;
  /** Whether the page of its target exists and is not indexed yet. */
  isPending?: boolean;
}

/**
 * Sorts the rules that hold for a path in the order in which they are obeyed. Rules of its host come before rules of
 * any host; where the host is not known, those of any host come first. Then rules of the path itself come first, those
 * with its parameters before those without; then wildcards, those with numbers last; then patterns. Of these, a longer
 * one comes before a shorter one. While a redirect of the path itself waits for its page, no wildcard or pattern makes
 * the path gone, unless it is for a nearer host.
 * @param matching the project's settings for case and slash
 */
export function orderRules<Rule extends OrderedRule>(
  rules: readonly Rule[],
  requested: RequestedPath,
  matching?: PathMatching,
): Rule[] {
  if (rules.length === 0) return [];
  const places = new Map(requested.ruleKeys.map((key, at) => [key.toString('hex'), at]));
  const holding = rules.filter((rule) => holds(rule, requested, matching));
  const redirects = holding.filter((rule) => tierOf(rule) === 0 && rule.action === 'redirect');
  const redirected = Math.min(...redirects.map((rule) => hostOrder(rule, requested)));
  const placeOf = (rule: Rule): number[] => [
    hostOrder(rule, requested),
    tierOf(rule),
    ...(rule.pattern?.place ?? [rule.prefix === null ? (places.get(rule.plain) ?? 0) : -rule.prefix.length]),
  ];
  return holding
    .filter((rule) => tierOf(rule) === 0 || rule.action !== 'gone' || hostOrder(rule, requested) < redirected)
    .map((rule) => ({ rule, place: placeOf(rule) }))
    .sort((a, b) => {
      const at = a.place.findIndex((place, n) => place !== b.place[n]);
      return at < 0 ? byHost(a.rule, b.rule) : (a.place[at] ?? 0) - (b.place[at] ?? 0);
    })
    .map(({ rule }) => rule);
}

function tierOf({ prefix, pattern }: OrderedRule): number {
  if (pattern !== null) return 3;
  return prefix === null ? 0 : hasNumberPlaceholder(prefix) ? 2 : 1;
}

function hostOrder({ host }: OrderedRule, { hosts }: RequestedPath): number {
  if (hosts.length === 0) return Number(host !== null);
  return host === null ? hosts.length : hosts.indexOf(host);
}

const byHost = (a: OrderedRule, b: OrderedRule): number => ((a.host ?? '') < (b.host ?? '') ? -1 : 1);

/** Tells whether a rule that was found by a path's keys holds for its host, case, slash and query. */
function holds(rule: OrderedRule, { raw, parts, hosts, query }: RequestedPath, matching?: PathMatching): boolean {
  if (rule.host !== null && hosts.length > 0 && !hosts.includes(rule.host)) return false;
  if (rule.pattern !== null) {
    const { path, query: wanted } = rule.pattern;
    return path !== undefined && hasParameters(query, wanted) && hasPattern(path, parts, matching);
  }
  if (!matching?.byCase && !matching?.bySlash) return true;
  const isBelow = rule.prefix !== null;
  return [isBelow ? rule.path.slice(0, -1) : rule.path, ...rule.spellings].some(
    (written) =>
      !(matching.byCase && differsInCase(raw, written, isBelow)) &&
      !(matching.bySlash && !isBelow && differsInSlash(raw, written)),
  );
}

/** Compiles a pattern. This is done once: each of 10,000 missing paths may be compared with a thousand patterns. */
export function compilePattern(text: string): CompiledPattern {
  const [path = '', query = ''] = text.split('?', 2);
  const parsed = parsePathPattern(path);
  return {
    text,
    path: 'refused' in parsed ? undefined : parsed,
    query: comparedQuery(query),
    // A pattern that names parameters comes first, then one with more literal text, then one with `:number`.
    place: [Number(!text.includes('?')), -literalLength(text), Number(!text.includes(':number'))],
  };
}

/**
 * The maximum number of rules of a path that are followed, in addition to its own: a thousand patterns may match, and
 * each may lead nowhere.
 */
export const MAX_TRIED = 50;

/** Finds the rules that a search obeys, in their order. */
export function matchRules<Rule extends PathRule>(requested: RequestedPath, rules: readonly Rule[]) {
  const { path_case, path_slash } = rules[0] ?? {};
  const matching = { byCase: path_case === 'matters', bySlash: path_slash === 'matters' };
  const inForce = rules.filter((rule) => rule.in_force);
  return orderRules(inForce, requested, matching)
    .filter((rule, at) => at < MAX_TRIED || tierOf(rule) === 0)
    .map((rule) => toFoundRule(requested, rule, matching));
}

function toFoundRule<Rule extends PathRule>(
  requested: RequestedPath,
  rule: Rule,
  matching: PathMatching,
): FoundRule & { by: Rule } {
  const { key, prefix, pattern, action, target, page_id, code, pass_query } = rule;
  // The target is filled only when the rule is followed: all targets of a path may have a megabyte.
  let filled: string | undefined;
  const written = (): string => (target === null ? '' : (filled ??= filledTarget(target, requested, rule, matching)));
  return {
    by: rule,
    action,
    key: Buffer.from(key, 'hex'),
    pageId: page_id ?? undefined,
    oldPrefix: prefix ?? pattern?.text,
    ...(pattern === null ? {} : { isPattern: true }),
    code: code ?? (action === 'gone' ? 410 : 301),
    passQuery: pass_query,
    get query() {
      return partsOfTarget(written()).query;
    },
    get section() {
      return partsOfTarget(written()).section;
    },
    get target() {
      return target === null || page_id !== null ? undefined : written();
    },
    isPending: rule.is_pending,
  };
}

/** The target of a rule, in which parts of the path replace `:splat` and the placeholders. */
export function filledTarget(
  target: string,
  { raw, parts }: RequestedPath,
  { prefix, pattern }: Pick<OrderedRule, 'prefix' | 'pattern'>,
  matching?: PathMatching,
): string {
  if (pattern !== null)
    return fillTarget(target, (pattern.path && matchPathPattern(pattern.path, parts, matching)) ?? new Map());
  return prefix === null ? target : target.replace(/\/:splat$/, () => `/${restBelow(raw, prefix)}`);
}

/** Whether now is between the dates of a rule. */
export function isInForce({
  valid_from: from,
  valid_until: until,
}: Partial<Record<'valid_from' | 'valid_until', Date | string | null>>): boolean {
  const now = Date.now();
  return (from == null || new Date(from).getTime() <= now) && (until == null || new Date(until).getTime() > now);
}
