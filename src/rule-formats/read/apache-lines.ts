import { readExpression, readLiteral } from './expressions.js';
import { NOTHING, skipPattern, toExpressionRule, toGone, toGoneExpression, toRule, type Rule } from './read-rule.js';
import { apacheWords } from './split-words.js';

const STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;
const GONE = /^(?:410|gone)$/i;
/** How targets name the rest that an expression matched, in RewriteRule or in the RewriteCond above it. */
const REST = /[$%]1$/;

/** What stands before the path in `%{THE_REQUEST}`. */
const METHOD = '^\\S+ ';

/** Reads `Redirect`, `RedirectMatch` and `RewriteRule` of Apache with its `RewriteCond`, line by line. */
export class ApacheLines {
  /** Conditions of the next RewriteRule. */
  #conditions: (readonly string[])[] = [];

  reads(line: string): boolean {
    return /^\s*(?:redirect\w*|rewrite(?:rule|cond|engine|base|options|map))\s/i.test(line);
  }

  /** The rule of a line. It throws an ApiError invalid_request when it is read, if an address is none. */
  push(line: string): () => Rule {
    const words = apacheWords(line);
    const [first = '', ...args] = words;
    switch (first.toLowerCase()) {
      case 'redirect':
      case 'redirectpermanent':
      case 'redirecttemp':
        return () => readRedirect(args, words);
      case 'redirectmatch':
        if (GONE.test(args[0] ?? '')) return () => toGoneExpression(line.trim(), readExpression(args[1] ?? ''));
        return () => readMatch(args.filter((word) => !STATUS.test(word)));
      case 'rewritecond':
        this.#conditions.push(args);
        return () => NOTHING;
      case 'rewriterule': {
        const conditions = this.#conditions;
        this.#conditions = [];
        return () => readRewriteRule(args, conditions);
      }
      default:
        return () => NOTHING;
    }
  }
}

/** `Redirect [status] /old /new`. Apache also redirects what is below the old path: an import leaves that out. */
function readRedirect(args: readonly string[], words: readonly string[]): Rule {
  if (GONE.test(args[0] ?? '')) return toGone(args[1] ?? '');
  if (/^[45]\d\d$/.test(args[0] ?? '')) return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  const [from = '', to = ''] = args.filter((word) => !STATUS.test(word));
  const rule = toRule(from, to);
  return rule.kind === 'redirect' ? { ...rule, andBelow: true } : rule;
}

function readMatch([expression = '', to = '']: readonly string[]): Rule {
  if (expression === '' || to === '') return skipPattern(expression, to);
  return toExpressionRule(expression, readExpression(expression), to, REST);
}

function readRewriteRule(
  [expression = '', substitution = '', flags = '']: readonly string[],
  conditions: readonly (readonly string[])[],
): Rule {
  const isGone = /[[,](?:G|gone|R=410)[\],]/i.test(flags);
  if (!isGone && !/[[,]R(?:=\w+)?[\],]/i.test(flags))
    return { kind: 'skipped', reason: 'notRedirect', text: `RewriteRule ${expression} ${substitution}` };
  const target = substitution.replace(/\\([%$\\])/g, '$1').replace(/\?$/, '');
  let matched = readExpression(expression);
  let compared = expression;
  let query = '';
  for (const [tested = '', pattern = ''] of conditions) {
    const literal = tested === '%{QUERY_STRING}' ? readLiteral(pattern) : undefined;
    // The rule's own expression, compared with the request as it was sent.
    const isOwn = tested === '%{THE_REQUEST}' && pattern.startsWith(METHOD) && matched && 'prefix' in matched;
    if (literal === undefined && !isOwn)
      return { kind: 'skipped', reason: 'conditional', text: `RewriteCond ${tested} ${pattern}` };
    if (literal !== undefined) query = literal;
    else {
      compared = `^${pattern.slice(METHOD.length)}`;
      matched = readExpression(compared, true);
    }
  }
  if (query === '')
    return isGone ? toGoneExpression(compared, matched) : toExpressionRule(compared, matched, target, REST);
  if (!matched || !('path' in matched)) return skipPattern(`${expression}?${query}`, target);
  const address = `${matched.path}?${query}`;
  return isGone ? toGone(address) : toRule(address, target);
}
