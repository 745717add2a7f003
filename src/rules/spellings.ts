import { formatSource, parseSource } from '../rule-formats/read/source-address.js';

/** Of one rule; more are spellings of scanners. */
export const MAX_SPELLINGS = 100;

/**
 * In what other ways than `path` an old path was listed: those that are known, and those given that browsers ask for in
 * another way. An address without its slash at the end is none where the one with it is known: exports add it.
 */
export function addSpellings(path: string, known: readonly string[], given: readonly string[]): string[] {
  const addresses = new Set([path, ...known].map(addressOf));
  const spellings = [...known];
  for (const one of given) {
    const address = addressOf(one);
    if (addresses.has(address) || addresses.has(`${address}/`) || spellings.length >= MAX_SPELLINGS) continue;
    addresses.add(address);
    spellings.push(one);
  }
  return spellings;
}

function addressOf(path: string): string {
  const source = parseSource(path);
  return source ? formatSource(source) : path;
}
