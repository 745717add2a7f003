import type { RuleAction } from '../base/glossary.js';
import { pathParts, startsOf, type PathPattern } from '../rule-formats/path-pattern.js';
import { hasName } from '../rule-formats/read-redirect.js';
import { hostIn, withoutDot } from '../rule-formats/read/source-address.js';
import {
  hashPlainPath,
  joinSegments,
  redirectKeys,
  plainPath,
  type RedirectKeys,
  type PlainPath,
} from '../text/paths/plain-path.js';

/** A dead path with all keys by which its rules are looked up. */
export interface RequestedPath extends RedirectKeys {
  /** The path as the visitor's browser sent it. */
  raw: string;
  /** The requested host, then the same host with or without `www.`; empty if the host is not known. */
  hosts: readonly string[];
  /** The query string of the path, as {@link comparedQuery} returns it. */
  query: string;
  /** The keys of the path's rules: with its parameters, with some of them, without any; the more exact first. */
  ruleKeys: readonly Buffer[];
  /** The path's segments as patterns compare them. */
  parts: readonly string[];
  /** The look-up keys of the patterns that may match the path. */
  starts: readonly string[];
}

/** A pattern that was parsed, so that paths can be compared with it. */
export interface CompiledPattern {
  text: string;
  /** The path of the pattern; undefined: it cannot be parsed, and no path matches it. */
  path: PathPattern | undefined;
  /** The parameters that a path must have, as {@link comparedQuery} returns them. */
  query: string;
  /**
   * The place of the pattern in the order of rules. Patterns are compared by the first number, then by the second, and
   * so on; the lower one comes first.
   */
  place: readonly number[];
}

/** The fields of a rule on which the order of rules depends. */
export interface OrderedRule {
  /** The key of the rule's path without its host, in hexadecimal. */
  plain: string;
  /** The plain prefix of a wildcard; null for other rules. */
  prefix: string | null;
  /** The pattern of a rule that is not a wildcard; null for other rules. */
  pattern: CompiledPattern | null;
  path: string;
  spellings: readonly string[];
  host: string | null;
  action: RuleAction;
}

/**
 * The number of parameters of a query string by which rules that name only some of them are found. Later parameters
 * find no such rule.
 */
const MAX_PARAMETERS = 8;
/**
 * The maximum number of parameters of such a rule. A rule that names more holds only for a query string with exactly
 * these.
 */
const MAX_NAMED = 3;

export function parseRequestedPath(
  raw: string,
  host: string | null = null,
  plain: PlainPath = plainPath(raw),
): RequestedPath {
  const { query, segments } = plain;
  const redirects = redirectKeys(plain);
  // Learned redirects have keys with all parameters and without any; rules also have keys with some parameters.
  const between = partsOf(query).map((part) => hashPlainPath(`${joinSegments(segments)}?${part}`));
  const ruleKeys = hasName(raw) ? [...redirects.keys.slice(0, -1), ...between, ...redirects.keys.slice(-1)] : [];
  const parts = pathParts(raw);
  const hosts = hostsOf(host ?? hostIn(raw));
  return { ...redirects, raw, hosts, query, ruleKeys, parts, starts: startsOf(parts) };
}

/** Lists the sets of some parameters of a query string by which rules are looked up, the larger ones first. */
function partsOf(query: string): string[] {
  if (!query.includes('&')) return [];
  const parameters = query.split('&').slice(0, MAX_PARAMETERS);
  let sets: string[][] = [[]];
  for (const parameter of parameters)
    sets = [...sets, ...sets.filter((set) => set.length < MAX_NAMED).map((set) => [...set, parameter])];
  const longerFirst = sets.sort((a, b) => b.length - a.length).map((set) => set.join('&'));
  return [...new Set(longerFirst)].filter((part) => part !== '' && part !== query);
}

function hostsOf(host: string | undefined): string[] {
  if (host === undefined) return [];
  const hostName = withoutDot(host);
  return [hostName, hostName.startsWith('www.') ? hostName.slice(4) : `www.${hostName}`];
}

/** Whether a query string has all parameters of another; both as {@link comparedQuery} gives them. */
export function hasParameters(query: string, wanted: string): boolean {
  const there = query.split('&');
  return wanted === '' || wanted.split('&').every((parameter) => there.includes(parameter));
}
