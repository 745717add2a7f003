import { mapYielding } from '../../load/map-yielding.js';
import { formatSource, parseSource } from '../redirect-files/address.js';
import { mergedPath } from './escape.js';
import { checkRedirects, type Checked, type KnownRedirect, type LintNote } from './lint.js';
import type { ExportRule } from './rule.js';

export interface Compiled {
  rules: ExportRule[];
  notes: LintNote[];
}

/** So many known cases make a wildcard that keeps the rest. */
const MIN_CASES = 2;
/** And one to a single page, which says less of paths that are not known. */
const MIN_MERGED = 4;
const MAX_DEPTH = 16;

/**
 * The rules for a project's redirects. Where all known old paths below a path lead to the same rest below a new one,
 * and no page of the project is there, a wildcard takes their place.
 * @param wildcards those that the customer imported.
 * @param pages urls of all pages.
 * @param literal no new wildcards: a rule for each redirect.
 * @param all with the redirects that no server should have.
 */
export async function compileRules(
  redirects: readonly KnownRedirect[],
  wildcards: readonly ExportRule[],
  pages: AsyncIterable<string>,
  { literal = false, all = false }: { literal?: boolean; all?: boolean } = {},
): Promise<Compiled> {
  const { checked, notes } = await checkRedirects(redirects);
  const found = literal ? new Map<string, ExportRule>() : await findWildcards(checked);
  const given = new Map(wildcards.map((rule) => [rule.path, rule]));
  const byAddress = new Map(
    await mapYielding(checked, (one): [string, Checked] => [formatSource({ ...one, path: mergedPath(one.path) }), one]),
  );
  const live = new Set<Checked>();
  let origin: string | undefined;
  for await (const url of pages) {
    const page = parseSource(url);
    if (!page) continue;
    origin ??= new URL(url).origin;
    const path = mergedPath(page.path);
    for (const address of new Set([path, formatSource({ path, query: page.query })])) {
      const source = byAddress.get(address);
      if (!source || live.has(source)) continue;
      live.add(source);
      const isItself = source.to === url || formatSource(parseSource(source.to) ?? source) === address;
      notes.push({
        kind: isItself ? 'loop' : 'live source',
        path: formatSource(source),
        detail: isItself ? 'leads to itself' : `${url} is a page of the project: the redirect would hide it`,
        isLeftOut: true,
      });
    }
    for (const prefix of [...prefixesOf(path), `${path}/`]) {
      found.delete(prefix);
      const shadowing = given.get(prefix);
      if (!shadowing || all) continue;
      given.delete(prefix);
      notes.push({ kind: 'shadows pages', path: `${prefix}*`, detail: `${url} is below it`, isLeftOut: true });
    }
  }
  // A new address without a host is one of the site's own.
  const onSite = (to: string): string => (to.startsWith('/') ? `${origin ?? ''}${to}` : to);
  const chosen = new Map([...given].map(([path, rule]) => [path, { ...rule, to: onSite(rule.to) }]));
  if (origin === undefined && !all) chosen.clear();
  for (const [path, rule] of [...found].sort(([a], [b]) => a.length - b.length))
    if (!prefixesOf(path.slice(0, -1)).some((prefix) => chosen.has(prefix)) && !chosen.has(path))
      chosen.set(path, rule);
  const exact = await mapYielding(checked, (one): ExportRule[] => {
    const { path, query, to, isDead } = one;
    const isLeft = isDead || live.has(one);
    return isLeft
      ? all
        ? [{ path, query, to }]
        : []
      : !literal && isImplied(one, chosen)
        ? []
        : [{ path, query, to }];
  });
  return { rules: [...exact.flat(), ...chosen.values()], notes };
}

/** Wildcards that are exact for all known cases: the rest is kept, or all lead to one page. */
async function findWildcards(checked: readonly Checked[]): Promise<Map<string, ExportRule>> {
  const below = new Map<string, { kept: string | undefined; page: string | undefined; cases: number }>();
  await mapYielding(checked, (one) => {
    for (const prefix of prefixesOf(one.path)) {
      const kept = newPrefixOf(one, prefix);
      // A query string may choose another page.
      const page = one.query === '' && one.path !== prefix ? one.to : undefined;
      const known = below.get(prefix) ?? { kept, page, cases: 0 };
      below.set(prefix, known);
      if (known.kept !== kept) known.kept = undefined;
      if (known.page !== page) known.page = undefined;
      if (!one.isDead) known.cases++;
    }
  });
  const found = new Map<string, ExportRule>();
  for (const [path, { kept, page, cases }] of below) {
    if (kept !== undefined && cases >= MIN_CASES) found.set(path, { path, query: '', to: kept, rest: 'kept' });
    else if (page !== undefined && cases >= MIN_MERGED) found.set(path, { path, query: '', to: page, rest: 'dropped' });
  }
  return found;
}

/** The beginning of the new address, if the rest is the same. */
function newPrefixOf({ path, query, to }: Checked, prefix: string): string | undefined {
  const rest = path.slice(prefix.length);
  if (rest === '' || query !== '' || !to.endsWith(`/${rest}`)) return undefined;
  const bare = to.slice(0, to.length - rest.length);
  // Not into the host.
  return /^https?:\/\/[^/]+\//i.test(bare) ? bare : undefined;
}

/** Beginnings of a path up to each slash, without the root. */
function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && prefixes.length < MAX_DEPTH; at = path.indexOf('/', at + 1))
    prefixes.push(path.slice(0, at + 1));
  return prefixes;
}

/** Whether the longest wildcard above says the same. */
function isImplied(one: Checked, chosen: ReadonlyMap<string, ExportRule>): boolean {
  const prefix = prefixesOf(one.path).findLast((above) => chosen.has(above));
  const rule = prefix === undefined ? undefined : chosen.get(prefix);
  if (!rule || one.query !== '') return false;
  return rule.rest === 'dropped' ? rule.to === one.to : rule.to + one.path.slice(rule.path.length) === one.to;
}
