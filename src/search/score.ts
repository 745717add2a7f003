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
 * For a model that nobody calibrated: path evidence as fitted for the bundled model, and curves for cosines as
 * sentence models commonly give them (unrelated texts around 0.1, related ones above 0.5). The README says how to fit.
 */
const UNCALIBRATED_CURVE: LogisticCurve = { slope: 12, intercept: -5.2 };

export const UNCALIBRATED: Calibration = {
  suggest: {
    rank: {
      words: 2, deadInLive: 1, liveInDead: 1, slugWords: 1, pathTrigrams: 4, slugTrigrams: 2, slugEdit: 1,
      prefix: 0.5, depth: 0.2, numbers: 0.3, content: 3,
    },
    score: { slope: 1, intercept: -7 },
  },
  pathAsText: UNCALIBRATED_CURVE,
  query: UNCALIBRATED_CURVE,
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
