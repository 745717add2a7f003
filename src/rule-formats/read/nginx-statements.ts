import { escapeDecoded } from './source-address.js';
import { readExpression, type Matched } from './expressions.js';
import { skipPattern, toExpressionRule, toGoneExpression, type Rule } from './read-rule.js';

/** Of `location` and `if`: what it matches. `variable`: it is for requests of which this is not empty. */
export interface Place {
  text: string;
  matched: Matched | undefined;
  variable?: string;
}

/** undefined: it is no rule of its own. */
export function readStatement([first, ...args]: readonly string[], block: Place | undefined): Rule | undefined {
  if (first === 'rewrite') return readRewrite(args);
  const [status = '', target] = args;
  if (first !== 'return') return undefined;
  // Of a whole server: another host or scheme, for all paths.
  if (!block) return /^3|^http/i.test(status) ? skipPattern('/*', args.join(' ')) : undefined;
  if (target === undefined && /^https?:/i.test(status)) return toExpressionRule(block.text, block.matched, status);
  if (status === '410') return toGoneExpression(block.text, block.matched);
  // `return 404` behind a redirect of the same block is no rule of its own.
  if (!/^3\d\d$/.test(status) || target === undefined)
    return block.matched && !('prefix' in block.matched)
      ? { kind: 'skipped', reason: 'notRedirect', text: `return ${args.join(' ')}` }
      : undefined;
  return toExpressionRule(block.text, block.matched, withoutHost(target));
}

/** Where all requests of a block are redirected to, as a path; else undefined. */
export function targetOf([first, ...args]: readonly string[]): string | undefined {
  const [condition = '', target = ''] = args;
  const isAll =
    first === 'return'
      ? /^3\d\d$/.test(condition)
      : first === 'rewrite' && /^(?:\^|\.\*|\^\.\*\$?|\^\(\.\*\)\$?)$/.test(condition);
  if (!isAll) return undefined;
  return target
    .replace(/^(?:\$scheme|https?):\/\/\$(?:host|http_host|server_name)(?=\$)/, '')
    .replace(/\?$/, '')
    .toLowerCase();
}

/** `rewrite ^/old$ /new permanent;`. Without such a flag or a full url, nginx rewrites the path internally. */
function readRewrite([from = '', to = '', ...flags]: readonly string[]): Rule {
  const redirects = flags.some((flag) => flag === 'permanent' || flag === 'redirect') || /^https?:/i.test(to);
  if (to === '' || from === '') return skipPattern(from, to);
  if (!redirects) return { kind: 'skipped', reason: 'notRedirect', text: `rewrite ${from} ${to}` };
  return toExpressionRule(from, readExpression(from), to.replace(/\?$/, ''));
}

export function blockOf(words: readonly string[]): Place | undefined {
  const [first, ...args] = words;
  const text = words.join(' ');
  if (first === 'location') {
    const [sign = '', path = ''] = args;
    if (sign === '=') return { text, matched: { path: escapeDecoded(path) } };
    if (sign === '~') return { text, matched: readExpression(path) };
    if (sign === '^~') return { text, matched: prefixOf(path) };
    return { text, matched: args.length === 1 ? prefixOf(sign) : undefined };
  }
  if (first !== 'if') return undefined;
  // `if ($new)`, `if ($new != "")`: of a variable that is not empty.
  const [, given] = /^\( ?(\$\w+)(?: !=)? *\)$/.exec(args.join(' ')) ?? [];
  if (given !== undefined) return { text, matched: undefined, variable: given.toLowerCase() };
  const [, variable, condition = ''] = /^\( ?(\$\w+) ~ (.*)\)$/s.exec(args.join(' ')) ?? [];
  const expression = condition.trim();
  if (variable === '$request_uri') return { text, matched: readExpression(expression, true) };
  return { text, matched: variable === '$uri' ? readExpression(expression) : undefined };
}

function prefixOf(path: string): Matched | undefined {
  return path.endsWith('/') ? { prefix: escapeDecoded(path), joinsSlash: false } : undefined;
}

function withoutHost(target: string): string {
  const bare = target
    .replace(/^\$scheme:\/\//, 'https://')
    .replace('https://$host', '')
    .replace('https://$server_name', '');
  return bare === '$request_uri' ? '/$request_uri' : bare;
}
