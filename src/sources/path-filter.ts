import { invalid } from '../base/errors.js';
import { parsePageUrl } from '../text/page-url.js';

/** Patterns of paths with their query strings: `*` stands for any text. */
export interface PathFilter {
  /** The source is read for these paths only; empty: for all. */
  include: readonly string[];
  exclude: readonly string[];
}

export const ALL_PATHS: PathFilter = { include: [], exclude: [] };

const MAX_PATTERNS = 50;
const MAX_PATTERN = 200;

/** Reads patterns between spaces or commas: `/tags/* *?print=*`. @throws ApiError that names the field */
export function parsePatterns(text: string, field: keyof PathFilter): string[] {
  const patterns = text.split(/[\s,]+/).filter((pattern) => pattern !== '');
  const refused = patterns.find((pattern) => !/^[/*]/.test(pattern) || pattern.length > MAX_PATTERN);
  if (refused !== undefined)
    throw invalid(
      field,
      `${refused.slice(0, MAX_PATTERN)} is no pattern of paths: it begins with / or *, as in /tags/*.`,
    );
  if (patterns.length > MAX_PATTERNS) throw invalid(field, `Give at most ${MAX_PATTERNS} patterns.`);
  return [...new Set(patterns)];
}

/** Returns a function that gives the reason why a url is left out, or undefined. */
export function createPathFilter({ include, exclude }: PathFilter): (url: string) => string | undefined {
  return (url) => {
    const path = parsePageUrl(url)?.path ?? url;
    const pattern = exclude.find((text) => matches(text, path));
    if (pattern !== undefined) return `left out by the pattern ${pattern}`;
    const isIncluded = include.length === 0 || include.some((text) => matches(text, path));
    return isIncluded ? undefined : 'no pattern includes it';
  };
}

/** Whether a path matches a pattern. Takes time in proportion to both lengths. */
function matches(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return path === first;
  let at = path.startsWith(first) ? first.length : -1;
  for (const part of rest) {
    const next = at < 0 ? -1 : path.indexOf(part, at);
    at = next < 0 ? -1 : next + part.length;
  }
  return at >= 0 && path.endsWith(last) && path.length - last.length >= at;
}

/** Pages of these kinds list or repeat others. The part of the path up to there is proposed to be left out. */
const KINDS = [
  /^((?:\/[^/?]+)*?\/(?:tags?|labels?|keywords?|authors?|archives?|calendar|search|print|feed))\/./i,
  /^(?:\/[^/?]+)*?(\/page\/)\d+\/?$/i,
  /[?&]((?:print|replytocom|share|s|q|search|sort|month|date)=)/i,
];
/** A kind with fewer pages is not proposed: it does not crowd search results. */
const MIN_COUNT = 3;
const MAX_PROPOSED = 5;

/** Counts the pages by kinds that search results seldom need, as patterns to leave out; the most frequent first. */
export class ExclusionProposals {
  readonly #counts = new Map<string, number>();

  add(url: string): void {
    const path = parsePageUrl(url)?.path ?? url;
    const parts = KINDS.map((kind) => kind.exec(path)?.[1]);
    const part = parts.find((text) => text !== undefined);
    if (part === undefined) return;
    const pattern = part === parts[0] ? `${part}/*` : `*${part}*`;
    this.#counts.set(pattern, (this.#counts.get(pattern) ?? 0) + 1);
  }

  list(): { pattern: string; count: number }[] {
    return [...this.#counts]
      .map(([pattern, count]) => ({ pattern, count }))
      .filter(({ count }) => count >= MIN_COUNT)
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_PROPOSED);
  }
}
