import { createHash } from 'node:crypto';
import { SUGGEST_EVIDENCE, type Calibration, type PathAndContentEvidence, type Weights } from './calibration.js';

/** With fewer, no fit was better than the model's on sites that it was measured on (docs/decisions/0044). */
export const MIN_REDIRECTS = 40;

/** What is stored of weights that were fitted on a project's own redirects. */
export interface OwnWeights {
  weights: Partial<Record<string, unknown>>;
  /** Added to "none of them", whose weight grows with the sums of evidence. */
  none_added: number;
}

const fingerprints = new WeakMap<object, string>();

/** Tells the model's weights apart: own weights are differences from these, and end with them. */
export function rankFingerprint(weights: Weights<PathAndContentEvidence>): string {
  const known = fingerprints.get(weights);
  if (known !== undefined) return known;
  const values = [...SUGGEST_EVIDENCE].sort().map((name) => `${name}=${weights[name]}`);
  const made = createHash('sha256').update(values.join(' ')).digest('hex');
  fingerprints.set(weights, made);
  return made;
}

/** The project's own weights where it has them; a row of another release, which lacks one, is as none. */
export function ownRanking(model: Calibration['suggest'], own: OwnWeights | null): Calibration['suggest'] {
  if (own === null) return model;
  const isComplete = SUGGEST_EVIDENCE.every((name) => {
    const weight = own.weights[name];
    return typeof weight === 'number' && Number.isFinite(weight) && weight >= 0;
  });
  if (!isComplete) return model;
  return {
    rank: own.weights as Weights<PathAndContentEvidence>,
    score: { ...model.score, none: model.score.none + own.none_added },
  };
}
