import { dice, sortedTrigrams } from '#src/text/words/likeness.js';

/** So many pages of each list are candidates. */
export const CANDIDATES = 50;
/** Chunks that are asked for, so that fifty pages are among them. */
export const CHUNKS = 200;

/** A page by its number, and how well an engine's list says it fits. */
export interface Listed {
  id: number;
  value: number;
}

/** An engine gives the best by text, by the trigrams of the path, and chunks by the cosine. */
export interface Lists {
  text: Listed[];
  path: Listed[];
  chunks: Listed[];
}

/** Each figure lies between 0 and 1. */
export interface Candidate {
  id: number;
  path: number;
  text: number;
  cosine: number;
}

export interface Weights {
  path: number;
  text: number;
  cosine: number;
}

/** Compares the words of a path, or a question, with those of a page's path. Trigrams of pages are kept. */
export function comparePaths(words: readonly string[]): (text: string) => (id: number) => number {
  const known: Int32Array[] = [];
  return (text) => {
    const searched = sortedTrigrams(text);
    return (id) => dice(searched, (known[id] ??= sortedTrigrams(words[id] ?? '')));
  };
}

/**
 * Joins the lists: the path of every candidate is compared. What a list leaves out has at most its last value: 0 for
 * text, of which most pages have nothing, and the least cosine.
 */
export function fuse(lists: Lists, likeness: (id: number) => number): Candidate[] {
  const text = bestOf(lists.text);
  const cosine = bestOf(lists.chunks);
  const most = Math.max(...text.values(), 0) || 1;
  const least = cosine.size === 0 ? 0 : Math.min(...cosine.values());
  const ids = new Set([...text.keys(), ...lists.path.map(({ id }) => id), ...cosine.keys()]);
  return [...ids].map((id) => ({
    id,
    path: likeness(id),
    text: (text.get(id) ?? 0) / most,
    cosine: Math.max(0, cosine.get(id) ?? least),
  }));
}

/** The best value of each of fifty pages at most. */
function bestOf(listed: readonly Listed[]): Map<number, number> {
  const best = new Map<number, number>();
  for (const { id, value } of listed)
    if (best.has(id) || best.size < CANDIDATES) best.set(id, Math.max(best.get(id) ?? -Infinity, value));
  return best;
}

export function scoreOf(candidate: Omit<Candidate, 'id'>, weights: Weights): number {
  return weights.path * candidate.path + weights.text * candidate.text + weights.cosine * candidate.cosine;
}

/** The best `limit` candidates with their scores; the weights add up to 1. */
export function rank<Each extends Omit<Candidate, 'id'>>(
  candidates: readonly Each[],
  weights: Weights,
  limit: number,
): (Each & { score: number })[] {
  return candidates
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate, weights) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

const STEPS = 20;

/** Every mixture in steps of a twentieth. */
export function mixtures(): Weights[] {
  return Array.from({ length: STEPS + 1 }, (_, path) =>
    Array.from({ length: STEPS + 1 - path }, (_, text) => ({
      path: path / STEPS,
      text: text / STEPS,
      cosine: (STEPS - path - text) / STEPS,
    })),
  ).flat();
}

/** The mixture of the highest measure; of equal ones the first. */
export function bestMixture(measure: (weights: Weights) => number): Weights {
  const measured = mixtures().map((weights) => ({ weights, value: measure(weights) }));
  return measured.reduce((best, next) => (next.value > best.value ? next : best)).weights;
}
