import { invalid } from '../../errors.js';

/** A rule of a redirect file. */
export type Rule =
  /** `row`: the rule as a JSON object, if the file has it so. */
  | { kind: 'redirect'; from: string; to: string; row?: Record<string, unknown> }
  /** Gone for good: nothing took its place. */
  | { kind: 'gone'; from: string }
  | { kind: 'skipped'; reason: SkipReason; text: string }
  /** A comment, a blank line, a brace. */
  | { kind: 'nothing' };

/** A rule or the reason why it is refused, and the line where it begins. */
export type LocatedRule = { line: number } & (Rule | { kind: 'refused'; reason: string });

/** Rules that are understood but redirect no single path to a page. */
export const SKIP_REASONS = {
  pattern: 'a wildcard or pattern: it names no single old path',
  notRedirect: 'not a redirect: a rewrite, a proxy rule or an error page',
  conditional: 'holds for some visitors only',
  noTarget: 'without a new address',
  undecided: 'marked for review',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export const NOTHING: Rule = { kind: 'nothing' };

/** @throws ApiError that names `path` or `expected`: it is neither a path nor a full url. */
export function toRule(from: string, to: string, row?: Record<string, unknown>): Rule {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  if (!isAddress(to)) throw invalid('expected', 'expected must be a full url, or a path that begins with a slash.');
  // In JSON only a star and `:splat` have a meaning; `/$1` may be the name of a page.
  const isPattern = row ? isWildcard : hasPlaceholder;
  if (isPattern(from) || isPattern(to)) return { kind: 'skipped', reason: 'pattern', text: `${from} ${to}` };
  return { kind: 'redirect', from, to, ...(row ? { row } : {}) };
}

/** @throws ApiError that names `path`: it is neither a path nor a full url. */
export function toGone(from: string): Rule {
  if (!isAddress(from)) throw invalid('path', 'path must begin with a slash, or be a full url.');
  return hasPlaceholder(from) ? { kind: 'skipped', reason: 'pattern', text: from } : { kind: 'gone', from };
}

/**
 * The path that a regular expression of nginx or Apache matches (`^/old\.html$`, `^/old/?$`); undefined if it matches
 * several. Without `$` it matches all longer paths too.
 */
export function literalOf(expression: string): string | undefined {
  const inner = /^\^(.*)\$$/s.exec(expression)?.[1]?.replace(/\/\?$/, '/');
  if (inner === undefined) return undefined;
  const literal = inner.replace(/\\([^\w\s])/g, '\u0000$1');
  if (/(?<!\u0000)[.*+?()[\]{}|^$\\]/.test(literal)) return undefined;
  const path = literal.replaceAll('\u0000', '');
  return path.startsWith('/') ? path : `/${path}`;
}

export function isAddress(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
}

function isWildcard(address: string): boolean {
  return /\*|:splat/.test(address);
}

/** Whether an address has a placeholder: `*`, `:splat`, `:id`, `$1`, `${x}`. */
function hasPlaceholder(address: string): boolean {
  return /\*|\/:[a-z_]\w*|\$\w|\$\{/i.test(address.replace(/^https?:\/\//i, ''));
}
