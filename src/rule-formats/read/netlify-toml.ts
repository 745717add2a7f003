import { MAX_LEVELS } from '../../base/nesting.js';
import { parse } from 'smol-toml';
import { invalid, messageOf, OperatorError } from '../../base/errors.js';
import { toGone, toRule, type Rule } from './read-rule.js';

/** Tables that make a rule one for some visitors. */
const CONDITIONS = ['conditions', 'headers', 'signed'];

/**
 * The rules of a `netlify.toml`: `[[redirects]]` with from, to, status, query. Lines are those of `from`.
 * @throws OperatorError if it is no TOML
 */
export function readNetlifyToml(name: string, text: string): { line: number; rule: () => Rule }[] {
  let document: Record<string, unknown>;
  try {
    document = parse(text, { maxDepth: MAX_LEVELS });
  } catch (error) {
    throw new OperatorError(`${name}: ${messageOf(error).split('\n')[0] ?? ''}`, { cause: error });
  }
  const redirects: unknown = document['redirects'];
  if (!Array.isArray(redirects)) return [];
  const lines = text.split('\n').flatMap((line, at) => (/^\s*\[\[\s*redirects\s*\]\]/.test(line) ? [at + 1] : []));
  return (redirects as unknown[]).map((one, at) => ({ line: lines[at] ?? 1, rule: () => readOne(one) }));
}

function readOne(value: unknown): Rule {
  const { from, to, status, query, ...others } = (value ?? {}) as Record<string, unknown>;
  if (typeof from !== 'string') throw invalid('path', 'a redirect must have a text `from`.');
  const target = typeof to === 'string' ? to : '';
  const text = `${from} ${target}`;
  const asked = Object.entries((query ?? {}) as Record<string, unknown>);
  const isCaptured = asked.some(([, wanted]) => typeof wanted !== 'string' || /^[:*]/.test(wanted));
  if (isCaptured || CONDITIONS.some((name) => name in others)) return { kind: 'skipped', reason: 'conditional', text };
  const source =
    asked.length === 0 ? from : `${from}?${asked.map(([key, wanted]) => `${key}=${String(wanted)}`).join('&')}`;
  if (status === 410) return toGone(source);
  // 200 shows another page in its place, 404 an error page.
  if (status !== undefined && !(Number(status) >= 300 && Number(status) < 400))
    return { kind: 'skipped', reason: 'notRedirect', text };
  if (target === '') return { kind: 'skipped', reason: 'noTarget', text };
  return toRule(source, target);
}
