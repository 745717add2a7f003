import { hostIn, withoutDot } from './source-address.js';
import { invalid } from '../../base/errors.js';
import { readLiteral } from './expressions.js';
import { onlyGiven, skipConditional, withTerms, type Rule } from './read-rule.js';

/** The conditions, apart from its path, under which a rule holds for a request. An absent field restricts nothing. */
export interface Conditions {
  /** The host of the request must be one of these. */
  hosts?: readonly string[];
  /** Parameters that must all be in the query string: `id=7&x=1`. */
  query?: string;
  validFrom?: string;
  validUntil?: string;
}

/** A rule for more hosts is not the rule of one site. */
export const MAX_HOSTS = 20;
/**
 * No real rule has more conditions. The limit bounds the work, since each rule is compared with all of its conditions.
 */
export const MAX_CONDITIONS = 20;
/** The limit of a query string is that of paths, in characters. */
const MAX_QUERY = 2_048;
const HOST = /^(?!-)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?$/u;

/**
 * Adds conditions to a rule; returns one rule for each host.
 * @throws ApiError if there are too many hosts
 */
export function withConditions(rule: Rule, text: string, conditions: readonly Conditions[]): Rule | Rule[] {
  if (!('from' in rule) || conditions.length === 0) return rule;
  if (conditions.length > MAX_CONDITIONS)
    return skipConditional(`more than ${MAX_CONDITIONS} conditions: ${rule.from}`);
  const { hosts, query = '', ...dates } = conditions.reduce<Conditions>(both, {});
  if (hosts && hosts.length > MAX_HOSTS) throw invalid(undefined, `a rule may be for ${MAX_HOSTS} hosts at most.`);
  const limited = withTerms(query === '' ? rule : withQuery(rule, query), dates);
  if (!hosts || !('from' in limited)) return limited;
  const ownHost = hostIn(limited.from) ?? limited.terms?.host;
  const left = ownHost === undefined ? hosts : hosts.filter((host) => host === ownHost);
  if (left.length === 0) return skipConditional(`${text}: ${limited.from}`);
  return ownHost === undefined ? left.map((host) => withTerms(limited, { host })) : limited;
}

function both(a: Conditions, b: Conditions): Conditions {
  const hosts = a.hosts && b.hosts ? a.hosts.filter((host) => b.hosts?.includes(host)) : (a.hosts ?? b.hosts);
  const query = [a.query ?? '', b.query ?? ''].filter((part) => part !== '').join('&');
  const from = [a.validFrom ?? '', b.validFrom ?? ''].sort().at(-1);
  const [until] = [a.validUntil, b.validUntil].filter((date) => date !== undefined).sort();
  return onlyGiven({ hosts, query, validFrom: from, validUntil: until });
}

/** Adds parameters that the query string of a request must have. A rule for all paths below one becomes a pattern. */
function withQuery(rule: Exclude<Rule, { kind: 'skipped' | 'undecided' | 'nothing' }>, query: string): Rule {
  const add = (from: string): string => {
    const [path = '', ownQuery = ''] = from.split('?', 2);
    if (ownQuery === '') return `${path}?${query}`;
    return `${path}?${[...new Set([...ownQuery.split('&'), ...query.split('&')])].join('&')}`;
  };
  const { terms } = rule;
  const keptTerms = terms ? { terms } : {};
  if (rule.kind === 'wildcard') {
    const to = rule.keepsRest ? `${rule.to}:splat` : rule.to;
    return { kind: 'pattern', action: 'redirect', from: add(`${rule.from}*`), to, ...keptTerms };
  }
  if (rule.kind === 'bare' && rule.below)
    return { kind: 'pattern', action: rule.action, from: add(`${rule.from}*`), ...keptTerms };
  return { ...rule, from: add(rule.from) };
}

/**
 * Reads a host name, in lower case, without a usual port (80, 443) and a dot at its end. Undefined if the text is not
 * one host name.
 */
export function readHost(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  const host = withoutDot(name.replace(/:(?:80|443)$/, ''));
  return host.length < 256 && HOST.test(host) ? host : undefined;
}

/** Reads names of hosts; undefined if one of them is not a host, or if there is none. */
export function readHosts(texts: readonly string[]): string[] | undefined {
  const hosts = texts.map(readHost);
  return hosts.length > 0 && hosts.every((host) => host !== undefined) ? [...new Set(hosts)] : undefined;
}

/** Reads the hosts that an expression such as `^(www\.)?old\.example$` is for; undefined if it is not understood. */
export function readHostExpression(expression: string): string[] | undefined {
  // An unescaped dot is for any character, but it stands where a host name can only have a dot.
  const dotted = expression.replace(/(?<!\\)\.(?![*+?{])/g, '\\.');
  const [, begin = '', optional, rest = ''] = /^(\^?)(?:\((?:\?:)?([\w-]+\\\.)\)\?)?(.*)$/s.exec(dotted) ?? [];
  const bare = rest.replace(/\((?:\?:)?:(?:\\d\+|\[0-9\]\+)\)\?\$$/, '$');
  const host = begin === '' ? undefined : readLiteral(`^${bare}`);
  if (host === undefined) return undefined;
  return readHosts(optional === undefined ? [host] : [host, optional.replace('\\', '') + host]);
}

/**
 * An expression requires a parameter between such a beginning and such an end, as in `^id=7$` or `(^|&)id=7(&|$)`; one
 * without them would match `id=70`, too.
 */
const PARAMETER_BEGINS = /^(?:\((?:\?:)?\^\|&\)|\((?:\?:)?&\|\^\)|\^\((?:\?:)?\.\*&\)\?|\(\?<=\^\|&\))/;
const PARAMETER_ENDS = /(?:\((?:\?:)?&\|\$\)|\((?:\?:)?\$\|&\)|\((?:\?:)?&\.\*\)\?\$|\(\?=&\|\$\))$/;

/** Reads a condition on the host; undefined if the text is anything but names of hosts. */
export function hostCondition(text: string, isExpression: boolean): Conditions | undefined {
  const hosts = isExpression ? readHostExpression(text) : readHosts([text]);
  return hosts && { hosts };
}

/** Reads a condition on the query string; undefined if the text is anything but parameters. */
export function queryCondition(text: string, isExpression: boolean): Conditions | undefined {
  const query = isExpression ? readLiteral(text.replace(PARAMETER_BEGINS, '^').replace(PARAMETER_ENDS, '$')) : text;
  return query !== undefined && isQuery(query) ? { query } : undefined;
}

/** Joins a parameter and the value that it must have: `id` and `7` give `id=7`. Undefined if they cannot be joined. */
export function readParameter(name: string, value: string | undefined): string | undefined {
  return name !== '' && value !== undefined && isQuery(value) && !value.includes('&') ? `${name}=${value}` : undefined;
}

function isQuery(text: string): boolean {
  return text !== '' && text.length <= MAX_QUERY && !/[#\s]/.test(text);
}

/** Reads the time with which Apache compares `%{TIME}`, such as `>20260101000000`. */
export function readApacheTime(text: string): Conditions | undefined {
  const [, sign, ...parts] = /^([<>])=?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const [year, month, day, hour, minute, second] = parts;
  const at = moment(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at === undefined ? undefined : sign === '>' ? { validFrom: at } : { validUntil: at };
}

/**
 * Reads a date without a time as year, month and day. The month comes before the day only if the day cannot be a month.
 * Undefined if the text is no date, or if day and month may be taken for each other.
 */
function dayOf(text: string): string | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  const [, a = '', sign, b = '', year = ''] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  const dayFirst = sign === '.' || Number(a) > 12 || a === b;
  const parts = iso?.slice(1) ?? (dayFirst ? [year, b, a] : Number(b) > 12 ? [year, a, b] : []);
  return parts.length < 3 || parts[0] === '' ? undefined : parts.map((part) => part.padStart(2, '0')).join('-');
}

/**
 * Reads a date, perhaps with a time, as a moment; it is in UTC unless it names another zone. A date alone is the
 * beginning of its day, or with `isEnd` its end. A number is the seconds or thousandths of Unix. Undefined: it is not a
 * date, or day and month may be taken for each other.
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

/** The date `9999-12-31` means never, and has no next midnight. */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];

/** @param day the date, which must exist: there is no 31 February */
function moment(text: string, day = text.slice(0, 10)): string | undefined {
  const dayAt = Date.parse(`${day}T00:00:00Z`);
  const at = Date.parse(text);
  if (Number.isNaN(at) || Number.isNaN(dayAt) || !new Date(dayAt).toISOString().startsWith(day)) return undefined;
  return new Date(Math.min(Math.max(at, FIRST), LAST)).toISOString();
}
