import { collapseWildcards } from '../../rule-formats/chained-wildcards.js';
import { lintRedirects, type KnownRedirect } from '../../rule-formats/lint-redirects.js';
import { formatSource, parseSource } from '../../rule-formats/read/source-address.js';
import type { StoredRules } from './rules-for-servers.js';

/**
 * Makes each redirect lead directly to its end, as exports do, instead of to a path with another rule. Rules without an
 * end stay as they are.
 */
export async function followToEnds(rules: StoredRules): Promise<StoredRules> {
  const { checked, lookup } = await lintRedirects(rules.known, rules);
  const ends = new Map(checked.map((redirect) => [formatSource(redirect), redirect]));
  const known: KnownRedirect[] = [];
  const gone = [...rules.gone];
  for (const redirect of rules.known) {
    const source = parseSource(redirect.path);
    const end = source && ends.get(formatSource(source));
    if (end?.isGone) gone.push({ path: end.path, query: end.query });
    else known.push(redirect.active || !end || end.isDead ? redirect : { ...redirect, url: end.to });
  }
  const below = new Map(rules.below.map((rule) => [rule.path, rule]));
  const obeyed = checked.filter(({ isDead, isGone }) => !isDead || isGone);
  await collapseWildcards(below, lookup, [...obeyed, ...rules.gone]);
  return { ...rules, known, gone, below: [...below.values()] };
}
