import { stripExtension } from '../../text/paths/path-segments.js';
import type { Section } from './apache-sections.js';
import { readExpression, type Matched } from './expressions.js';
import { codeOf, skipPattern, type Rule, type RuleCode, skipConditional } from './read-rule.js';
import { escapeColons } from './source-address.js';
import { toBare, toMatchedRule, toRule, toWildcard } from './to-rule.js';
import {
  hostCondition,
  MAX_CONDITIONS,
  queryCondition,
  readApacheTime,
  withConditions,
  type Conditions,
} from './conditions.js';

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

/** The limit of ways to meet conditions that are joined by OR; each way becomes a rule. */
const MAX_ALTERNATIVES = 20;

/** The words of a `RewriteCond`: what it tests, an expression, flags. */
export type RewriteCond = readonly string[];

/**
 * Lists the ways to meet the conditions; each becomes a rule. OR binds more than AND. If there are too many ways, it
 * returns one, which is refused.
 */
export function alternativesOf(conditions: readonly RewriteCond[]): (readonly RewriteCond[])[] {
  const tooMany = [[...conditions.slice(0, MAX_CONDITIONS), ['more conditions than are read']]];
  if (conditions.length > MAX_CONDITIONS) return tooMany;
  let ways: RewriteCond[][] = [[]];
  let group: RewriteCond[] = [];
  for (const [at, condition] of conditions.entries()) {
    group.push(condition);
    const isJoined = /[[,](?:OR|ornext)[\],]/i.test(condition[2] ?? '');
    if (isJoined && at < conditions.length - 1) continue;
    if (ways.length * group.length > MAX_ALTERNATIVES) return tooMany;
    ways = ways.flatMap((way) => group.map((alternative) => [...way, alternative]));
    group = [];
  }
  return ways;
}

/** @returns what must hold together; or the condition that is not understood, as text */
function readConditions(conditions: readonly RewriteCond[]): Conditions[] | { refused: string } {
  const read: Conditions[] = [];
  for (const [tested = '', pattern = ''] of conditions) {
    const condition = readCondition(tested, pattern);
    if (!condition) return { refused: `RewriteCond ${tested} ${pattern}` };
    read.push(condition);
  }
  return read;
}

function readCondition(tested: string, pattern: string): Conditions | undefined {
  if (tested === '%{TIME}') return readApacheTime(pattern);
  if (tested === '%{HTTP_HOST}' || tested === '%{SERVER_NAME}') {
    const isExact = pattern.startsWith('=');
    return hostCondition(isExact ? pattern.slice(1) : pattern, !isExact);
  }
  return tested === '%{QUERY_STRING}' ? queryCondition(pattern, true) : undefined;
}

/** With these flags a RewriteRule can be read: they are understood, or change nothing of the stored rule. */
const HARMLESS =
  /^(?:R|redirect|L|last|END|G|gone|NC|nocase|NE|noescape|QSA|qsappend|QSD|qsdiscard|QSL|qslast|B|BNP|BNE|BCTLS|DPI|discardpath|NS|nosubreq|E|env)$/i;

/** A RewriteRule as it is written. */
interface Rewrite {
  expression: string;
  substitution: string;
  flags: readonly string[];
  flagText: string;
  text: string;
  /** The folder that the expression begins below; '' for the root. */
  base: string;
}

/** Reads a RewriteRule with the conditions that must hold together. */
export function readRewriteRule(
  { expression, substitution, flags, flagText, text, base }: Rewrite,
  conditions: readonly RewriteCond[],
): Rule | Rule[] {
  const code = codeOfFlags(flags);
  if (code === undefined) return { kind: 'skipped', reason: 'notRedirect', text };
  if (!flags.every((flag) => HARMLESS.test(flag.split('=', 1)[0] ?? ''))) return skipConditional(`${text} ${flagText}`);
  const passQuery = flags.some((flag) => /^(?:QSA|qsappend)$/i.test(flag));
  const plain = substitution.replace(/\\([%$\\])/g, '$1').replace(/\?$/, '');
  const target = base === '' || /^(?:\/|https?:)/i.test(plain) ? plain : `${base}/${plain}`;
  const read = readConditions(conditions);
  if ('refused' in read) return skipConditional(read.refused);
  if (/%\d(?![\da-f])/i.test(target)) return skipPattern(expression, target, '% names a part of a condition');
  const terms = { code, passQuery, target: code > 400 ? undefined : target };
  return withConditions(toMatchedRule(expression, readBelow(base, expression), terms), text, read);
}

function codeOfFlags(flags: readonly string[]): RuleCode | undefined {
  const codes = flags.map((flag) => {
    if (/^(?:G|gone)$/i.test(flag)) return 410;
    const status = /^(?:R|redirect)(?:=(\w+))?$/i.exec(flag);
    return status ? codeOf(status[1] ?? '302') : undefined;
  });
  return codes.find((code) => code !== undefined);
}

/** Reads an expression that is compared with the path below a folder. */
function readBelow(base: string, expression: string): Matched {
  const matched = readExpression(expression);
  if (base === '' || 'refused' in matched) return matched;
  return 'path' in matched ? { path: base + matched.path } : { ...matched, pattern: base + matched.pattern };
}
