import { escapeDecoded } from './source-address.js';
import { readExpression, readLiteral, type Matched } from './expressions.js';
import {
  hostCondition,
  queryCondition,
  readHost,
  readHostExpression,
  readParameter,
  type Conditions,
} from './conditions.js';
import { codeOf, skipConditional, skipPattern, withTerms, type Rule, type RuleCode } from './read-rule.js';
import { inScopes, isPath, nameHosts, startsWith, type Scope } from './scopes.js';
import { allBelow, toMatchedRule } from './to-rule.js';

/**
 * A `location`, `if` or `server`, and what it matches. `variable`: the block is for requests in which this variable is
 * not empty.
 */
export interface Place extends Scope {
  matched: Matched;
  variable?: string;
  isCondition?: true;
  /** Whether the block is a `server`, or has a condition that does not concern the path. */
  isOfAllPaths?: true;
  isServer?: true;
}

const UNREAD: Matched = { refused: 'what its block matches is not understood' };
/** This matches expressions that every request matches. */
const ALL = /^(?:\^|\.\*|\(\.\*\)|\^\.\*\$?|\^\(\.\*\)\$?|\^\/\(?\.\*\)?\$?)$/;

/**
 * Reads a statement as a rule.
 * @param around the blocks around the statement, the innermost last
 * @returns undefined if the statement is not a rule by itself
 */
export function readStatement(words: readonly string[], around: readonly Place[]): Rule | Rule[] | undefined {
  const block = around.findLast(({ isOfAllPaths }) => !isOfAllPaths);
  const rule = readInside(words, block);
  return rule && inScopes(withTerms(rule, { code: answerOf(words) }), around);
}

/** Finds the code with which a `return` or `rewrite` answers. */
export function answerOf([first, ...args]: readonly string[]): RuleCode | undefined {
  if (first === 'return') return args.length === 1 && /^https?:/i.test(args[0] ?? '') ? 302 : codeOf(args[0] ?? '');
  return first === 'rewrite' ? (args.includes('permanent') ? 301 : 302) : undefined;
}

function readInside([first, ...args]: readonly string[], block: Place | undefined): Rule | undefined {
  if (first === 'rewrite') return readRewrite(args, block);
  const [status = '', target] = args;
  if (first !== 'return') return undefined;
  // The `return` of a whole server leads all paths to another host or scheme.
  if (!block) return /^3|^http/i.test(status) ? skipPattern('/*', args.join(' ')) : undefined;
  if (target === undefined && /^https?:/i.test(status))
    return toMatchedRule(block.text, block.matched, { target: status });
  if (status === '410' || status === '451') return toMatchedRule(block.text, block.matched, {});
  // `return 404` behind a redirect of the same block is no rule of its own.
  if (codeOf(status) === undefined || target === undefined)
    return 'path' in block.matched
      ? { kind: 'skipped', reason: 'notRedirect', text: `return ${args.join(' ')}` }
      : undefined;
  return toMatchedRule(block.text, block.matched, { target: withoutHost(target) });
}

/**
 * Returns the target to which all requests of a block are redirected, as a path in lower case; undefined if there is
 * none.
 */
export function targetOf([first, ...args]: readonly string[]): string | undefined {
  const [condition = '', target = ''] = args;
  const isAll = first === 'return' ? /^3\d\d$/.test(condition) : first === 'rewrite' && ALL.test(condition);
  if (!isAll) return undefined;
  return target
    .replace(/^(?:\$scheme|https?):\/\/\$(?:host|http_host|server_name)(?=\$)/, '')
    .replace(/\?$/, '')
    .toLowerCase();
}

/** Reads `rewrite ^/old$ /new permanent;`. Without such a flag or a full url, nginx rewrites the path internally. */
function readRewrite([from = '', to = '', ...flags]: readonly string[], block: Place | undefined): Rule {
  const redirects = flags.some((flag) => flag === 'permanent' || flag === 'redirect') || /^https?:/i.test(to);
  if (to === '' || from === '') return skipPattern(from, to);
  if (!redirects) return { kind: 'skipped', reason: 'notRedirect', text: `rewrite ${from} ${to}` };
  const target = to.replace(/\?$/, '');
  // An expression for all requests stands for the path of its block. What an `if` compares is not part of the
  // expression.
  if (block && ALL.test(from)) return toMatchedRule(block.text, block.matched, { target });
  if (block?.isCondition) return skipConditional(`${block.text}: ${from} ${to}`);
  return toMatchedRule(from, readExpression(from), { target });
}

/** Reads the words that open a block; undefined for a block of the whole site. */
export function blockOf(words: readonly string[]): Place | undefined {
  const [first = '', ...args] = words;
  const text = words.join(' ');
  if (first === 'http') return undefined;
  if (first === 'server') return { text, matched: UNREAD, isServer: true, isOfAllPaths: true };
  if (first === 'location') return locationOf(args, text);
  if (first !== 'if') return { text, matched: UNREAD, only: true };
  // The conditions `if ($new)` and `if ($new != "")` hold if the variable is not empty.
  const [, tested] = /^\( ?(\$\w+)(?: !=)? *\)$/.exec(args.join(' ')) ?? [];
  if (tested !== undefined) return { text, matched: UNREAD, isCondition: true, variable: tested.toLowerCase() };
  const [, variable = '', sign = '', condition = ''] = /^\( ?(\$\w+) (=|~\*?) (.*)\)$/s.exec(args.join(' ')) ?? [];
  const compared = condition.trim();
  const when = conditionOf(variable, sign, compared);
  if (when) return { text, matched: UNREAD, isCondition: true, isOfAllPaths: true, when };
  const isRaw = variable === '$request_uri';
  if (sign !== '~' || !(isRaw || variable === '$uri')) return { text, matched: UNREAD, isCondition: true };
  return { text, matched: readExpression(compared, isRaw), isCondition: true };
}

function conditionOf(variable: string, sign: string, compared: string): Conditions | undefined {
  const isExpression = sign !== '=';
  if (/^\$(?:host|http_host|server_name)$/.test(variable)) return hostCondition(compared, isExpression);
  if (variable === '$args' || variable === '$query_string') return queryCondition(compared, isExpression);
  const [, name = ''] = /^\$arg_(\w+)$/.exec(variable) ?? [];
  const query = readParameter(name, isExpression ? readLiteral(compared) : compared);
  return query === undefined ? undefined : { query };
}

/** Adds the hosts of `server_name a.example b.example` to a server; `_` is for any host. */
export function nameServer(server: Place, names: readonly string[]): void {
  if (names.some((name) => name === '_' || name === '')) return;
  const hosts = names.map((name) => (name.startsWith('~') ? readHostExpression(name.slice(1)) : readHost(name)));
  const known = hosts.flatMap((host) => host ?? []);
  nameHosts(server, hosts.includes(undefined) ? undefined : known, `server_name ${names.join(' ')}`);
}

function locationOf(args: readonly string[], text: string): Place {
  const [sign = '', path = ''] = args;
  if (sign === '=') return { text, matched: { path: escapeDecoded(path) }, takes: isPath(escapeDecoded(path)) };
  if (sign === '~') {
    const expression = path.replaceAll('(?s:.)', '.');
    const matched = readExpression(expression);
    // An expression without an end is for all paths that begin so.
    const takes = takenBy(matched) ?? takenBy(readExpression(`${expression}.*`));
    return takes || 'pattern' in matched ? { text, matched, takes } : { text, matched, only: true };
  }
  const prefix = sign === '^~' ? path : args.length === 1 ? sign : '';
  // The location has a name, or compares paths in a way that is not read.
  if (!prefix.startsWith('/')) return { text, matched: UNREAD, only: true };
  const beginning = escapeDecoded(prefix);
  const matched = prefix.endsWith('/')
    ? allBelow(beginning)
    : { refused: 'it is for all paths that begin so, in the middle of a name, too' };
  return { text, matched, takes: startsWith(beginning) };
}

/** Tells which paths an expression takes: one path, or all that begin so; undefined if it is for others. */
function takenBy(matched: Matched): Place['takes'] {
  if ('path' in matched) return isPath(matched.path);
  const beginning = 'pattern' in matched ? /^(.*\/)\*$/s.exec(matched.pattern)?.[1] : undefined;
  return beginning === undefined || /:(?!number\/)/.test(beginning) ? undefined : startsWith(beginning);
}

function withoutHost(target: string): string {
  const bare = target
    .replace(/^\$scheme:\/\//, 'https://')
    .replace('https://$host', '')
    .replace('https://$server_name', '');
  return bare === '$request_uri' ? '/$request_uri' : bare;
}
