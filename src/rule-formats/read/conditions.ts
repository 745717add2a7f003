import { hostIn, withoutDot } from './source-address.js';
import { invalid } from '../../base/errors.js';
import { readLiteral } from './expressions.js';
import { skipConditional, withTerms, type Rule } from './read-rule.js';

/** For which requests a rule holds, beside its path. Absent: not restricted. */
export interface Conditions {
  /** Any of these. */
  hosts?: readonly string[];
  /** Parameters that must all be there: `id=7&x=1`. */
  query?: string;
  validFrom?: string;
  validUntil?: string;
}

/** A rule of more hosts is no rule of a site. */
export const MAX_HOSTS = 20;
/** No rule has so many: each is held against all of them. */
export const MAX_CONDITIONS = 20;
/** The limit of paths. */
const MAX_QUERY = 2_048;
const HOST = /^(?!-)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?$/u;

/**
 * The rule with what must hold beside its path: one for each host.
 * @throws ApiError if there are too many hosts
 */
export function withConditions(rule: Rule, text: string, conditions: readonly Conditions[]): Rule | Rule[] {
  if (!('from' in rule) || conditions.length === 0) return rule;
  if (conditions.length > MAX_CONDITIONS)
    return skipConditional(`more than ${MAX_CONDITIONS} conditions: ${rule.from}`);
  const { hosts, query = '', ...dates } = conditions.reduce<Conditions>(both, {});
  if (hosts && hosts.length > MAX_HOSTS) throw invalid(undefined, `a rule may be for ${MAX_HOSTS} hosts at most.`);
  const given = withTerms(query === '' ? rule : withQuery(rule, query), dates);
  if (!hosts || !('from' in given)) return given;
  const own = hostIn(given.from) ?? given.terms?.host;
  const left = own === undefined ? hosts : hosts.filter((host) => host === own);
  if (left.length === 0) return skipConditional(`${text}: ${given.from}`);
  return own === undefined ? left.map((host) => withTerms(given, { host })) : given;
}

function both(a: Conditions, b: Conditions): Conditions {
  const hosts = a.hosts && b.hosts ? a.hosts.filter((host) => b.hosts?.includes(host)) : (a.hosts ?? b.hosts);
  const query = [a.query ?? '', b.query ?? ''].filter((one) => one !== '').join('&');
  const from = [a.validFrom ?? '', b.validFrom ?? ''].sort().at(-1);
  const [until] = [a.validUntil, b.validUntil].filter((one) => one !== undefined).sort();
  return {
    ...(hosts ? { hosts } : {}),
    ...(query === '' ? {} : { query }),
    ...(from ? { validFrom: from } : {}),
    ...(until === undefined ? {} : { validUntil: until }),
  };
}

/** A rule whose query string must have these parameters, too. Of all below a path it is a pattern. */
function withQuery(rule: Exclude<Rule, { kind: 'skipped' | 'undecided' | 'nothing' }>, query: string): Rule {
  const add = (from: string): string => {
    const [path = '', own = ''] = from.split('?', 2);
    if (own === '') return `${path}?${query}`;
    return `${path}?${[...new Set([...own.split('&'), ...query.split('&')])].join('&')}`;
  };
  const { terms } = rule;
  const others = terms ? { terms } : {};
  if (rule.kind === 'wildcard') {
    const to = rule.keepsRest ? `${rule.to}:splat` : rule.to;
    return { kind: 'pattern', action: 'redirect', from: add(`${rule.from}*`), to, ...others };
  }
  if (rule.kind === 'bare' && rule.below)
    return { kind: 'pattern', action: rule.action, from: add(`${rule.from}*`), ...others };
  return { ...rule, from: add(rule.from) };
}

/** A host name as it is written; undefined: there is none, or more than one. */
export function readHost(text: string): string | undefined {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/:(?:80|443)$/, '');
  const host = withoutDot(bare);
  return host.length < 256 && HOST.test(host) ? host : undefined;
}

/** Names of hosts; undefined: one is not a host. */
export function readHosts(texts: readonly string[]): string[] | undefined {
  const found = texts.map(readHost);
  return found.length > 0 && found.every((one) => one !== undefined) ? [...new Set(found)] : undefined;
}

/** `^(www\.)?old\.example$`: the hosts that an expression is for. */
export function readHostExpression(expression: string): string[] | undefined {
  // A dot for any character stands where only a dot can.
  const dotted = expression.replace(/(?<!\\)\.(?![*+?{])/g, '\\.');
  const [, begin = '', optional, rest = ''] = /^(\^?)(?:\((?:\?:)?([\w-]+\\\.)\)\?)?(.*)$/s.exec(dotted) ?? [];
  const bare = rest.replace(/\((?:\?:)?:(?:\\d\+|\[0-9\]\+)\)\?\$$/, '$');
  const host = begin === '' ? undefined : readLiteral(`^${bare}`);
  if (host === undefined) return undefined;
  return readHosts(optional === undefined ? [host] : [host, optional.replace('\\', '') + host]);
}

const PARAMETER_BEGINS = /^(?:\((?:\?:)?\^\|&\)|\((?:\?:)?&\|\^\)|\^\((?:\?:)?\.\*&\)\?|\(\?<=\^\|&\))/;
const PARAMETER_ENDS = /(?:\((?:\?:)?&\|\$\)|\((?:\?:)?\$\|&\)|\((?:\?:)?&\.\*\)\?\$|\(\?=&\|\$\))$/;

/**
 * `^id=7$`, `(^|&)id=7(&|$)`: the parameters that an expression of a query string asks for. Undefined: it says
 * something else, or `id=70` has them, too.
 */
function readQueryExpression(expression: string): string | undefined {
  return readLiteral(expression.replace(PARAMETER_BEGINS, '^').replace(PARAMETER_ENDS, '$'));
}

/** For a host; undefined: the text names no host, or more than that. */
export function hostCondition(text: string, isExpression: boolean): Conditions | undefined {
  const hosts = isExpression ? readHostExpression(text) : readHosts([text]);
  return hosts && { hosts };
}

/** For parameters, in the same way. */
export function queryCondition(text: string, isExpression: boolean): Conditions | undefined {
  const query = isExpression ? readQueryExpression(text) : text;
  return query !== undefined && isQuery(query) ? { query } : undefined;
}

/** A parameter and the value that is asked for: `id` and `7`. */
export function readParameter(name: string, value: string | undefined): string | undefined {
  return name !== '' && value !== undefined && isQuery(value) && !value.includes('&') ? `${name}=${value}` : undefined;
}

function isQuery(text: string): boolean {
  return text !== '' && text.length <= MAX_QUERY && !/[#\s]/.test(text);
}

/** `>20260101000000` of `%{TIME}` in Apache. */
export function readApacheTime(text: string): Conditions | undefined {
  const [, sign, ...parts] = /^([<>])=?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const [year, month, day, hour, minute, second] = parts;
  const at = moment(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at === undefined ? undefined : sign === '>' ? { validFrom: at } : { validUntil: at };
}

/** Of a date alone: year, month and day; a month first only where the day cannot be one. */
function dayOf(text: string): string | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  const [, a = '', sign, b = '', year = ''] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  const dayFirst = sign === '.' || Number(a) > 12 || a === b;
  const parts = iso?.slice(1) ?? (dayFirst ? [year, b, a] : Number(b) > 12 ? [year, a, b] : []);
  return parts.length < 3 || parts[0] === '' ? undefined : parts.map((one) => one.padStart(2, '0')).join('-');
}

/**
 * A date, and perhaps a time, of UTC unless it says otherwise, as a moment. A date alone begins with its day, or with
 * `isEnd` ends with it; or the seconds or thousandths of Unix. Undefined: it is not a date, or day and month may be
 * taken for each other.
 */
export function readDate(text: string, isEnd: boolean): string | undefined {
  const [, seconds] = /^([1-4]\d{9})(?:\d{3})?$/.exec(text.trim()) ?? [];
  if (seconds !== undefined) return new Date(Number(seconds) * 1_000).toISOString();
  const [, date = '', time = '', zone = ''] =
    /^(\S+?)(?:(?:T|\s+)(\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? [];
  const day = dayOf(date);
  if (day === undefined) return undefined;
  if (time !== '') {
    const offset = /\d/.test(zone) ? zone.replace(/(\d\d):?(\d\d)$/, '$1:$2') : 'Z';
    return moment(`${day}T${time.replace(/^\d:/, '0$&')}${offset}`, day);
  }
  const begin = moment(`${day}T00:00:00Z`, day);
  if (begin === undefined || !isEnd) return begin;
  return moment(new Date(Date.parse(begin) + 86_400_000).toISOString(), day);
}

/** `9999-12-31` is meant as never, and has no next midnight. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];

/** @param day that must be there: there is no 31 February */
function moment(text: string, day = text.slice(0, 10)): string | undefined {
  const dayAt = Date.parse(`${day}T00:00:00Z`);
  const at = Date.parse(text);
  if (Number.isNaN(at) || Number.isNaN(dayAt) || !new Date(dayAt).toISOString().startsWith(day)) return undefined;
  return new Date(Math.min(Math.max(at, FIRST), LAST)).toISOString();
}
