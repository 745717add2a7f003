import { mean, type Outcome } from '../measures.js';
import type { Ranked } from './peer.js';

export const KINDS = ['redirects', 'typos', 'takenOff'] as const;
/** The first answers of a method, a list for each site. */
export type BySite = Record<(typeof KINDS)[number], Outcome[][]>;

/** Says how sure a method is of its first answer. Its user would try each of those below. */
type Sureness = (ranking: readonly Ranked[], words: number) => number;
const score: Sureness = ([first]) => first?.score ?? 0;
const lead: Sureness = ([first, second]) => (first ? first.score / (first.score + (second?.score ?? 0)) : 0);
export const SURENESS: Record<string, Sureness> = {
  score,
  lead,
  'score per word': (ranking, words) => score(ranking, words) / words,
  'score times lead': (ranking, words) => score(ranking, words) * lead(ranking, words),
};

/**
 * The highest threshold from which on this share of the cases is sent to its right page, all sites weighing the same.
 * Undefined if the method never has so many right.
 */
export function placeThreshold(sites: readonly (readonly Outcome[])[], share: number): number | undefined {
  const rightScores = sites
    .flatMap((outcomes) => outcomes.map((outcome) => ({ ...outcome, weight: 1 / outcomes.length / sites.length })))
    .filter(({ right }) => right)
    .sort((a, b) => b.score - a.score);
  let reached = 0;
  // Sums of many weights miss a share by a rounding error.
  return rightScores.find(({ weight }) => (reached += weight) >= share - 1e-9)?.score;
}

/** Measures what is redirected from a threshold on. `right` is the right share of all, each kind weighing the same. */
export function measureAt(bySite: BySite, threshold: number): Record<string, number> {
  const share = (kind: keyof BySite, onlyRight: boolean): number =>
    mean(
      bySite[kind].map((outcomes) =>
        mean(outcomes.map(({ score, right }) => Number(score > 0 && score >= threshold && (right || !onlyRight)))),
      ),
    );
  const redirected = KINDS.map((kind) => [kind, share(kind, false)] as const);
  const right = KINDS.map((kind) => [`${kind}Right`, share(kind, true)] as const);
  const rightOfAll = mean(right.map(([, of]) => of)) / mean(redirected.map(([, of]) => of));
  return { ...Object.fromEntries([...redirected, ...right]), right: rightOfAll };
}
