/** 12,345; with so many decimals at most */
export function amount(value: number, decimals = 0): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

/** `1 person`, `12,345 people` */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

/** A share from 0 to 1 as `86%`; a dash where there is nothing to divide by. */
export function percent(part: number, whole = 1): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`;
}
