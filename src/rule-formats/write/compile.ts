import { groupBy } from '../../base/group-by.js';
import { collapseWildcards } from '../chained-wildcards.js';
import { lintRedirects, type Checked, type KnownRedirect, type LintNote, type RulesBehind } from '../lint-redirects.js';
import { formatSource, parseSource, type SourceAddress } from '../read/source-address.js';
import { holdAgainstPages } from './hold-against-pages.js';
import { firstPart, mergedPath } from './regular-expressions.js';
import { sourceOf } from './write-rules.js';
import { isRedirect, keyOfRule, termsOf, type ExportGone, type ExportRule, type ExportSource } from './written-rule.js';

export interface Compiled {
  rules: ExportRule[];
  gone: ExportGone[];
  notes: LintNote[];
}

export interface CompileOptions {
  /** Old addresses of folders without the slash at their end get a rule, too. */
  siblings?: boolean;
  /** All old addresses get a rule with and without the slash at their end, for a site that treats both as one. */
  anySlash?: boolean;
  /** New addresses on the site's own host are written as paths. */
  asPaths?: boolean;
  /** Rules of this server keep slashes that a part begins with: two at the beginning of a path would begin a host. */
  keepsSlashes?: boolean;
}

/**
 * Turns each rule of a project into a rule for a server. Chains become one redirect; what leads nowhere, or would hide
 * a page, is left out; where a server wants it, old addresses are added with or without the slash at their end. The
 * notes name the chains that were joined, and what was left out.
 * @param behind the wildcards, patterns and gone paths of the project
 * @param pages the urls of all pages
 */
export async function compileRules(
  redirects: readonly KnownRedirect[],
  behind: RulesBehind,
  pages: AsyncIterable<string> | Iterable<string>,
  { asPaths = false, keepsSlashes = false, siblings: wantsSiblings = false, anySlash = false }: CompileOptions = {},
): Promise<Compiled> {
  const { checked, notes, lookup } = await lintRedirects(redirects, behind);
  const below = new Map(behind.below.map((rule) => [keyOfRule(rule), rule]));
  const byAddress = groupBy(checked, ({ path, query }) => formatSource({ path: mergedPath(path), query }));
  const siblings =
    wantsSiblings || anySlash ? siblingsOf(checked, behind.gone, byAddress, anySlash) : new Set<string>();
  const { hidden, targets } = await holdAgainstPages({ byAddress, below, siblings, notes }, pages);
  const left = checked.filter((redirect) => !hidden.has(redirect));
  const obeyed = left.filter(({ isDead, isGone }) => !isDead || isGone);
  notes.push(...(await collapseWildcards(below, lookup, [...obeyed, ...behind.gone])));
  const gone = [
    ...[...below.values()].filter((rule): rule is ExportGone => !isRedirect(rule)),
    ...left.filter(({ isGone }) => isGone).map(toGone),
  ];
  const beyond = [...below.values()].filter(isRedirect).flatMap((rule): ExportRule[] => {
    // A new address without a host is an address of the site.
    if (!rule.to.startsWith('/')) return [rule];
    const place = targets.originOf(rule);
    if ('origin' in place) return [{ ...rule, to: place.origin + rule.to }];
    notes.push({ path: sourceOf(rule), isLeftOut: true, ...place });
    return [];
  });
  const rules = left
    .filter(({ isDead }) => !isDead)
    .map(({ path, query, to, ...terms }): ExportRule => ({ ...termsOf(terms), path, query, to }));
  return {
    rules: [
      ...rules,
      ...withSiblings(rules, siblings, anySlash),
      ...beyond,
      ...(anySlash ? patternSiblings(beyond) : []),
    ].map((rule) => onItsHost(rule, targets.hosts, asPaths && !(keepsSlashes && firstPart(rule)))),
    gone: [
      ...gone,
      ...withSiblings([...behind.gone, ...gone], siblings, anySlash),
      ...(anySlash ? patternSiblings(gone) : []),
    ],
    notes,
  };
}

/** Makes a gone path of a redirect whose target is gone. The path keeps the terms of the redirect, but for the code. */
function toGone(redirect: Checked): ExportGone {
  const { path, query, code } = redirect;
  return { ...termsOf(code ? { ...redirect, code: 410 } : redirect), path, query };
}

/**
 * Writes a target on the site as a path where that is wanted and clear: a copy of the site on another host stays on
 * that host. Marks a target elsewhere as away.
 */
export function onItsHost(rule: ExportRule, hosts: ReadonlySet<string>, asPaths: boolean): ExportRule {
  const [origin, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(rule.to) ?? [];
  if (origin === undefined) return rule;
  if (!hosts.has(host.toLowerCase())) return { ...rule, isAway: true };
  const path = rule.to.slice(origin.length);
  // If there are several hosts, a path would not tell which; and two slashes would begin a host.
  const canBePath = hosts.size === 1 && /^\/(?!\/)/.test(path);
  return !asPaths || !canBePath ? rule : { ...rule, to: path };
}

/**
 * Lists the old addresses of folders without the slash at their end, and with `all` those of every path with and
 * without it, if they have no rule of their own. A server compares letter by letter, and most served a folder's page at
 * both.
 */
function siblingsOf(
  checked: readonly Checked[],
  gone: readonly SourceAddress[],
  byAddress: ReadonlyMap<string, unknown>,
  all: boolean,
): Set<string> {
  const taken = new Set(gone.map((source) => formatSource({ ...source, path: mergedPath(source.path) })));
  const siblings = new Set<string>();
  for (const rule of [...checked, ...gone]) {
    const path = siblingPath(rule.path, all);
    if (path === undefined || (rule.query !== '' && !all)) continue;
    const address = formatSource({ path, query: rule.query });
    const isTarget = 'to' in rule && parseSource(String(rule.to))?.path === path;
    if (!byAddress.has(address) && !taken.has(address) && !isTarget) siblings.add(address);
  }
  return siblings;
}

/** Returns the same path without its slash at the end, and with `all` also with a slash. */
function siblingPath(written: string, all: boolean): string | undefined {
  const path = mergedPath(written);
  if (path === '/') return undefined;
  if (path.endsWith('/')) return path.slice(0, -1);
  return all ? `${path}/` : undefined;
}

/** Makes rules for these addresses, each with all that its sibling has. */
function withSiblings<Rule extends ExportSource>(rules: readonly Rule[], siblings: ReadonlySet<string>, all: boolean) {
  return rules.flatMap((rule) => {
    const path = rule.rest ? undefined : siblingPath(rule.path, all);
    return path !== undefined && siblings.has(formatSource({ path, query: rule.query })) ? [{ ...rule, path }] : [];
  });
}

/** Returns the siblings of patterns: the same pattern with a slash at its end, or without it. */
function patternSiblings<Rule extends ExportSource>(rules: readonly Rule[]): Rule[] {
  return rules.flatMap((rule) => {
    const { path, pattern } = rule;
    if (!pattern || pattern.segments.length === 0 || pattern.segments.at(-1)?.placeholder?.takes === 'rest') return [];
    const { endsWithSlash } = pattern;
    const sibling = endsWithSlash ? path.replace(/\/$/, '') : `${path}/`;
    return [{ ...rule, path: sibling, pattern: { ...pattern, endsWithSlash: !endsWithSlash } }];
  });
}
