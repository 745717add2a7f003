import { readTokenPath } from './token-path.js';

/** Numbers that stand side by side: a version, a date, an issue's number. */
export type NumberRun = readonly string[];

/** More telling runs than a real path has. */
const MAX_RUNS = 3;
/** Longer runs are no version or date. */
const MAX_LENGTH = 6;

const YEAR = /^(?:19|20)\d\d$/;

/**
 * The runs of numbers of a path's plain segments that name one page among its like: `3.0.4`, `2016/12/14`, `40212`. A
 * year or a small number alone names none. Runs go on from segment to segment where a segment is nothing but numbers.
 */
export function numberRuns(segments: readonly string[]): NumberRun[] {
  const { tokens } = readTokenPath(segments);
  const whole = segments.map((segment) => /^[\d-]+$/.test(segment));
  const runs: string[][] = [];
  for (const [at, { text, isNumber, segment }] of tokens.entries()) {
    if (!isNumber) continue;
    const before = tokens[at - 1];
    const goesOn =
      before?.isNumber === true &&
      (before.segment === segment || (whole[before.segment] === true && whole[segment] === true));
    if (goesOn) runs.at(-1)?.push(text);
    else runs.push([text]);
  }
  return runs.filter(isTelling).slice(-MAX_RUNS);
}

function isTelling(run: NumberRun): boolean {
  if (run.length > MAX_LENGTH) return false;
  const [only = ''] = run;
  return run.length > 1 ? run.some((number) => number !== '0') : only.length >= 4 && !YEAR.test(only);
}

/** Whether two runs are the same version, or the same date in any order. */
export function isSameRun(run: NumberRun, other: NumberRun): boolean {
  if (run.length !== other.length) return false;
  if (run.every((number, at) => number === other[at])) return true;
  return run.length === 3 && run.some((number) => YEAR.test(number)) && sorted(run) === sorted(other);
}

const sorted = (run: NumberRun): string => [...run].sort().join(' ');

/**
 * Patterns of PostgreSQL's `like` that the paths with one of these runs match, and a few more. `_` stands for any
 * separator.
 */
export function runPatterns(runs: readonly NumberRun[]): string[] {
  return runs.flatMap((run) => {
    const at = run.length === 3 ? run.findIndex((number) => YEAR.test(number)) : -1;
    if (at !== 0 && at !== 2) return [`%${run.join('_')}%`];
    const [year = '', ...rest] = at === 0 ? run : [...run].reverse();
    const [month = '', day = ''] = rest.map((number) => number.padStart(2, '0'));
    return [`%${[year, month, day].join('_')}%`, `%${year}${month}${day}%`, `%${run.join('_')}%`];
  });
}
