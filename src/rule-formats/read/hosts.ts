import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { invalid } from '../../base/errors.js';
import { skipConditional, skipPattern, toGone, toRule, toWildcard, type Rule } from './read-rule.js';
import { tableOf } from './traefik.js';

/** What a redirect may say without becoming one for some visitors only. */
const HARMLESS = new Set(['force']);

/** A table `[[redirects]]` of a `netlify.toml`, with from, to, status, query. */
export function readNetlify(value: unknown): Rule {
  const { from, to, status, query, ...others } = tableOf(value);
  if (typeof from !== 'string') throw invalid('path', 'a redirect must have a text `from`.');
  const target = typeof to === 'string' ? to : '';
  const text = `${from} ${target}`;
  const asked = Object.entries(tableOf(query));
  const isCaptured = asked.some(([, wanted]) => typeof wanted !== 'string' || /^[:*]/.test(wanted));
  const isHarmless = Object.entries(others).every(([name, said]) => HARMLESS.has(name) || isEmpty(said));
  if (isCaptured || !isHarmless) return skipConditional(text);
  const source =
    asked.length === 0 ? from : `${from}?${asked.map(([key, wanted]) => `${key}=${String(wanted)}`).join('&')}`;
  if (status === 410) return toGone(source);
  // 200 shows another page in its place, 404 an error page.
  if (status !== undefined && ![301, 302, 303, 307, 308].includes(Number(status)))
    return { kind: 'skipped', reason: 'notRedirect', text };
  if (target === '') return { kind: 'skipped', reason: 'noTarget', text };
  return toRule(source, target);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** The redirects in the document of a host, in JSON or YAML. Undefined: it is none of a host. */
export function redirectsOf(root: unknown): { items: readonly unknown[]; read: (item: YAMLMap) => Rule } | undefined {
  const redirects = isMap(root) ? root.get('redirects', true) : root;
  return isSeq(redirects) ? { items: redirects.items, read: readVercel } : undefined;
}

/** What a redirect may say besides conditions; `basePath` and `locale` are of Next.js. */
const KNOWN = new Set(['source', 'destination', 'permanent', 'statusCode', 'has', '$comment', 'comment']);

function textOf(map: YAMLMap, key: string): string {
  const value = map.get(key, true);
  return isScalar(value) && typeof value.value === 'string' ? value.value : '';
}

/** `{"source": "/old/:rest*", "destination": "/new/:rest*", "has": [{"type": "query", "key": "id", "value": "7"}]}` */
function readVercel(item: YAMLMap): Rule {
  const [source, destination] = [textOf(item, 'source'), textOf(item, 'destination')];
  const text = `${source} ${destination}`;
  const unknown = item.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return skipConditional(`${unknown}: ${text}`);
  const status = item.get('statusCode', true);
  if (isScalar(status) && !/^30[12378]$/.test(String(status.value)))
    return { kind: 'skipped', reason: 'notRedirect', text };
  const parameters: string[] = [];
  const has = item.get('has', true);
  for (const condition of isSeq(has) ? has.items : []) {
    if (!isMap(condition)) return skipConditional(text);
    const [type, key, value] = ['type', 'key', 'value'].map((name) => textOf(condition, name));
    // A value is a regular expression; without one any is meant.
    if (type !== 'query' || !key || !value || /[^\w~%=-]/.test(value)) return skipConditional(text);
    parameters.push(`${key}=${value}`);
  }
  const [, prefix, name] = /^(.*\/):(\w+)(?:\*|\+|\(\.[*+]\))?$/s.exec(source) ?? [];
  if (prefix !== undefined && name !== undefined && parameters.length === 0 && !isPattern(prefix)) {
    const bare = destination.replace(new RegExp(`:${name}[*+]?$`), '');
    if (!/[*+)]$/.test(source) || hasParameter(bare)) return skipPattern(source, destination);
    return toWildcard(unescapeSource(prefix), bare, bare !== destination);
  }
  if (isPattern(source) || hasParameter(destination)) return skipPattern(source, destination);
  const path = unescapeSource(source);
  return toRule(parameters.length === 0 ? path : `${path}?${parameters.join('&')}`, destination);
}

function isPattern(source: string): boolean {
  return /[:*+?(){}]/.test(source.replace(/\\./g, ''));
}

function hasParameter(destination: string): boolean {
  return /\/:\w/.test(destination);
}

function unescapeSource(source: string): string {
  return source.replace(/\\(.)/g, '$1');
}
