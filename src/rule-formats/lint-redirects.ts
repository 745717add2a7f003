import { encodeTarget, formatSource, parseSource, type SourceAddress } from './read/source-address.js';
import { mapYielding } from '../base/map-yielding.js';
import type { RuleTerms } from './read/read-rule.js';
import { parsePageUrl } from '../text/page-url.js';
import { redirectKeys, pathKey, plainPath, targetKeys } from '../text/paths/plain-path.js';
import { atTarget, partsOfTarget, restBelow, wildcardPrefix } from './read-redirect.js';
import { openPatterns, type FindPattern } from './write/wildcards.js';
import { hasNumbers, isDated, isPlain, type AnyRule, type ExportGone } from './write/written-rule.js';

/** The other rules of a project, to which its redirects may lead. */
export interface RulesBehind {
  /** The wildcards and patterns, which redirect paths or mark them as gone. */
  below: readonly AnyRule[];
  gone: readonly ExportGone[];
  /**
   * The urls of indexed pages to which wildcards lead on the way, by path key in hexadecimal:
   * {@link lookUpEndsOfWildcards}.
   */
  pages: ReadonlyMap<string, string>;
}

/** A redirect as the project knows it. */
export interface KnownRedirect {
  path: string;
  /** The url of its page; while the redirect waits for a page, the target that the customer wrote. */
  url: string;
  /** Whether the redirect leads to an indexed page, or to another site. */
  active: boolean;
  /** The terms decide when the redirect holds, and how it answers. */
  terms?: RuleTerms;
}

/** A redirect that leads to a page, and the address that it holds for. */
export interface Checked extends SourceAddress, RuleTerms {
  to: string;
  /** Whether the redirect leads neither to a page of the project nor to another site. */
  isDead: boolean;
  /** The redirect leads to a path that is gone for good. */
  isGone?: true;
}

/** A note names what is wrong with a redirect, or what was fixed. */
export interface LintNote {
  kind:
    | 'chain'
    | 'loop'
    | 'dead target'
    | 'live source'
    | 'duplicate'
    | 'no path'
    | 'shadows pages'
    | 'several hosts'
    | 'ended'
    | 'not yet'
    | 'not said';
  path: string;
  detail: string;
  /** Whether a server gets no rule for the redirect. */
  isLeftOut: boolean;
}

export const MAX_HOPS = 10;

/**
 * Returns the redirects with their addresses as browsers send them, each address once for a host and its dates. Each
 * chain becomes one hop. Notes name loops and redirects without a page, which are dead.
 */
export async function lintRedirects(redirects: readonly KnownRedirect[], behind: RulesBehind) {
  const notes: LintNote[] = [];
  const lookup = await openLookup(redirects, behind);
  const checked = new Map<string, Checked>();
  await mapYielding(redirects, (redirect) => {
    const { path } = redirect;
    const source = parseSource(path);
    if (!source) {
      notes.push({ kind: 'no path', path, detail: 'no browser can ask for it', isLeftOut: true });
      return;
    }
    const { host = '', validFrom = '', validUntil = '' } = redirect.terms ?? {};
    const address = formatSource(source);
    const key = `${host} ${address} ${validFrom} ${validUntil}`;
    if (checked.has(key)) {
      notes.push({ kind: 'duplicate', path, detail: `browsers ask for it as ${address}`, isLeftOut: true });
      return;
    }
    const end = follow(redirect, lookup, keyOnHost(path, redirect.terms?.host));
    if (end.note) notes.push({ path, ...end.note });
    const isGone = end.isGone ? { isGone: true as const } : {};
    checked.set(key, { ...source, ...redirect.terms, to: encodeTarget(end.url), isDead: !end.active, ...isGone });
  });
  return { checked: [...checked.values()], notes, lookup };
}

/** The rules and pages that a redirect may lead to, by the key of their path. */
export interface RuleLookup {
  byKey: ReadonlyMap<string, KnownRedirect>;
  gone: ReadonlySet<string>;
  findWildcard: FindWildcard;
  findPattern: FindPattern;
  pages: Map<string, string>;
}

async function openLookup(known: readonly KnownRedirect[], { below, gone, pages }: RulesBehind): Promise<RuleLookup> {
  const lasting = known.filter(({ terms }) => !terms || !isDated(terms));
  return {
    byKey: new Map(await mapYielding(lasting, (rule) => [keyOnHost(rule.path, rule.terms?.host), rule] as const)),
    gone: new Set(gone.filter((rule) => !isDated(rule)).map((rule) => keyOnHost(formatSource(rule), rule.host))),
    findWildcard: openWildcards(below),
    findPattern: openPatterns(below),
    pages: new Map(pages),
  };
}

type FindWildcard = (path: string) => { rule: AnyRule; prefix: string } | undefined;

/**
 * Finds wildcards as searches obey them: the longest decides, and a wildcard with numbers only if no other matches.
 * Only wildcards count that hold for every host and at all times.
 */
export function openWildcards(rules: readonly AnyRule[]): FindWildcard {
  const byPrefix = new Map(rules.filter(isPlain).map((rule) => [wildcardPrefix(rule.path), rule]));
  return (path) => {
    if (byPrefix.size === 0) return undefined;
    const matches = redirectKeys(plainPath(path)).prefixes.flatMap((prefix) => {
      const rule = byPrefix.get(prefix);
      return rule ? [{ rule, prefix }] : [];
    });
    return matches.find(({ rule }) => !hasNumbers(rule.path)) ?? matches[0];
  };
}

/**
 * Looks up the pages to which redirects lead over wildcards and patterns: a redirect ends at the first page on its way.
 * @param look finds the indexed pages with these path keys, and keeps them for the caller
 */
export async function lookUpEndsOfWildcards(
  redirects: readonly KnownRedirect[],
  behind: RulesBehind,
  look: (keys: readonly Buffer[]) => Promise<void>,
): Promise<void> {
  if (behind.below.length === 0) return;
  const toOne = behind.below.flatMap((rule) => ('to' in rule && rule.rest === 'dropped' ? [rule.to] : []));
  const dead = [...redirects.filter(({ active }) => !active), ...toOne.map((url) => ({ url, active: false }))];
  const lookup = await openLookup(redirects, behind);
  const wanted = new Map<string, Buffer>();
  const want = (url: string): void => {
    for (const key of targetKeys(pathOf(url))) wanted.set(key.toString('hex'), key);
  };
  toOne.forEach(want);
  await mapYielding(dead, (redirect) => {
    follow(redirect, lookup, undefined, want);
  });
  await look([...wanted.values()]);
}

type Followed = Pick<KnownRedirect, 'url' | 'active'> & {
  isGone?: boolean;
  note?: Omit<LintNote, 'path'>;
};

/**
 * Follows a redirect over other rules to the page where it ends. Answers follow rules with rules/follow-rules.ts, which
 * looks up each path on the way in the database. Here a hundred thousand rules and the pages at their ends are in
 * memory, and a wildcard is followed for all paths below it, which are not known one by one. Each hop obeys one rule,
 * so the work is bounded.
 * @param ownKey the key of the redirect's own path; a wildcard has none
 * @param pass takes the urls on the way
 */
export function follow(
  redirect: Pick<KnownRedirect, 'url' | 'active'>,
  lookup: RuleLookup,
  ownKey?: string,
  pass?: (url: string) => void,
): Followed {
  const { url: first, active } = redirect;
  if (active) return { url: first, active };
  const chain = (detail: string): Followed['note'] => ({ kind: 'chain', detail, isLeftOut: false });
  const over = (url: string): Followed => ({
    url,
    active: true,
    note: chain(`over ${first} to ${url}: made one redirect`),
  });
  const seen = new Set([ownKey]);
  let url = first;
  for (let hop = 0; ; hop++) {
    pass?.(url);
    const id = keyOf(pathOf(url));
    const host = parsePageUrl(url)?.host;
    if (hop >= MAX_HOPS || seen.has(id) || (host !== undefined && seen.has(`${host} ${id}`)))
      return { ...redirect, note: { kind: 'loop', detail: `leads round in a circle over ${url}`, isLeftOut: true } };
    seen.add(id);
    const page = pageAt(url, lookup);
    if (page !== undefined) return over(atTarget(page, partsOfTarget(url)));
    const next = ruleAt(url, lookup);
    if (next === undefined) break;
    if (next === 'gone')
      return { url: first, active: false, isGone: true, note: chain(`leads to ${url}, which is gone for good`) };
    if (next.active) return over(next.url);
    url = next.url;
  }
  const detail = `${first} is no indexed page of the project`;
  return { ...redirect, note: { kind: 'dead target', detail, isLeftOut: true } };
}

/**
 * Finds the rule of an address: a rule for its host comes before a rule for any host, a path with its query string
 * before the path without it, and both before a wildcard or pattern.
 */
function ruleAt(url: string, { byKey, gone, findWildcard, findPattern }: RuleLookup) {
  const [path, host] = [pathOf(url), parsePageUrl(url)?.host];
  const keys = redirectKeys(plainPath(path)).keys.map((key) => key.toString('hex'));
  for (const key of [...(host === undefined ? [] : keys.map((plainKey) => `${host} ${plainKey}`)), ...keys]) {
    const next = byKey.get(key);
    if (next) return next;
    if (gone.has(key)) return 'gone';
  }
  const wildcard = findWildcard(path);
  if (!wildcard) return findPattern(path);
  const { rule, prefix } = wildcard;
  if (!('to' in rule)) return 'gone';
  return { url: rule.rest === 'kept' ? rule.to + restBelow(path, prefix) : rule.to, active: rule.isAway === true };
}

/** Finds the page that an address names, with its query string or without. */
export function pageAt(url: string, { pages }: Pick<RuleLookup, 'pages'>): string | undefined {
  return targetKeys(pathOf(url))
    .map((key) => pages.get(key.toString('hex')))
    .find((page) => page !== undefined);
}

export function pathOf(url: string): string {
  return parsePageUrl(url)?.path ?? url;
}

/** Returns the key of a rule's path, with its host if the rule is for a host. */
export function keyOnHost(path: string, host: string | undefined): string {
  return (host === undefined ? '' : `${host} `) + keyOf(path);
}

export function keyOf(path: string): string {
  return pathKey(path).toString('hex');
}
