/** A share from 0 to 1 as `86%`; a dash where there is nothing to divide by. */
export function percent(part: number, whole = 1): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`;
}
