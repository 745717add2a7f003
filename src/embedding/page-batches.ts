import type { OnnxModel } from './onnx-model.js';
import type { Passage } from './split-passages.js';

/** A page on its way through the model. */
export interface CutPage {
  id: number;
  fingerprint: string;
  model: OnnxModel;
  passages: readonly Passage[];
  /** What each passage is for the model. */
  rows: readonly (readonly number[])[];
  /** One after the other, in the order of the passages. */
  vectors: Float32Array;
  /** Passages that have no vector yet. */
  left: number;
}

/** A passage of a page. */
interface Place {
  page: CutPage;
  at: number;
}

/**
 * The passages of some pages of one model in batches. Those of about one length share a batch, whichever page they
 * are of, since a batch is padded to its longest. Of short ones more go into a batch than of long ones: what bounds a
 * batch, and with it the time that a query waits and the memory of the model, is `most` tokens, padding included.
 */
export function batchesOf(pages: readonly CutPage[], most: number): Place[][] {
  const places = pages.flatMap((page) => page.rows.map((_, at): Place => ({ page, at })));
  places.sort((a, b) => lengthOf(a) - lengthOf(b));
  const batches: Place[][] = [];
  let batch: Place[] = [];
  for (const place of places) {
    if (batch.length > 0 && (batch.length + 1) * lengthOf(place) > most) {
      batches.push(batch);
      batch = [];
    }
    batch.push(place);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Gives the passages of a batch their vectors. Rejects with whatever the model throws. */
export async function embedBatch(batch: readonly Place[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  const vectors = await first.page.model.embedRows(batch.map(({ page, at }) => page.rows[at] ?? []));
  batch.forEach(({ page, at }, index) => {
    const vector = vectors[index] ?? new Float32Array();
    refuseNonsense(vector);
    page.vectors.set(vector, at * vector.length);
    page.left -= 1;
  });
}

export function refuseNonsense(vector: Float32Array): void {
  // Not `every`: a call of a function for each number takes ten times as long.
  for (const value of vector)
    if (!Number.isFinite(value)) throw new Error('The model gave a vector that is not made of numbers.');
}

function lengthOf({ page, at }: Place): number {
  return Math.max(1, page.rows[at]?.length ?? 0);
}
