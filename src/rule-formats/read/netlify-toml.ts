import { invalid } from '../../base/errors.js';
import { skipConditional, toGone, toRule, type Rule } from './read-rule.js';
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
