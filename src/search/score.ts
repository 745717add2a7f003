import type { JsonObject } from '../glossary.js';
import type { PathEvidence } from './path-evidence.js';

/** What a page's content says for it. */
export interface ContentEvidence {
  /** Cosine of the page's best passage with what is searched for, negative ones as 0. */
  dense: number;
  /** The share of the searched terms' weight that the content covers. */
  lexical: number;
}

/** Everything that speaks for a candidate of suggest. */
export interface SuggestEvidence extends PathEvidence, ContentEvidence {
  /** `lexical` of the slug's terms alone. */
  slugLexical: number;
  /** How much the site's own text ties the live slug's words to the dead one's. */
  association: number;
}

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

/**
 * score = 1 / (1 + exp(-(slope * x + lead * l + intercept))), where x is a candidate's sum of evidence and l how far it
 * stands above the best other candidate (below it: negative), cut at -MOST_LEAD and MOST_LEAD. A page that stands alone
 * is more probably the one that was meant than one among equals. Slope and lead are not negative, so that a score is
 * monotone in its evidence.
 */
export interface LogisticCurve {
  slope: number;
  lead: number;
  intercept: number;
}

/** A candidate without any other has this lead, and no lead counts for more. */
export const MOST_LEAD = 4;

/**
 * For a model that nobody calibrated: paths weigh as they do beside the bundled model, and the curves are those of
 * its cosines. `npm run calibrate` fits a model's own.
 */
export const UNCALIBRATED: Calibration = {
  suggest: {
    rank: {
      words: 3.6, liveInDead: 0.5, pathTrigrams: 4, slugTrigrams: 0.7, slugEdit: 2.9, prefix: 5, depth: 2, numbers: 3.1,
      dense: 3.8, lexical: 2, slugLexical: 3.5, association: 2.7,
    },
    score: { slope: 0.36, lead: 0.84, intercept: -6.4 },
  },
  pathAsText: { rank: { dense: 8, lexical: 8 }, score: { slope: 0.72, lead: 0, intercept: -3.9 } },
  query: { rank: { dense: 8, lexical: 8 }, score: { slope: 0.93, lead: 0, intercept: -5.2 } },
};

/** A model's own calibration; null, or one of another release that lacks an evidence, gives {@link UNCALIBRATED}. */
export function parseCalibration(json: JsonObject | null): Calibration {
  return json !== null && hasNumbersOf(json, UNCALIBRATED) ? (json as unknown as Calibration) : UNCALIBRATED;
}

function hasNumbersOf(json: unknown, like: object): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(like).every(([name, value]: [string, unknown]) => {
    const own: unknown = (json as Record<string, unknown>)[name];
    return typeof value === 'object' && value !== null ? hasNumbersOf(own, value) : typeof own === 'number' && Number.isFinite(own);
  });
}

export function applyCurve(curve: LogisticCurve, x: number, lead: number): number {
  return 1 / (1 + Math.exp(-(curve.slope * x + curve.lead * lead + curve.intercept)));
}

/** How far a sum stands above the best of the others, within the bounds of {@link MOST_LEAD}. */
export function leadOver(value: number, bestOther: number | undefined): number {
  return bestOther === undefined ? MOST_LEAD : Math.max(-MOST_LEAD, Math.min(MOST_LEAD, value - bestOther));
}

/** The sum that orders candidates; weights are not negative, so more evidence never ranks lower. */
export function rankValue<Evidence extends object>(ranking: Ranking<Evidence>, evidence: Evidence): number {
  let value = 0;
  for (const name of Object.keys(ranking.rank) as (keyof Evidence)[]) value += ranking.rank[name] * Number(evidence[name]);
  return value;
}
