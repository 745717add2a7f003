/** One line of a redirect map, understood. */
export type Rule =
  | { kind: 'redirect'; from: string; to: string; alsoOk?: string[]; overlap?: number; label?: string }
  /** It redirects in a way that gives no case. */
  | { kind: 'skipped'; reason: SkipReason; text: string }
  /** It has nothing to say: a comment, a brace. */
  | { kind: 'nothing' };

export const SKIP_REASONS = {
  pattern: 'a wildcard or pattern: it names no single old path',
  notRedirect: 'not a redirect: a rewrite, a proxy rule or an error page',
  conditional: 'holds for some visitors only',
  noTarget: 'without a new address',
  catchAll: 'marked as catch-all',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export type LocatedRule = Rule & { line: number };

/** A rule from an old to a new address, as far as the texts can say; `undefined` when they are no addresses. */
export function toRule(from: string, to: string): Rule | undefined {
  if (!isAddress(from) || !isAddress(to)) return undefined;
  const text = `${from} ${to}`;
  if (isPattern(from) || isPattern(to)) return { kind: 'skipped', reason: 'pattern', text };
  return { kind: 'redirect', from, to };
}

/**
 * The one path that a regular expression as of nginx and Apache stands for (`^/old\.html$`, `^/old/?$`), or undefined
 * when it stands for many: without `$` it matches whatever follows, too.
 */
export function literalOf(expression: string): string | undefined {
  const inner = /^\^(.*)\$$/s.exec(expression)?.[1]?.replace(/\/\?$/, '/');
  if (inner === undefined) return undefined;
  const literal = inner.replace(/\\([^\w\s])/g, '\u0000$1');
  if (/(?<!\u0000)[.*+?()[\]{}|^$\\]/.test(literal)) return undefined;
  const path = literal.replaceAll('\u0000', '');
  return path.startsWith('/') ? path : `/${path}`;
}

function isAddress(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
}

/** `*`, `:splat`, `:id`, `$1`, `${x}`: what stands for something else. */
function isPattern(address: string): boolean {
  return /\*|\/:[a-z_]\w*|\$\w|\$\{/i.test(address.replace(/^https?:\/\//i, ''));
}
