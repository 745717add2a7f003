import { OperatorError } from '../../base/errors.js';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts a duration such as `90d`, `12h`, `30m` or `45s` to milliseconds. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined || Number(amount) === 0)
    throw new OperatorError(`${option} must be a number with d, h, m or s, such as 90d; not ${JSON.stringify(text)}.`);
  return Number(amount) * (UNITS[unit] ?? 0);
}
