// A format takes longer to make than to use, and the chart of 400 days writes thousands of numbers.
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** Writes a number with commas, `12,345`, and with at most `decimals` decimals. */
export function amount(value: number, decimals: 0 | 1 = 0): string {
  return (decimals === 0 ? WHOLE : TENTHS).format(value);
}

/** Writes a number with its noun: `1 person`, `12,345 people`. */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${amount(value)} ${value === 1 ? singular : plural}`;
}

/** `was` for one, else `were`. */
export function wasOrWere(value: number): string {
  return value === 1 ? 'was' : 'were';
}
