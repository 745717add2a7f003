import type { JsonObject } from '../glossary.js';
import type { PathEvidence } from './path-evidence.js';

/** Everything that speaks for a candidate of suggest. */
export type SuggestEvidence = PathEvidence & {
  /** Cosine of the page's best passage with the words of the path, negative ones as 0. */
  content: number;
};

/**
 * How evidence becomes a score, for one model. Fitted by scripts/model/calibrate.ts on labelled data and kept in the
 * model's manifest: `rank` orders candidates (a conditional logit over those of one search), `score` is a logistic
 * curve (Platt 1999) through how often the first candidate was right.
 */
export interface Calibration {
  suggest: { rank: Record<keyof SuggestEvidence, number>; score: LogisticCurve };
  /** Suggest without path evidence. */
  pathAsText: LogisticCurve;
  /** semantic-search and retrieve: on the cosine itself. */
  query: LogisticCurve;
}

/** score = 1 / (1 + exp(-(slope * x + intercept))); slope > 0, so that a score is monotone in its evidence. */
export interface LogisticCurve {
  slope: number;
  intercept: number;
}

/**
 * For a model that nobody calibrated: paths weigh as they do beside the bundled model, and the curves are those of
 * its cosines. `npm run calibrate` fits a model's own.
 */
export const UNCALIBRATED: Calibration = {
  suggest: {
    rank: {
      words: 4.8,
      deadInLive: 0,
      liveInDead: 1.2,
      slugWords: 0,
      pathTrigrams: 2.4,
      slugTrigrams: 3.2,
      slugEdit: 1.8,
      prefix: 4.9,
      depth: 2.2,
      numbers: 3.2,
      content: 6.5,
    },
    score: { slope: 0.51, intercept: -6.7 },
  },
  pathAsText: { slope: 11, intercept: -4.4 },
  query: { slope: 12.4, intercept: -5.2 },
};

export function parseCalibration(json: JsonObject | null): Calibration {
  return json === null ? UNCALIBRATED : (json as unknown as Calibration);
}

export function applyCurve(curve: LogisticCurve, x: number): number {
  return 1 / (1 + Math.exp(-(curve.slope * x + curve.intercept)));
}

/** The sum that orders candidates; weights are not negative, so more evidence never ranks lower. */
export function rankValue(calibration: Calibration, evidence: SuggestEvidence): number {
  let value = 0;
  for (const name of Object.keys(calibration.suggest.rank) as (keyof SuggestEvidence)[]) {
    value += calibration.suggest.rank[name] * evidence[name];
  }
  return value;
}
