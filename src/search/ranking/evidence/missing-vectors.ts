import type { ContentEvidence } from '../scores/calibration.js';

const BY_VECTORS = ['dense', 'beginning', 'denseTitle', 'denseMax'] as const;

type Compared = Pick<ContentEvidence, (typeof BY_VECTORS)[number] | 'lexical'>;

/**
 * Gives candidates without vectors the cosines that candidates with as many of the searched words have, by a straight
 * line through these (least squares): to have no vectors yet says neither that a page is meant nor that it is not.
 */
export function assumeCosines(candidates: readonly { evidence: Compared; hasVectors: boolean }[]): void {
  const known = candidates.filter(({ hasVectors }) => hasVectors).map(({ evidence }) => evidence);
  if (known.length === 0 || known.length === candidates.length) return;
  for (const name of BY_VECTORS) {
    const lineOf = fitLine(known.map((evidence) => [evidence.lexical, evidence[name]]));
    for (const { evidence, hasVectors } of candidates)
      if (!hasVectors) evidence[name] = Math.max(0, Math.min(1, lineOf(evidence.lexical)));
  }
}

function fitLine(points: readonly (readonly [x: number, y: number])[]): (x: number) => number {
  const meanOf = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [meanOf(0), meanOf(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return (x) => meanY + Math.max(0, slope) * (x - meanX);
}
