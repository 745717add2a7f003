import type { JsonObject } from '../../../base/glossary.js';
import type { CertaintyFacts } from '../evidence/certainty-facts.js';
import type { HeadingEvidence } from '../evidence/heading-evidence.js';
import type { PathEvidence } from '../evidence/path-evidence.js';
import type { RedirectEvidence } from '../evidence/redirect-evidence.js';

/**
 * Evidence of a page's content, times how far the dead path is from the paths of all candidates: 1 minus the largest
 * similarity of last segments. If a live path is nearly the dead one, its letters decide; if none is, a visitor used
 * other words, and what a page means counts for more. Sites left out: redirects .757 right in place of .750, mistyped
 * paths .992 in place of .990 (docs/evidence/relevance.md).
 */
export type FarEvidence = Record<`${Gated}IfFar`, number>;

export type Gated = 'dense' | 'beginning' | 'lexical' | 'slugLexical';

export interface ContentEvidence {
  /** Cosine of the page's best chunk with the query, at least 0. */
  dense: number;
  /** The same for the page's beginning. */
  beginning: number;
  /** The same for its title. */
  denseTitle: number;
  /** The largest of its cosines: what is near by one of its vectors need not be near by the others. */
  denseMax: number;
  /** The share of the searched terms' weight that the content covers. */
  lexical: number;
}

/** The evidence for a candidate of suggest that the calibration weighs. */
export interface PathAndContentEvidence extends PathEvidence, ContentEvidence, RedirectEvidence, FarEvidence {
  /** `lexical` for the slug's terms alone. */
  slugLexical: number;
}

/** The evidence for a page that a question or, without path evidence, a dead path means. */
export interface QuestionEvidence extends ContentEvidence, HeadingEvidence {}

export interface SuggestEvidence extends PathAndContentEvidence {
  /** Evidence of the project's learned redirects, 0 to 1: redirects, clicks, section redirects. */
  moved: number;
}

export type Weights<Evidence> = Record<keyof Evidence, number>;

/** The weights that rank candidates, and the curve from the weighted sum to the score. */
export interface Ranking<Evidence, Curve> {
  rank: Weights<Evidence>;
  score: Curve;
}

/**
 * A calibration tells how evidence becomes a score, for one model. scripts/model/calibrate.ts fits it on labelled data;
 * the model's manifest stores it. `rank` orders candidates by a conditional logit (McFadden 1974); `score` is how often
 * such a candidate was right.
 */
export interface Calibration {
  suggest: Ranking<PathAndContentEvidence, ChoiceCurve>;
  /** The ranking of suggest without path evidence. */
  pathAsText: Ranking<QuestionEvidence, QuestionCurve>;
  /** The ranking of semantic-search and retrieve. */
  query: Ranking<QuestionEvidence, QuestionCurve>;
}

/**
 * A candidate's share is exp(x) / (sum of exp(x) over all candidates + exp(none)): its probability in a conditional
 * logit with the alternative "none of them". A logistic regression (Platt 1999) on its share and facts says how sure it
 * is: z = slope * logit(share) + facts + intercept. The score is read off {@link CurvePoint}s.
 */
export interface ChoiceCurve {
  none: number;
  slope: number;
  intercept: number;
  facts: Weights<CertaintyFacts>;
  /** The points are in ascending order of z, and of scores. */
  points: readonly CurvePoint[];
}

/** A score, and the z from which on the answers of sites that were left out of the fit earn it. */
export interface CurvePoint {
  z: number;
  score: number;
}

/**
 * This curve tells how sure the best page of a question is: z = slope * log(share) + dense * cosine + lexical * cover +
 * lead * lead + intercept. Its share is as in {@link ChoiceCurve}; the cosine is that of its best chunk, the cover the
 * share of the question's words that it has, and the lead its distance to the next three. Share and lead tell how far
 * it stands out, the cosine whether the site has such content at all; many words in common raise a share more than they
 * prove (relevance.md). `none` keeps the only pages of a small site from a share that they do not deserve. The score is
 * read off the points; other pages fall off from the best one by their distance (score.ts).
 */
export interface QuestionCurve extends Record<'none' | 'slope' | 'dense' | 'lexical' | 'lead' | 'intercept', number> {
  points: readonly CurvePoint[];
}

const QUESTION_CURVE: QuestionCurve = {
  none: 5,
  slope: 0.7,
  dense: 0.4,
  lexical: -1.3,
  lead: 0.4,
  intercept: -0.6,
  points: [
    { z: -3, score: 0.1 },
    { z: -1.1, score: 0.35 },
    { z: -0.6, score: 0.7 },
    { z: 0.2, score: 0.9 },
  ],
};

/** For models without a calibration: the values suit the bundled model. `npm run calibrate` fits a model's own. */
export const UNCALIBRATED: Calibration = {
  suggest: {
    rank: {
      words: 2.1,
      pathTrigrams: 2.9,
      nearCopy: 3.1,
      pathEdit: 5.3,
      slugTrigrams: 0.5,
      slugEdit: 2.4,
      prefix: 3.2,
      depth: 1.2,
      numbers: 2.2,
      dense: 3.1,
      beginning: 1.4,
      denseTitle: 1,
      denseMax: 0,
      lexical: 3.1,
      slugLexical: 2.7,
      noOtherNumber: 1.7,
      sameLanguage: 3.7,
      folderTrigrams: 0.7,
      slugIsFolder: 0.3,
      slugWithin: 1,
      shallow: 4.6,
      redirectedSection: 2.4,
      redirectedFolder: 2.2,
      redirectedPage: 2.6,
      renamedWords: 4.7,
      denseIfFar: 0,
      beginningIfFar: 0,
      lexicalIfFar: 0,
      slugLexicalIfFar: 0,
    },
    score: {
      none: 15.5,
      slope: 0.58,
      intercept: 0.8,
      facts: {
        leavesFolder: -1.4,
        otherInFolder: -3.5,
        isAncestor: -2.8,
        isBelow: -4.3,
        knownWordsMissing: -0.3,
        unknownWordsMissing: -0.7,
        isSlip: 4.5,
        isCut: 2.9,
      },
      points: [
        { z: -3, score: 0.1 },
        { z: -0.7, score: 0.35 },
        { z: -0.2, score: 0.7 },
        { z: 1.2, score: 0.9 },
      ],
    },
  },
  pathAsText: {
    rank: { dense: 5, beginning: 2, denseTitle: 1, denseMax: 0, lexical: 10, headingCover: 2, bestHeading: 4 },
    score: QUESTION_CURVE,
  },
  query: {
    rank: { dense: 4.2, beginning: 1, denseTitle: 1, denseMax: 0, lexical: 10, headingCover: 2.5, bestHeading: 4 },
    score: QUESTION_CURVE,
  },
};

/** Calibrations that were checked: each search needs one, and checking its numbers takes 10 µs. */
const checked = new WeakMap<JsonObject, Calibration>();

/** Reads the calibration of a model: {@link UNCALIBRATED} if it has none, or one that lacks a number. */
export function parseCalibration(json: JsonObject | null): Calibration {
  if (json === null) return UNCALIBRATED;
  const known =
    checked.get(json) ?? (hasNumbersOf(json, UNCALIBRATED) ? (json as unknown as Calibration) : UNCALIBRATED);
  checked.set(json, known);
  return known;
}

function hasNumbersOf(json: unknown, like: object): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(like).every(([name, value]: [string, unknown]) => {
    const field: unknown = (json as Record<string, unknown>)[name];
    return typeof value === 'object' && value !== null
      ? hasNumbersOf(field, value)
      : typeof field === 'number' && Number.isFinite(field);
  });
}
