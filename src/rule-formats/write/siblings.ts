import type { Checked } from '../lint-redirects.js';
import { formatSource, parseSource, type SourceAddress } from '../read/source-address.js';
import { mergedPath } from './regular-expressions.js';
import type { ExportSource } from './written-rule.js';

/**
 * Lists the old addresses of folders without the slash at their end, and with `all` those of every path with and
 * without it, if they have no rule of their own. A server compares letter by letter, and most served a folder's page at
 * both.
 */
export function siblingsOf(
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
export function withSiblings<Rule extends ExportSource>(
  rules: readonly Rule[],
  siblings: ReadonlySet<string>,
  all: boolean,
): Rule[] {
  return rules.flatMap((rule) => {
    const path = rule.rest ? undefined : siblingPath(rule.path, all);
    return path !== undefined && siblings.has(formatSource({ path, query: rule.query })) ? [{ ...rule, path }] : [];
  });
}

/** Returns the siblings of patterns: the same pattern with a slash at its end, or without it. */
export function patternSiblings<Rule extends ExportSource>(rules: readonly Rule[]): Rule[] {
  return rules.flatMap((rule) => {
    const { path, pattern } = rule;
    if (!pattern || pattern.segments.length === 0 || pattern.segments.at(-1)?.placeholder?.takes === 'rest') return [];
    const { endsWithSlash } = pattern;
    const sibling = endsWithSlash ? path.replace(/\/$/, '') : `${path}/`;
    return [{ ...rule, path: sibling, pattern: { ...pattern, endsWithSlash: !endsWithSlash } }];
  });
}
