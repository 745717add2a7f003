/**
 * FNV-1a (Fowler, Noll and Vo) over the UTF-16 units from `start` to `end`, with a final mix of the low bits. Gives an
 * unsigned 32-bit integer. Stored signatures and terms depend on it: after a change every page must be indexed again.
 */
export function hashFnv1a(text: string, start = 0, end = text.length): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
