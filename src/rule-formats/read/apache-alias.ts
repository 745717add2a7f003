import { stripExtension } from '../../text/paths/path-segments.js';
import type { Section } from './apache-sections.js';
import { readExpression } from './expressions.js';
import { codeOf, skipPattern, type Rule, type RuleCode } from './read-rule.js';
import { escapeColons } from './source-address.js';
import { toBare, toMatchedRule, toRule, toWildcard } from './to-rule.js';

const STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;
const GONE = /^(?:410|451|gone)$/i;

/** `Redirect` or `RedirectMatch`: the rule of its path, and perhaps another one of all below. */
export function readAlias(words: readonly string[], sections: readonly Section[]): Rule | Rule[] {
  const [first = '', ...args] = words;
  if (first.toLowerCase() !== 'redirectmatch') return readRedirect(args, words, sections.at(-1)?.path);
  if (GONE.test(args[0] ?? '')) return toMatchedRule(words.join(' '), readExpression(args[1] ?? ''), {});
  const [expression = '', target = ''] = args.filter((word) => !STATUS.test(word));
  if (expression === '' || target === '') return skipPattern(expression, target);
  return toMatchedRule(expression, readExpression(expression), { target });
}

/** 302 unless it says otherwise. */
export function codeOfAlias([first = '', status = '']: readonly string[]): RuleCode {
  return codeOf(status) ?? (/permanent$/i.test(first) ? 301 : 302);
}

/**
 * `Redirect [status] /old /new`. Apache takes all below the old path along, with what follows it behind the new one:
 * two rules, unless nothing can be below.
 */
function readRedirect(args: readonly string[], words: readonly string[], location: string | undefined): Rule | Rule[] {
  const isGone = GONE.test(args[0] ?? '');
  if (!isGone && /^[1-9]\d\d$/.test(args[0] ?? '') && !STATUS.test(args[0] ?? ''))
    return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  const addresses = args.filter((word, at) => at > 0 || (!STATUS.test(word) && !isGone));
  // In a location the old path may be left out: all of it leads there.
  const isOfLocation = location !== undefined && addresses.length === (isGone ? 0 : 1);
  const [from = '', to = ''] = isOfLocation ? [location, ...addresses] : addresses;
  const old = escapeColons(from);
  const rule = isGone ? toBare('gone', old) : toRule(old, to);
  if ((rule.kind !== 'redirect' && rule.kind !== 'gone') || isFile(from)) return rule;
  const folder = old.replace(/\/?$/, '/');
  if (isGone) return [rule, toBare('gone', `${folder}*`)];
  if (isOfLocation) return [rule, toWildcard(folder, to, false)];
  // Without its slash, `/old/x` leads to `/newx`: where nothing is.
  const leadsBelow = !/[?#]/.test(to) && !isFile(to) && (to.endsWith('/') || !from.endsWith('/'));
  return leadsBelow ? [rule, toWildcard(folder, to.replace(/\/?$/, '/'), true)] : rule;
}

/** Whether an address is that of a file by its extension: nothing is below it. */
function isFile(address: string): boolean {
  const name = address.replace(/^.*\//s, '');
  return stripExtension(name) !== name;
}
