import {
  hostCondition,
  MAX_CONDITIONS,
  queryCondition,
  readApacheTime,
  withConditions,
  type Conditions,
} from './conditions.js';
import { readExpression, type Matched } from './expressions.js';
import { codeOf, skipConditional, skipPattern, type Rule, type RuleCode } from './read-rule.js';
import { toMatchedRule } from './to-rule.js';

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
export interface Rewrite {
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
