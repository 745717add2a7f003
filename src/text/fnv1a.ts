/**
 * FNV-1a (Fowler, Noll and Vo) over UTF-16 units from `start` to `end`, mixed so that the low bits depend on all of
 * them: a whole number of 32 bits. Stored signatures and terms are made of it: another function needs every page
 * indexed again.
 */
export function fnv1a(text: string, start = 0, end = text.length): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
