import { splitPassed } from './passed-query.js';
import { readConditions, type RewriteCond } from './apache-conditions.js';
import { codeOf } from './codes.js';
import { withConditions } from './conditions.js';
import { readExpression } from './expressions.js';
import {
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGoneExpression,
  withTerms,
  type Matched,
  type Rule,
  type RuleCode,
} from './read-rule.js';

/** How targets name the rest that an expression matched, in RewriteRule or in the RewriteCond above it. */
export const REST = /[$%]1$/;
/** Flags of a RewriteRule that change nothing of what is kept. */
const HARMLESS =
  /^(?:R|redirect|L|last|END|G|gone|NC|nocase|NE|noescape|QSA|qsappend|QSD|qsdiscard|QSL|qslast|B|BNP|BNE|BCTLS|DPI|discardpath|NS|nosubreq|E|env)$/i;

/** A RewriteRule as it is written. */
export interface Rewrite {
  expression: string;
  substitution: string;
  flags: readonly string[];
  flagText: string;
  text: string;
  /** Of the folder that the expression begins below; '' for the root. */
  base: string;
}

/** A RewriteRule with the conditions that must hold together. */
export function readRewriteRule(
  { expression, substitution, flags, flagText, text, base }: Rewrite,
  conditions: readonly RewriteCond[],
): Rule | Rule[] {
  const code = codeOfFlags(flags);
  if (code === undefined) return { kind: 'skipped', reason: 'notRedirect', text };
  if (!flags.every((flag) => HARMLESS.test(flag.split('=', 1)[0] ?? ''))) return skipConditional(`${text} ${flagText}`);
  const { target: bare, passes } = splitPassed(substitution);
  const passesQuery = passes || flags.some((flag) => /^(?:QSA|qsappend)$/i.test(flag));
  const plain = bare.replace(/\\([%$\\])/g, '$1').replace(/\?$/, '');
  const target = base === '' || /^(?:\/|https?:)/i.test(plain) ? plain : `${base}/${plain}`;
  const read = readConditions(conditions);
  if ('refused' in read) return skipConditional(read.refused);
  let matched = readBelow(base, expression);
  let compared = expression;
  if (read.request !== undefined) {
    // The rule's own expression, compared with the request as it was sent.
    if (base !== '' || !('prefix' in matched || 'pattern' in matched))
      return skipConditional(`${text} ${read.request}`);
    compared = read.request;
    matched = readExpression(compared, true);
  } else if (/%\d(?![\da-f])/i.test(target)) return skipPattern(expression, target, '% names a part of a condition');
  const rule = code > 400 ? toGoneExpression(compared, matched) : toExpressionRule(compared, matched, target, REST);
  return withConditions(withTerms(rule, { code, ...(passesQuery ? { passQuery: true } : {}) }), text, read.when);
}

/** Of `R=301`, `R`, which is 302, or `G`; undefined: it is not a redirect. */
function codeOfFlags(flags: readonly string[]): RuleCode | undefined {
  const said = flags.map((flag) => {
    if (/^(?:G|gone)$/i.test(flag)) return 410;
    const status = /^(?:R|redirect)(?:=(\w+))?$/i.exec(flag);
    return status ? codeOf(status[1] ?? '302') : undefined;
  });
  return said.find((code) => code !== undefined);
}

/** What an expression matches that is compared with the path below a folder. */
function readBelow(base: string, expression: string): Matched {
  const matched = readExpression(expression);
  if (base === '' || 'refused' in matched) return matched;
  if ('path' in matched) return { path: base + matched.path };
  return 'prefix' in matched
    ? { ...matched, prefix: base + matched.prefix }
    : { ...matched, pattern: base + matched.pattern };
}
