import { escapeDecoded } from './source-address.js';
import { readExpression } from './expressions.js';
import {
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGoneExpression,
  type Rule,
  type Matched,
} from './read-rule.js';
import { inScopes, isPath, startsWith, type Scope } from './scopes.js';

/** Of `location` and `if`: what it matches. `variable`: it is for requests of which this is not empty. */
export interface Place extends Scope {
  matched: Matched | undefined;
  variable?: string;
  isCondition?: true;
}

/** What all requests match. */
const ALL = /^(?:\^|\.\*|\(\.\*\)|\^\.\*\$?|\^\(\.\*\)\$?|\^\/\(?\.\*\)?\$?)$/;

/**
 * @param around the blocks that it stands in, the innermost last
 * @returns undefined: it is no rule of its own
 */
export function readStatement(words: readonly string[], around: readonly Place[]): Rule | undefined {
  const rule = readInside(words, around.at(-1));
  return rule && inScopes(rule, around);
}

function readInside([first, ...args]: readonly string[], block: Place | undefined): Rule | undefined {
  if (first === 'rewrite') return readRewrite(args, block);
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
  const isAll = first === 'return' ? /^3\d\d$/.test(condition) : first === 'rewrite' && ALL.test(condition);
  if (!isAll) return undefined;
  return target
    .replace(/^(?:\$scheme|https?):\/\/\$(?:host|http_host|server_name)(?=\$)/, '')
    .replace(/\?$/, '')
    .toLowerCase();
}

/** `rewrite ^/old$ /new permanent;`. Without such a flag or a full url, nginx rewrites the path internally. */
function readRewrite([from = '', to = '', ...flags]: readonly string[], block: Place | undefined): Rule {
  const redirects = flags.some((flag) => flag === 'permanent' || flag === 'redirect') || /^https?:/i.test(to);
  if (to === '' || from === '') return skipPattern(from, to);
  if (!redirects) return { kind: 'skipped', reason: 'notRedirect', text: `rewrite ${from} ${to}` };
  const target = to.replace(/\?$/, '');
  // In the block of one path; what an `if` compares is no part of the rule's own expression.
  if (block && ALL.test(from)) return toExpressionRule(block.text, block.matched, target);
  if (block?.isCondition) return skipConditional(`${block.text}: ${from} ${to}`);
  return toExpressionRule(from, readExpression(from), target);
}

/** undefined: a block of the whole site. */
export function blockOf(words: readonly string[]): Place | undefined {
  const [first = '', ...args] = words;
  const text = words.join(' ');
  if (first === 'http' || first === 'server') return undefined;
  if (first === 'location') return locationOf(args, text);
  if (first !== 'if') return { text, matched: undefined, only: true };
  // `if ($new)`, `if ($new != "")`: of a variable that is not empty.
  const [, given] = /^\( ?(\$\w+)(?: !=)? *\)$/.exec(args.join(' ')) ?? [];
  if (given !== undefined) return { text, matched: undefined, isCondition: true, variable: given.toLowerCase() };
  const [, variable, condition = ''] = /^\( ?(\$\w+) ~ (.*)\)$/s.exec(args.join(' ')) ?? [];
  const expression = condition.trim();
  const isRaw = variable === '$request_uri';
  const matched = isRaw || variable === '$uri' ? readExpression(expression, isRaw) : undefined;
  return { text, matched, isCondition: true };
}

function locationOf(args: readonly string[], text: string): Place {
  const [sign = '', path = ''] = args;
  if (sign === '=') return { text, matched: { path: escapeDecoded(path) }, takes: isPath(escapeDecoded(path)) };
  if (sign === '~') {
    const expression = path.replaceAll('(?s:.)', '.');
    const matched = readExpression(expression);
    const begun = matched ?? readExpression(`${expression}.*`);
    if (!begun) return { text, matched, only: true };
    return { text, matched, takes: 'path' in begun ? isPath(begun.path) : startsWith(begun.prefix) };
  }
  const prefix = sign === '^~' ? path : args.length === 1 ? sign : '';
  // Of a name, or compared in a way that is not read.
  if (!prefix.startsWith('/')) return { text, matched: undefined, only: true };
  return { text, matched: prefixOf(prefix), takes: startsWith(escapeDecoded(prefix)) };
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
