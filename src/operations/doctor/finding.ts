export type Level = 'ok' | 'warning' | 'problem';

/** What `doctor` reports about one thing. */
export interface Finding {
  /** What was looked at, such as `queue`. */
  check: string;
  level: Level;
  message: string;
  /** What to do; absent where all is well. */
  action?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message };
}

export function warning(check: string, message: string, action: string): Finding {
  return { check, level: 'warning', message, action };
}

export function problem(check: string, message: string, action: string): Finding {
  return { check, level: 'problem', message, action };
}

/** A number that is a warning from one limit on, and a problem from another. */
export function graded(value: number, limits: { warning: number; problem: number }): Level {
  return value >= limits.problem ? 'problem' : value >= limits.warning ? 'warning' : 'ok';
}

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** Seconds for people: `90 s`, `5 min`, `3 h`. */
export function duration(seconds: number): string {
  for (const [unit, size] of UNITS) if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
}

/** Bytes for people. */
export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
