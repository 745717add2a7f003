/** Start value of a hash: FNV's offset basis. */
export const FNV1A_BEGIN = 0x811c9dc5;

/** Adds a UTF-16 unit to a hash that has not ended. */
export function stepFnv1a(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Ends a hash: mixes its low bits, and returns an unsigned 32-bit integer. */
export function endFnv1a(hash: number): number {
  let mixed = hash ^ (hash >>> 15);
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 12)) >>> 0;
}

/**
 * FNV-1a (Fowler, Noll and Vo) over the UTF-16 units from `start` to `end`. Stored signatures and terms depend on it:
 * after a change every page must be indexed again.
 */
export function hashFnv1a(text: string, start = 0, end = text.length): number {
  let hash = FNV1A_BEGIN;
  for (let i = start; i < end; i++) hash = stepFnv1a(hash, text.charCodeAt(i));
  return endFnv1a(hash);
}
