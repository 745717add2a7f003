import type { CurvePoint, QuestionCurve } from '#src/search/ranking/scores/calibration.js';
import { surenessOfQuestion } from '#src/search/ranking/scores/score.js';
import { mean } from '../eval/measures.js';
import type { ContentExample } from './collect-evidence.js';
import type { JudgedQuestion } from './fit.js';
import type { Sure } from './judge.js';

/** Where scores pass the thresholds: at the sureness from which on what they promise holds. */

/** Of the redirected, and of the answered, so many are right, and of pages that were taken off at most so many are. */
const PROMISES = [
  { score: 0.7, right: 0.895, takenOff: 0.17 },
  { score: 0.9, right: 0.965, takenOff: 0.035 },
] as const;
/** Of the dead paths whose page is first this share reaches a list's threshold. */
const LISTED = 0.995;
/** Just below .7 scores fall fast: with a z that much lower, a third of the best pages are right. */
const STEEP = { below: 0.5, score: 0.35 };

/**
 * Where the score is .7 and .9: as low as {@link PROMISES} hold for dead paths of which a third moved, a third is
 * mistyped and a third was taken off, all sites weighing the same. Where it is .1: {@link LISTED}.
 */
export function placePoints(cases: readonly Sure[]): CurvePoint[] {
  const mixture = ['redirect', 'typo', 'taken_off'] as const;
  const sites = new Map<string, Sure[]>();
  for (const one of cases) {
    const key = `${one.kind} ${one.site}`;
    sites.set(key, [...(sites.get(key) ?? []), one]);
  }
  const share = (kind: string, is: (one: Sure) => boolean): number =>
    mean([...sites].filter(([key]) => key.startsWith(`${kind} `)).map(([, of]) => of.filter(is).length / of.length));
  const sum = (is: (one: Sure) => boolean): number => mixture.reduce((all, kind) => all + share(kind, is), 0);
  const steps = Array.from({ length: 241 }, (_, i) => Math.round((6 - i / 20) * 100) / 100);
  const placed = PROMISES.map(({ score, right, takenOff }) => {
    const broken = steps.findIndex((z) => {
      const answered = sum((one) => one.z >= z);
      const isRight = sum((one) => one.z >= z && one.right) >= right * answered;
      return answered > 0 && (!isRight || share('taken_off', (one) => one.z >= z) > takenOff);
    });
    return { z: steps[Math.max(0, (broken < 0 ? steps.length : broken) - 1)] ?? 0, score };
  });
  const right = cases.filter((one) => one.right && one.kind !== 'taken_off' && one.z > -Infinity).map(({ z }) => z);
  right.sort((a, b) => b - a);
  const listed = right[Math.floor(LISTED * right.length)] ?? -2;
  const steep = (placed[0]?.z ?? 0) - STEEP.below;
  const round = (z: number): number => Math.round(z * 100) / 100;
  return [{ z: round(Math.min(listed, steep - 1)), score: 0.1 }, { z: round(steep), score: STEEP.score }, ...placed];
}

/**
 * Of the answered so many are right; above .9 at most so many of all are wrong. Of questions that only other sites answer
 * at most so many are answered, and above .9. Measured on the hardest kind there is, with .02 more than is promised: the
 * fit has seen its sites.
 */
const QUESTION_PROMISES = { right: 0.87, wrong: 0.004, foreign: 0.03, foreignAbove: 0.002 };

/** Where the score of a question is .7 and .9: as low as {@link QUESTION_PROMISES} hold. */
export function placeQuestionPoints(
  curve: Omit<QuestionCurve, 'points'>,
  judged: readonly (JudgedQuestion & { kind: ContentExample['kind'] })[],
): CurvePoint[] {
  const hardest = judged.some(({ kind }) => kind === 'meant') ? ['meant'] : ['query', 'path'];
  const asked = judged.map((one) => ({ ...one, z: surenessOfQuestion(curve, one.values, one.page) }));
  const steps = Array.from({ length: 161 }, (_, i) => Math.round((4 - i / 20) * 100) / 100);
  const least = (holds: (z: number) => boolean): number => {
    const broken = steps.findIndex((z) => !holds(z));
    return steps[Math.max(0, (broken < 0 ? steps.length : broken) - 1)] ?? 0;
  };
  const own = asked.filter(({ kind }) => hardest.includes(kind));
  const foreign = asked.filter(({ kind }) => kind === 'foreign');
  const above = (z: number, isRight: boolean): number =>
    own.filter((one) => one.z >= z && one.right === isRight).length;
  const strange = (z: number): number => foreign.filter((one) => one.z >= z).length;
  const promised = QUESTION_PROMISES;
  const answered = least(
    (z) =>
      above(z, true) * (1 - promised.right) >= above(z, false) * promised.right &&
      strange(z) <= promised.foreign * foreign.length,
  );
  const sure = least(
    (z) => above(z, false) <= promised.wrong * own.length && strange(z) <= promised.foreignAbove * foreign.length,
  );
  const steep = answered - STEEP.below;
  const round = (z: number): number => Math.round(z * 100) / 100;
  return [
    { z: round(steep - 2), score: 0.1 },
    { z: round(steep), score: STEEP.score },
    { z: answered, score: 0.7 },
    { z: Math.max(sure, answered + STEEP.below), score: 0.9 },
  ];
}
