import type { JsonObject } from '../glossary.js';
import type { PathEvidence } from './path-evidence.js';

/** What a page's content says for it. */
export interface ContentEvidence {
  /** Cosine of the page's best passage with what is searched for, negative ones as 0. */
  content: number;
  /** The share of the searched words that the content holds, by how telling each is. */
  coverage: number;
}

/** Everything that speaks for a candidate of suggest. */
export type SuggestEvidence = PathEvidence & ContentEvidence;

/** Weights that order candidates, and the curve from their sum to the score. */
export interface Ranking<Evidence> {
  rank: Record<keyof Evidence, number>;
  score: LogisticCurve;
}

/**
 * How evidence becomes a score, for one model. Fitted by scripts/model/calibrate.ts on labelled data and kept in the
 * model's manifest: `rank` orders candidates (a conditional logit over those of one search), `score` is a logistic
 * curve (Platt 1999) through how often the first candidate was right.
 */
export interface Calibration {
  suggest: Ranking<SuggestEvidence>;
  /** Suggest without path evidence. */
  pathAsText: Ranking<ContentEvidence>;
  /** semantic-search and retrieve. */
  query: Ranking<ContentEvidence>;
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
      coverage: 3,
    },
    score: { slope: 0.51, intercept: -6.7 },
  },
  pathAsText: { rank: { content: 8, coverage: 4 }, score: { slope: 1, intercept: -5 } },
  query: { rank: { content: 8, coverage: 4 }, score: { slope: 1, intercept: -5 } },
};

export function parseCalibration(json: JsonObject | null): Calibration {
  return json === null ? UNCALIBRATED : (json as unknown as Calibration);
}

export function applyCurve(curve: LogisticCurve, x: number): number {
  return 1 / (1 + Math.exp(-(curve.slope * x + curve.intercept)));
}

/** The sum that orders candidates; weights are not negative, so more evidence never ranks lower. */
export function rankValue<Evidence extends object>(ranking: Ranking<Evidence>, evidence: Evidence): number {
  let value = 0;
  for (const name of Object.keys(ranking.rank) as (keyof Evidence)[]) value += ranking.rank[name] * Number(evidence[name]);
  return value;
}

export function scoreOf<Evidence extends object>(ranking: Ranking<Evidence>, evidence: Evidence): number {
  return applyCurve(ranking.score, rankValue(ranking, evidence));
}
