const YEAR = /^(?:19|20)\d\d$/;
/** Of a path with more, the first ones. */
const MAX_VERSIONS = 4;
/** A version has two to four numbers; a longer run is an address or an id. */
const MAX_NUMBERS = 4;
/** Longer numbers are ids, and patterns of thousands of digits would be slow to compare with long urls. */
const MAX_DIGITS = 6;

/** The numbers of a segment, without leading zeros. */
export function numbersOf(segment: string): string[] {
  return (segment.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ''));
}

/**
 * The versions in a path's plain segments, numbers side by side in one segment: of `/go/v3-0-4` 3, 0 and 4. Numbers
 * with a year among them are a date, which may be written in any order.
 */
export function versionsOf(segments: readonly string[]): string[][] {
  return segments
    .flatMap((segment) => segment.split(/[^\d-]+/))
    .map(numbersOf)
    .filter(({ length }) => length >= 2 && length <= MAX_NUMBERS)
    .filter((numbers) => !numbers.some((number) => YEAR.test(number) || number.length > MAX_DIGITS))
    .slice(0, MAX_VERSIONS);
}

/** Whether a version of one path is a version of the other in another order: `3.0.4` and `4.0.3`. */
export function isTurnedAround(versions: readonly string[][], others: readonly string[][]): boolean {
  if (versions.length === 0 || others.length === 0) return false;
  const written = others.map((numbers) => numbers.join('.'));
  const sorted = others.map((numbers) => [...numbers].sort().join('.'));
  return versions.some(
    (numbers) => !written.includes(numbers.join('.')) && sorted.includes([...numbers].sort().join('.')),
  );
}

/** Patterns of `like` for urls with one of these versions, whatever stands between the numbers: `%3_0_4%`. */
export function versionPatterns(versions: readonly string[][]): string[] {
  return [...new Set(versions.map((numbers) => `%${numbers.join('_')}%`))];
}
