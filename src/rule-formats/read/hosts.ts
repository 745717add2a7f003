import { invalid } from '../../base/errors.js';
import { hostCondition, withConditions, type Conditions } from './conditions.js';
import { readExpression } from './expressions.js';
import { codeOf, skipConditional, withTerms, type Rule, type RuleCode } from './read-rule.js';
import { toBare, toMatchedRule, toRule } from './to-rule.js';

/** A table of a configuration, in JSON or TOML. */
type Table = Readonly<Record<string, unknown>>;

export function tableOf(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** Reads a table `[[redirects]]` of a `netlify.toml`, with from, to, status, query. */
export function readNetlify(value: unknown): Rule {
  const { from, to, status, query, ...unread } = tableOf(value);
  if (typeof from !== 'string') throw invalid('path', 'a redirect must have a text `from`.');
  const target = typeof to === 'string' ? to : '';
  const text = `${from} ${target}`;
  const pairs = Object.entries(tableOf(query));
  const isCaptured = pairs.some(([, wanted]) => typeof wanted !== 'string' || /^[:*]/.test(wanted));
  // The field `force` does not limit a redirect to some visitors.
  const isHarmless = Object.entries(unread).every(([name, setting]) => name === 'force' || isEmpty(setting));
  if (isCaptured || !isHarmless) return skipConditional(text);
  const source =
    pairs.length === 0 ? from : `${from}?${pairs.map(([key, wanted]) => `${key}=${String(wanted)}`).join('&')}`;
  const code = codeOfStatus(status ?? 301);
  if (code !== undefined && code > 400) return withTerms(toBare('gone', source), { code });
  // The status 200 shows another page in place of the path, and 404 an error page.
  if (code === undefined) return { kind: 'skipped', reason: 'notRedirect', text };
  if (target === '') return { kind: 'skipped', reason: 'noTarget', text };
  return withTerms(toRule(source, target), { code });
}

function codeOfStatus(status: unknown): RuleCode | undefined {
  return typeof status === 'number' || typeof status === 'string' ? codeOf(String(status)) : undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A redirect may have these fields. Others are refused, such as `basePath` and `locale` of Next.js. */
const KNOWN = new Set(['source', 'destination', 'permanent', 'statusCode', 'has', '$comment', 'comment']);

/**
 * Reads a redirect of Vercel:
 * `{"source": "/old/:rest*", "destination": "/new/:rest*", "has": [{"type": "query", "key": "id", "value": "7"}]}`
 */
export function readVercel(value: unknown): Rule | Rule[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(undefined, 'a redirect must be an object with source and destination.');
  const redirect = tableOf(value);
  const [source = '', destination = ''] = textsOf(redirect, 'source', 'destination');
  const text = `${source} ${destination}`;
  const unknown = Object.keys(redirect).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return skipConditional(`${unknown}: ${text}`);
  // A redirect is permanent unless it names another status.
  const code = codeOfStatus(redirect['statusCode'] ?? (redirect['permanent'] === false ? 307 : 308));
  if (code === undefined || code > 400) return { kind: 'skipped', reason: 'notRedirect', text };
  const { has } = redirect;
  const conditions = Array.isArray(has) ? has.map(readHas) : [];
  const known = conditions.filter((condition) => condition !== undefined);
  if (known.length < conditions.length) return skipConditional(text);
  const isPattern = /[:*+?(){}]/.test(source.replace(/\\./g, ''));
  const rule = isPattern
    ? toMatchedRule(source, readExpression(expressionOf(source), true), { target: namedTarget(destination) })
    : toRule(source.replace(/\\(.)/g, '$1'), destination);
  return withConditions(withTerms(rule, { code }), text, known);
}

function textsOf(table: Table, ...names: string[]): string[] {
  return names.map((name) => table[name]).map((value) => (typeof value === 'string' ? value : ''));
}

/**
 * Reads a condition; undefined if it is not understood. Its value is a regular expression. Without a value any value is
 * meant, which is not read.
 */
function readHas(condition: unknown): Conditions | undefined {
  const [type, key, value = ''] = textsOf(tableOf(condition), 'type', 'key', 'value');
  if (type === 'host') return value.includes('\\') ? hostCondition(`^${value}$`, true) : hostCondition(value, false);
  return type === 'query' && key && value && !/[^\w~%=-]/.test(value) ? { query: `${key}=${value}` } : undefined;
}

/** This matches the parts of a source: `\.`, `:name`, `:name(\d+)`, `:name*`, `(.*)`, and any other character. */
const PARTS = /\\(.)|:(\w+)(?:\(((?:[^()\\]|\\.)*)\)|([*+]))?|\(((?:[^()\\]|\\.)*)\)|([^])/gu;

function expressionOf(source: string): string {
  // The request is compared as it is sent.
  const sent = source.replace(/[^ -~]+/g, (text) => encodeURI(Buffer.from(text).toString()));
  const expression = sent.replace(
    PARTS,
    (_, escaped?: string, name?: string, ownExpression?: string, isRest?: string, group?: string, plain?: string) => {
      if (name !== undefined) return `(?<${name}>${ownExpression ?? (isRest ? '.*' : '[^/]+')})`;
      if (group !== undefined) return `(${group})`;
      // An optional or repeated part stays as it is, and is refused as an expression.
      const other = plain ?? '';
      return /^[{}?+*]$/.test(other) ? other : (escaped ?? other).replace(/[^\w/%]/g, '\\$&');
    },
  );
  return `^${expression}$`;
}

/** Writes the names of a destination (`:name`, `:name*`) as those of groups. */
function namedTarget(destination: string): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(destination)?.[0] ?? '';
  return origin + destination.slice(origin.length).replace(/:([a-z_]\w*)[*+]?/gi, '${$1}');
}
