import { stripExtension } from '../../text/paths/path-segments.js';
import type { Section } from './apache-sections.js';
import { readExpression } from './expressions.js';
import { codeOf, skipPattern, type Rule, type RuleCode } from './read-rule.js';
import { escapeColons } from './source-address.js';
import { toBare, toMatchedRule, toRule, toWildcard } from './to-rule.js';

const STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;
const GONE = /^(?:410|451|gone)$/i;

/** Reads `Redirect` or `RedirectMatch`: the rule of its path, and perhaps another rule for all paths below. */
export function readAlias(words: readonly string[], sections: readonly Section[]): Rule | Rule[] {
  const [first = '', ...args] = words;
  if (first.toLowerCase() !== 'redirectmatch') return readRedirect(args, words, sections.at(-1)?.path);
  if (GONE.test(args[0] ?? '')) return toMatchedRule(words.join(' '), readExpression(args[1] ?? ''), {});
  const [expression = '', target = ''] = args.filter((word) => !STATUS.test(word));
  if (expression === '' || target === '') return skipPattern(expression, target);
  return toMatchedRule(expression, readExpression(expression), { target });
}

/** Finds the code that a directive names by its status or its own name; 302 by default. */
export function codeOfAlias([first = '', status = '']: readonly string[]): RuleCode {
  return codeOf(status) ?? (/permanent$/i.test(first) ? 301 : 302);
}

/**
 * Reads `Redirect [status] /old /new`. Apache also redirects all paths below the old path, with the rest of the path
 * behind the new address. So these are two rules, unless nothing can be below the old path.
 */
function readRedirect(args: readonly string[], words: readonly string[], location: string | undefined): Rule | Rule[] {
  const isGone = GONE.test(args[0] ?? '');
  if (!isGone && /^[1-9]\d\d$/.test(args[0] ?? '') && !STATUS.test(args[0] ?? ''))
    return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  const addresses = args.filter((word, at) => at > 0 || (!STATUS.test(word) && !isGone));
  // In a location the old path may be left out: all paths of the location then lead to the target.
  const isOfLocation = location !== undefined && addresses.length === (isGone ? 0 : 1);
  const [from = '', to = ''] = isOfLocation ? [location, ...addresses] : addresses;
  const old = escapeColons(from);
  const rule = isGone ? toBare('gone', old) : toRule(old, to);
  if ((rule.kind !== 'redirect' && rule.kind !== 'gone') || isFile(from)) return rule;
  const folder = old.replace(/\/?$/, '/');
  if (isGone) return [rule, toBare('gone', `${folder}*`)];
  if (isOfLocation) return [rule, toWildcard(folder, to, false)];
  // If only the old path ends with a slash, `/old/x` leads to `/newx`, where nothing is.
  const leadsBelow = !/[?#]/.test(to) && !isFile(to) && (to.endsWith('/') || !from.endsWith('/'));
  return leadsBelow ? [rule, toWildcard(folder, to.replace(/\/?$/, '/'), true)] : rule;
}

/** Tells whether an address is that of a file, by its extension: nothing is below a file. */
function isFile(address: string): boolean {
  const name = address.replace(/^.*\//s, '');
  return stripExtension(name) !== name;
}
