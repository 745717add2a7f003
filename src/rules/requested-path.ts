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

/** A dead path with all by which its rules are looked up. */
export interface RequestedPath extends RedirectKeys {
  /** As the visitor's browser sent it. */
  raw: string;
  /** The host that was asked, and the same with or without `www.`; none where it is not known. */
  hosts: readonly string[];
  /** As {@link comparedQuery} gives it. */
  query: string;
  /** The keys of its rules: with its parameters, with some of them, without any; the more exact first. */
  ruleKeys: readonly Buffer[];
  /** Its segments as patterns compare them. */
  parts: readonly string[];
  /** The look-up keys of patterns. */
  starts: readonly string[];
}

/** A pattern as paths are compared with it. */
export interface CompiledPattern {
  text: string;
  /** Undefined: nothing matches it. */
  path: PathPattern | undefined;
  /** It is as {@link comparedQuery} gives it. */
  query: string;
  /** Patterns are compared by the first number, then by the second, and so on. */
  place: readonly number[];
}

/** What the order of rules depends on. */
export interface OrderedRule {
  /** Of its path, in hexadecimal: without the host. */
  plain: string;
  /** Of all below a path. */
  prefix: string | null;
  /** Of a pattern other than these. */
  pattern: CompiledPattern | null;
  path: string;
  spellings: readonly string[];
  host: string | null;
  action: RuleAction;
}

/** Of a query string with more parameters, a rule that names some of them is found only by the first so many. */
const MAX_PARAMETERS = 8;
/** A rule that names more of them holds where they are all that there are. */
const MAX_NAMED = 3;

export function parseRequestedPath(
  raw: string,
  host: string | null = null,
  plain: PlainPath = plainPath(raw),
): RequestedPath {
  const { query, segments } = plain;
  const redirects = redirectKeys(plain);
  // Those of learned redirects are with all parameters and without any.
  const between = partsOf(query).map((one) => hashPlainPath(`${joinSegments(segments)}?${one}`));
  const ruleKeys = hasName(raw) ? [...redirects.keys.slice(0, -1), ...between, ...redirects.keys.slice(-1)] : [];
  const parts = pathParts(raw);
  const hosts = hostsOf(host ?? hostIn(raw));
  return { ...redirects, raw, hosts, query, ruleKeys, parts, starts: startsOf(parts) };
}

/** Some of the parameters of a query string, by which rules are looked up, more of them first. */
function partsOf(query: string): string[] {
  if (!query.includes('&')) return [];
  const parameters = query.split('&').slice(0, MAX_PARAMETERS);
  let sets: string[][] = [[]];
  for (const one of parameters)
    sets = [...sets, ...sets.filter((set) => set.length < MAX_NAMED).map((set) => [...set, one])];
  const longerFirst = sets.sort((a, b) => b.length - a.length).map((set) => set.join('&'));
  return [...new Set(longerFirst)].filter((one) => one !== '' && one !== query);
}

function hostsOf(host: string | undefined): string[] {
  if (host === undefined) return [];
  const own = withoutDot(host);
  return [own, own.startsWith('www.') ? own.slice(4) : `www.${own}`];
}

/** Whether a query string has all parameters of another; both as {@link comparedQuery} gives them. */
export function hasParameters(query: string, wanted: string): boolean {
  const there = query.split('&');
  return wanted === '' || wanted.split('&').every((one) => there.includes(one));
}
