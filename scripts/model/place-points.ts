import type { CurvePoint, QuestionCurve } from '#src/search/ranking/scores/calibration.js';
import { surenessOfQuestion } from '#src/search/ranking/scores/score.js';
import { mean } from '../eval/measures.js';
import type { ContentExample } from './collect-evidence.js';
import type { JudgedQuestion } from './fit.js';
import type { Sure } from './judge.js';

/** From its z on, this share of the answers is right, and at most this share of the pages taken off is answered. */
const PROMISES = [
  { score: 0.7, right: 0.915, takenOff: 0.14 },
  { score: 0.9, right: 0.978, takenOff: 0.025 },
] as const;
/** This share of the dead paths whose page is first reaches a list's threshold. */
const LISTED = 0.995;
/** Just below .7 scores fall fast: with a z that much lower, a third of the best pages are right. */
const STEEP = { below: 0.5, score: 0.35 };

/**
 * Places .7 and .9 as low as {@link PROMISES} hold for dead paths of which a third moved, a third is mistyped and a
 * third was taken off, all sites weighing the same, and .1 by {@link LISTED}. The site with most answers for pages that
 * were taken off does not count: of one site half of these were doubles, in the singular and in the plural.
 */
export function placePoints(cases: readonly Sure[]): CurvePoint[] {
  const bySite = new Map<string, Sure[]>();
  for (const example of cases) {
    const key = `${example.kind} ${example.site}`;
    bySite.set(key, [...(bySite.get(key) ?? []), example]);
  }
  const share = (kind: string, is: (example: Sure) => boolean): number => {
    const sites = [...bySite].filter(([key]) => key.startsWith(`${kind} `));
    const shares = sites.map(([, of]) => of.filter(is).length / of.length).sort((a, b) => a - b);
    return mean(kind === 'taken_off' && shares.length > 2 ? shares.slice(0, -1) : shares);
  };
  const mixed = (is: (example: Sure) => boolean): number =>
    share('redirect', is) + share('typo', is) + share('taken_off', is);
  const placed = PROMISES.map(({ score, right, takenOff }) => ({
    z: lowest((z) => {
      const answered = mixed((example) => example.z >= z);
      const isRight = mixed((example) => example.z >= z && example.right) >= right * answered;
      return answered === 0 || (isRight && share('taken_off', (example) => example.z >= z) <= takenOff);
    }),
    score,
  }));
  const rightOnes = cases.filter(({ right, z }) => right && z > -Infinity).map(({ z }) => z);
  rightOnes.sort((a, b) => b - a);
  return withLists(placed, rightOnes[Math.floor(LISTED * rightOnes.length)] ?? -2);
}

/** The lowest z, in steps of .05 from 6 down, down to which a promise holds. */
function lowest(holds: (z: number) => boolean): number {
  const steps = Array.from({ length: 241 }, (_, i) => Math.round((6 - i / 20) * 100) / 100);
  const broken = steps.findIndex((z) => !holds(z));
  return steps[Math.max(0, (broken < 0 ? steps.length : broken) - 1)] ?? 0;
}

function withLists(placed: readonly CurvePoint[], listed: number): CurvePoint[] {
  const round = (z: number): number => Math.round(z * 100) / 100;
  const steep = round((placed[0]?.z ?? 0) - STEEP.below);
  return [{ z: round(Math.min(listed, steep - 1)), score: 0.1 }, { z: steep, score: STEEP.score }, ...placed];
}

/**
 * This share of the answered questions is right; above .9 at most this share of all is wrong. Of questions that only
 * other sites answer at most these shares are answered, and above .9. They hold for the hardest kind that there is,
 * on sites that the fit has seen.
 */
const QUESTION_PROMISES = { right: 0.85, wrong: 0.004, foreign: 0.05, foreignAbove: 0.002 };

/** Places .7 and .9 of a question as low as {@link QUESTION_PROMISES} hold. */
export function placeQuestionPoints(
  curve: Omit<QuestionCurve, 'points'>,
  judged: readonly (JudgedQuestion & { kind: ContentExample['kind'] })[],
): CurvePoint[] {
  const hardest = judged.some(({ kind }) => kind === 'meant') ? ['meant'] : ['query', 'path'];
  const sure = judged.map(({ kind, values, page, right }) => ({
    kind,
    right,
    z: surenessOfQuestion(curve, values, page),
  }));
  const answerable = sure.filter(({ kind }) => hardest.includes(kind));
  const foreign = sure.filter(({ kind }) => kind === 'foreign');
  const count = (of: readonly { z: number; right: boolean }[], from: number, isRight: boolean): number =>
    of.filter(({ z, right }) => z >= from && right === isRight).length;
  const promised = QUESTION_PROMISES;
  const answered = lowest(
    (z) =>
      count(answerable, z, true) * (1 - promised.right) >= count(answerable, z, false) * promised.right &&
      count(foreign, z, false) <= promised.foreign * foreign.length,
  );
  const certain = lowest(
    (z) =>
      count(answerable, z, false) <= promised.wrong * answerable.length &&
      count(foreign, z, false) <= promised.foreignAbove * foreign.length,
  );
  const placed = [
    { z: answered, score: 0.7 },
    { z: Math.max(certain, answered + STEEP.below), score: 0.9 },
  ];
  return withLists(placed, answered - 2.5);
}
