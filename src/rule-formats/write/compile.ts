import { mapYielding } from '../../base/map-yielding.js';
import { formatSource, parseSource } from '../read/source-address.js';
import { mergedPath } from './regular-expressions.js';
import { collapseWildcards } from '../chained-wildcards.js';
import { lintRedirects, type Checked, type KnownRedirect, type LintNote, type RulesBehind } from '../lint-redirects.js';
import { chooseRewritings, findRewritings, patternFormsOf } from './pattern-rules.js';
import { patternSiblings, siblingsOf, withSiblings } from './siblings.js';
import { sourceOf } from './write-rules.js';
import {
  hasNumbers,
  isPlain,
  keyOfRule,
  termsOf,
  type AnyRule,
  type ExportGone,
  type ExportRule,
} from './written-rule.js';
import { findWildcards, isForPage, isImplied, prefixesOf, toMatcher, type Matcher } from './wildcards.js';

export interface Compiled {
  rules: ExportRule[];
  gone: ExportGone[];
  notes: LintNote[];
}

export interface CompileOptions {
  /** No new wildcards: a rule for each redirect. */
  literal?: boolean;
  /** With the redirects that no server should have. */
  all?: boolean;
  /** Old addresses of folders without the slash at their end, too. */
  siblings?: boolean;
  /** All old addresses with and without the slash at their end: a project may make no difference. */
  anySlash?: boolean;
  /** Addresses of the site's own pages as paths, without their host. */
  asPaths?: boolean;
  /** With rewritings, which only regular expressions say. */
  expressions?: boolean;
  /** What is gone below a path. */
  goneBelow?: readonly ExportGone[];
  /** Where chains end that are no redirects of single paths. */
  behind?: RulesBehind;
}

/**
 * The rules for a project's redirects. Where all known old paths below a path lead to the same rest below a new one,
 * and no page of the project is there, a wildcard takes their place.
 * @param given wildcards and patterns of the project's own.
 * @param pages urls of all pages.
 */
export async function compileRules(
  redirects: readonly KnownRedirect[],
  given: readonly ExportRule[],
  pages: AsyncIterable<string>,
  {
    literal = false,
    all = false,
    asPaths = false,
    siblings: wantsSiblings = false,
    anySlash = false,
    expressions = false,
    goneBelow = [],
    behind,
  }: CompileOptions = {},
): Promise<Compiled> {
  const { checked, notes, book } = await lintRedirects(redirects, behind);
  const found = literal ? new Map<string, ExportRule>() : await findWildcards(checked);
  const rewritings = literal || !expressions ? new Map<string, ExportRule>() : await findRewritings(checked);
  const own = new Map<string, AnyRule>([...given, ...goneBelow].map((rule) => [keyOfRule(rule), rule]));
  const matchers = [...own.values()].map(toMatcher);
  const byBeginning = new Map<string, Matcher[]>();
  for (const one of matchers) byBeginning.set(one.beginning, [...(byBeginning.get(one.beginning) ?? []), one]);
  const ofPatterns = matchers.filter(({ rule }) => rule.pattern ?? hasNumbers(rule.path));
  const byAddress = new Map<string, Checked[]>();
  await mapYielding(checked, (one) => {
    const address = formatSource({ ...one, path: mergedPath(one.path) });
    byAddress.set(address, [...(byAddress.get(address) ?? []), one]);
  });
  const live = new Set<Checked>();
  const siblings =
    wantsSiblings || anySlash ? siblingsOf(checked, behind?.gone ?? [], byAddress, anySlash) : new Set<string>();
  const hosts = new Set<string>();
  let first: string | undefined;
  for await (const url of pages) {
    const page = parseSource(url);
    if (!page) continue;
    // Of several hosts the first by url, in whatever order they come.
    const asked = new URL(url);
    const { origin, host } = asked;
    const its = `${origin}/`;
    hosts.add(host);
    if (first === undefined || its < first) first = its;
    const path = mergedPath(page.path);
    for (const address of new Set([path, formatSource({ path, query: page.query })])) {
      siblings.delete(address);
      for (const source of byAddress.get(address) ?? []) {
        if (live.has(source) || !isForPage(source, asked, page.query)) continue;
        live.add(source);
        const isOfPages = source.to.startsWith('/') || source.to.startsWith(its);
        const isItself = source.to === url || (isOfPages && formatSource(parseSource(source.to) ?? source) === address);
        notes.push({
          kind: isItself ? 'loop' : 'live source',
          path: formatSource(source),
          detail: isItself ? 'leads to itself' : `${url} is a page of the project: the redirect would hide it`,
          isLeftOut: true,
        });
      }
    }
    for (const beginning of ['/', ...prefixesOf(path), `${path}/`]) {
      found.delete(beginning);
      for (const { rule, matches } of all ? [] : (byBeginning.get(beginning) ?? [])) {
        const key = keyOfRule(rule);
        // A pattern is compared whole, and what is below a path may be the page there.
        if (!own.has(key) || !isForPage(rule, asked, page.query) || !matches(rule.pattern ? path : `${path}/`))
          continue;
        own.delete(key);
        notes.push({ kind: 'shadows pages', path: sourceOf(rule), detail: `${url} is below it`, isLeftOut: true });
      }
    }
    if (rewritings.size > 0) for (const { key } of patternFormsOf(path)) rewritings.delete(key);
  }
  const obeyed = checked.filter((one) => !live.has(one) && (!one.isDead || one.isGone));
  notes.push(...(await collapseWildcards(own, book, [...obeyed, ...(behind?.gone ?? [])], all)));
  const origin = first?.slice(0, -1);
  // A new address without a host is one of the site's own.
  const onSite = (to: string): string => (to.startsWith('/') ? `${origin ?? ''}${to}` : to);
  const dead = checked.filter((one) => one.isGone && !live.has(one) && !all);
  const gone = [
    ...[...own.values()].filter((one): one is ExportGone => !('to' in one)),
    // Of the terms of a redirect to what is gone, not its code.
    ...dead.map((one): ExportGone => ({
      ...termsOf(one.code ? { ...one, code: 410 } : one),
      path: one.path,
      query: one.query,
    })),
  ];
  // Those that only some requests come to, or that are patterns, stand beside the wildcards.
  const beside: ExportRule[] = [];
  const chosen = new Map<string, ExportRule>();
  for (const rule of own.values()) {
    if (!('to' in rule) || (origin === undefined && !all && rule.to.startsWith('/'))) continue;
    const its = { ...rule, to: onSite(rule.to) };
    if (isPlain(rule)) chosen.set(rule.path, its);
    else beside.push(its);
  }
  const isBelowOwn = (path: string): boolean => prefixesOf(path).some((one) => chosen.has(one) || own.has(one));
  // A wildcard goes before a pattern: it would take paths that are the pattern's.
  const isBesidePattern = (path: string): boolean =>
    ofPatterns.some(({ beginning }) => beginning.startsWith(path) || path.startsWith(beginning));
  for (const [path, rule] of [...found].sort(([a], [b]) => a.length - b.length))
    if (!isBelowOwn(path) && !isBesidePattern(path)) chosen.set(path, rule);
  for (const [key, { path }] of rewritings) if (isBelowOwn(path)) rewritings.delete(key);
  const exact = (
    await mapYielding(checked, (one) => {
      if (one.isDead || live.has(one)) return all ? [one] : [];
      return !literal && isImplied(one, chosen) ? [] : [one];
    })
  ).flat();
  // A pattern goes before a rewriting.
  const isOfPattern = ({ path }: Checked): boolean =>
    ofPatterns.length > 0 &&
    ['/', ...prefixesOf(path)].some((beginning) =>
      byBeginning.get(beginning)?.some((one) => (one.rule.pattern ?? hasNumbers(one.rule.path)) && one.matches(path)),
    );
  const rewritten = await chooseRewritings(rewritings, exact, isOfPattern);
  const rules = rewritten.left.map((one): ExportRule => ({
    ...termsOf(one),
    path: one.path,
    query: one.query,
    to: one.to,
  }));
  const ofPattern = [...beside, ...(anySlash ? patternSiblings(beside) : [])];
  return {
    rules: [
      ...rules,
      ...withSiblings(rules, siblings, anySlash),
      ...chosen.values(),
      ...ofPattern,
      ...rewritten.rules,
    ].map((rule) => onItsHost(rule, hosts, asPaths)),
    gone: [
      ...gone,
      ...withSiblings([...(behind?.gone ?? []), ...gone], siblings, anySlash),
      ...(anySlash ? patternSiblings(gone) : []),
    ],
    notes,
  };
}

/** A rule to a page of the site names its path alone: a copy of the site on another host stays on it. */
function onItsHost(rule: ExportRule, hosts: ReadonlySet<string>, asPaths: boolean): ExportRule {
  const [origin, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(rule.to) ?? [];
  if (origin === undefined) return rule;
  if (!hosts.has(host.toLowerCase())) return { ...rule, isAway: true };
  const path = rule.to.slice(origin.length);
  // Of several hosts, a path would not say which; and two slashes would begin a host.
  const isPlain = hosts.size === 1 && /^\/(?!\/)/.test(path);
  return !asPaths || !isPlain ? rule : { ...rule, to: path };
}
