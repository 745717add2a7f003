import type { SearchKind, Thresholds } from '../base/glossary.js';
import type { FoundSuggestion } from './answer.js';
import { isSure } from './thresholds.js';

/** What a person decides on: where an old url goes. */
export interface MappedUrl {
  old: string;
  new: string;
  score: number;
  action: 'redirect' | 'review' | 'gone';
  second: string;
  second_score: number | null;
  hits: number | null;
  why: string;
}

/** Of pages with less, four of five are wrong: whatever a project shows, no person is asked about them. */
const GONE_BELOW = 0.2;
/** As in a request. */
const MAX_QUERY = 2_000;
const LIMIT = 3;

/** A search of the project: all that is found, whatever its score. */
export type Find = (kind: SearchKind, input: string, limit: number) => Promise<readonly FoundSuggestion[]>;

/** The page that an old url became, by its path and, where they are known, its title and content. */
export async function mapOldUrl(
  find: Find,
  thresholds: Thresholds,
  one: { old: string; path: string; title: string; content: string; hits: number | undefined },
): Promise<MappedUrl> {
  const byPath = await find('suggest', one.path, LIMIT);
  const text = [...`${one.title}\n${one.content}`.trim()].slice(0, MAX_QUERY).join('');
  const byContent = text === '' ? [] : await find('semantic-search', text, LIMIT);
  const merged = merge(byPath, byContent);
  const [best, next] = merged;
  const hits = one.hits ?? null;
  if (!best || best.score < GONE_BELOW) {
    const score = best ? round(best.score) : 0;
    const guess = { second: best?.href ?? '', second_score: best ? score : null };
    return { old: one.old, new: '', score, action: 'gone', ...guess, hits, why: 'no page is near' };
  }
  return {
    old: one.old,
    new: best.href,
    score: round(best.score),
    // As `proxy` redirects.
    action: isSure(best.score, thresholds) ? 'redirect' : 'review',
    second: next?.href ?? '',
    second_score: next ? round(next.score) : null,
    hits,
    why: best.why,
  };
}

interface Merged {
  href: string;
  score: number;
  why: string;
}

/** Pages that path and content both name are as sure as both together. */
function merge(byPath: readonly FoundSuggestion[], byContent: readonly FoundSuggestion[]): Merged[] {
  const found = new Map<string, Merged>();
  for (const one of byPath) found.set(one.href, { href: one.href, score: one.score, why: whyOf(one) });
  for (const one of byContent) {
    const known = found.get(one.href);
    if (!known) found.set(one.href, { href: one.href, score: one.score, why: 'title and content' });
    else if (one === byContent[0] && known.href === byPath[0]?.href && known.score < 1)
      found.set(one.href, {
        ...known,
        score: 1 - (1 - known.score) * (1 - one.score),
        why: `${known.why}; title and content agree`,
      });
  }
  return [...found.values()].sort((a, b) => b.score - a.score);
}

/** The strongest evidence, in words. */
function whyOf({ explanation }: FoundSuggestion): string {
  const [name = ''] = Object.keys(explanation?.evidence ?? {});
  if (name === 'moved') return 'a known move';
  if (name.startsWith('redirected') || name === 'renamedWords') return 'redirects beside it';
  return /content|dense|beginning|lexical|vector|semantic/i.test(name)
    ? 'words of the path in the content'
    : 'a path like it';
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
