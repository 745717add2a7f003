/** A share from 0 to 1 as `86%`; a dash where there is nothing to divide by. */
export function percent(part: number, whole = 1): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`;
}

/** A score as `0.83`, the scale of thresholds, rounded down: none reaches a threshold or certainty that it missed. */
export function scoreText(score: number): string {
  // 0.29 times a hundred is a little less than 29.
  const hundredths = Math.floor(score * 100 + 1e-9);
  return hundredths === 0 ? 'under 0.01' : (hundredths / 100).toFixed(2);
}

/** A number in a cell of a table, however it is written. */
const NUMBER = /^(under )?-?[\d,.]+%?$/;

/** Whether a column has numbers and nothing else, by the texts of its cells: then it is aligned at the right. */
export function areNumbers(cells: readonly string[]): boolean {
  const written = cells.filter((cell) => !['', '–', 'none'].includes(cell));
  return written.length > 0 && written.every((cell) => NUMBER.test(cell));
}
