import { mapYielding } from '../../base/map-yielding.js';
import type { Checked } from '../../rule-formats/lint-redirects.js';
import { parseSource } from '../../rule-formats/read/source-address.js';
import { mergedPath } from '../../rule-formats/write/regular-expressions.js';
import { prefixesOf, toMatcher } from '../../rule-formats/write/wildcards.js';
import { hasNumbers, hasTerms, isPlain, type AnyRule, type ExportRule } from '../../rule-formats/write/written-rule.js';

/** The minimum number of redirects that make a wildcard which keeps the rest. */
const MIN_CASES = 2;
/**
 * The minimum number of redirects that make a wildcard to a single page. It is higher, because such redirects show less
 * about unknown paths.
 */
const MIN_MERGED = 4;

/**
 * Finds the folders that moved as a whole: wildcards that all redirects below them agree on, and that hide no page. No
 * wildcard of the project is above them, and no pattern of it begins as they do.
 * @param below the wildcards and patterns of the project
 */
export async function findFolders(
  checked: readonly Checked[],
  below: readonly AnyRule[],
  pages: AsyncIterable<string>,
): Promise<ExportRule[]> {
  const folderRules = await findAgreed(checked);
  for await (const url of pages) {
    const path = mergedPath(parseSource(url)?.path ?? '/');
    for (const prefix of [...prefixesOf(path), `${path}/`]) folderRules.delete(prefix);
  }
  const taken = new Set(below.filter(isPlain).map(({ path }) => path));
  const beginnings = below
    .filter(({ pattern, path }) => pattern ?? hasNumbers(path))
    .map((rule) => toMatcher(rule).beginning);
  return [...folderRules.values()]
    .sort((a, b) => a.path.length - b.path.length)
    .filter(({ path }) => {
      const isBelow = prefixesOf(path).some((prefix) => taken.has(prefix));
      // Wildcards are obeyed before patterns: this one would take the pattern's paths.
      const isBeside = beginnings.some((beginning) => beginning.startsWith(path) || path.startsWith(beginning));
      if (isBelow || isBeside) return false;
      taken.add(path);
      return true;
    });
}

/** Finds wildcards that are exact for all redirects, by path: the rest is kept, or all lead to one page. */
async function findAgreed(checked: readonly Checked[]): Promise<Map<string, ExportRule>> {
  const below = new Map<string, { kept: string | undefined; page: string | undefined; cases: number }>();
  await mapYielding(checked, (redirect) => {
    for (const prefix of prefixesOf(redirect.path)) {
      const kept = newPrefixOf(redirect, prefix);
      // A query string may choose another page.
      const isAnyQuery = redirect.query === '' && !hasTerms(redirect);
      const page = isAnyQuery && redirect.path !== prefix ? redirect.to : undefined;
      const agreed = below.get(prefix) ?? { kept, page, cases: 0 };
      below.set(prefix, agreed);
      if (agreed.kept !== kept) agreed.kept = undefined;
      if (agreed.page !== page) agreed.page = undefined;
      if (!redirect.isDead) agreed.cases++;
    }
  });
  const folderRules = new Map<string, ExportRule>();
  for (const [path, { kept, page, cases }] of below) {
    if (kept !== undefined && cases >= MIN_CASES) folderRules.set(path, { path, query: '', to: kept, rest: 'kept' });
    else if (page !== undefined && cases >= MIN_MERGED)
      folderRules.set(path, { path, query: '', to: page, rest: 'dropped' });
  }
  return folderRules;
}

/** The beginning of the new address, if the rest is the same. */
function newPrefixOf(redirect: Checked, prefix: string): string | undefined {
  const { path, query, to } = redirect;
  const rest = path.slice(prefix.length);
  if (rest === '' || query !== '' || hasTerms(redirect) || !to.endsWith(`/${rest}`)) return undefined;
  const beginning = to.slice(0, to.length - rest.length);
  // The rest may not reach into the host.
  return /^https?:\/\/[^/]+\//i.test(beginning) ? beginning : undefined;
}
