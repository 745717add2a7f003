import type { ContentEvidence } from '../../database/queries/search/by-content.js';
import type { JsonObject } from '../../glossary.js';
import type { PathEvidence } from '../evidence/path-evidence.js';

/** Everything that speaks for a candidate of suggest and is weighed by the calibration. */
export interface PathAndContentEvidence extends PathEvidence, ContentEvidence {
  /** `lexical` of the slug's terms alone. */
  slugLexical: number;
  /** How much the site's own text ties the live slug's words to the dead one's. */
  association: number;
}

export interface SuggestEvidence extends PathAndContentEvidence {
  /** What the project's own moves say, 0 to 1: its redirects, its visitors' clicks, its moved sections. */
  moved: number;
}

export type Weights<Evidence> = Record<keyof Evidence, number>;

/** Weights that order candidates, and the curve from their sum to the score. */
export interface Ranking<Evidence, Curve> {
  rank: Weights<Evidence>;
  score: Curve;
}

/**
 * How evidence becomes a score, for one model. Fitted by scripts/model/calibrate.ts on labelled data and kept in the
 * model's manifest: `rank` orders candidates (a conditional logit over those of one search, McFadden 1974), `score`
 * tells how often such a candidate was right.
 */
export interface Calibration {
  suggest: Ranking<PathAndContentEvidence, ChoiceCurve>;
  /** Suggest without path evidence. */
  pathAsText: Ranking<ContentEvidence, StandingCurve>;
  /** semantic-search and retrieve. */
  query: Ranking<ContentEvidence, StandingCurve>;
}

/**
 * The share of a candidate is exp(x) / (sum of exp(x) over all candidates + exp(none)): how a conditional logit shares
 * out its certainty among the pages and "none of them". The score is a logistic curve through that share (Platt 1999),
 * score = 1 / (1 + exp(-(slope * logit(share) + intercept))): monotone in a page's evidence, lower where others are as
 * good.
 */
export interface ChoiceCurve {
  none: number;
  slope: number;
  intercept: number;
}

/**
 * score = 1 / (1 + exp(-(slope * (x - x10) + length * log(words) + intercept))), where x is a page's sum of evidence
 * and x10 that of the tenth best (0 where there are fewer, `usual` at most). How far a page stands out from what the
 * site has for any question tells far better than x whether it answers this one (docs/relevance.md), and pages that
 * answer equally well do not hurt each other, even ten of them. Pages stand out less for a long question, of which none
 * holds all words.
 */
export interface StandingCurve {
  usual: number;
  slope: number;
  length: number;
  intercept: number;
}

/**
 * For a model that nobody calibrated: paths and words weigh as they do beside the bundled model, and the curves are
 * those of its cosines. `npm run calibrate` fits a model's own.
 */
export const UNCALIBRATED: Calibration = {
  suggest: {
    rank: {
      words: 2.9,
      liveInDead: 0.6,
      pathTrigrams: 3.2,
      nearCopy: 3.1,
      slugTrigrams: 0.9,
      slugEdit: 2.3,
      prefix: 4.9,
      depth: 1.8,
      numbers: 2.9,
      dense: 3.5,
      beginning: 1,
      lexical: 1.3,
      slugLexical: 2.6,
      association: 2.8,
    },
    score: { none: 10, slope: 0.8, intercept: 0.3 },
  },
  pathAsText: {
    rank: { dense: 5, beginning: 2, lexical: 10 },
    score: { usual: 8, slope: 0.6, length: 0.8, intercept: -2.5 },
  },
  query: {
    rank: { dense: 5.5, beginning: 2.5, lexical: 10.5 },
    score: { usual: 8, slope: 0.6, length: 0.8, intercept: -2.5 },
  },
};

/** A model's own calibration; null, or one of another release that lacks something, gives {@link UNCALIBRATED}. */
export function parseCalibration(json: JsonObject | null): Calibration {
  return json !== null && hasNumbersOf(json, UNCALIBRATED) ? (json as unknown as Calibration) : UNCALIBRATED;
}

function hasNumbersOf(json: unknown, like: object): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(like).every(([name, value]: [string, unknown]) => {
    const own: unknown = (json as Record<string, unknown>)[name];
    return typeof value === 'object' && value !== null
      ? hasNumbersOf(own, value)
      : typeof own === 'number' && Number.isFinite(own);
  });
}
