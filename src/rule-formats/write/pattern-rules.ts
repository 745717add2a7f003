import { mapYielding } from '../../base/map-yielding.js';
import type { Checked } from '../lint-redirects.js';
import { hasTerms, type ExportRule, type Piece, type Rewriting } from './written-rule.js';
import { MIN_CASES, prefixesOf } from './wildcards.js';

/** Deeper beginnings are no sections of a site. */
const MAX_DEPTH = 6;
/** Endings that sites drop or change when they move. */
const ENDING = /\/index\.[a-z]{2,5}$|\.[a-z][a-z\d]{1,4}$|\/$/;
/** Year, month and perhaps day. */
const DATES = [/^(\d{4})([/-])(\d{2})([/-])(\d{2})([/-])/, /^(\d{4})([/-])(\d{2})([/-])/];

/** How a new address has the date of the old path; the first that fits. */
const NEW_DATES: readonly (readonly (string | number)[])[] = [
  [1, '/', 2, '/', 3, '/'],
  [1, '-', 2, '-', 3, '/'],
  [1, '-', 2, '-', 3, '-'],
  [3, '/', 2, '/', 1, '/'],
  [3, '-', 2, '-', 1, '-'],
  [1, '/', 2, '/'],
  [1, '-', 2, '-'],
  [1, '/'],
  [1, '-'],
  [],
];

/** One way to read an old path: a beginning, perhaps a date, any text, and an ending. */
interface PatternForm {
  key: string;
  prefix: string;
  date: OldDate | undefined;
  middle: string;
  ending: string;
}

/** The ways in which a rewriting may match a path. A page that shares one with a rewriting would be hidden by it. */
export function patternFormsOf(path: string): PatternForm[] {
  const found: PatternForm[] = [];
  const end = ENDING.exec(path)?.[0] ?? '';
  const endings = new Set(['', end, ...(end.startsWith('/index.') ? [end.slice('/index'.length)] : [])]);
  for (const prefix of ['/', ...prefixesOf(path).slice(0, MAX_DEPTH)]) {
    const behind = path.slice(prefix.length);
    // Of a whole site only what has a date: else nothing is known of most paths.
    for (const date of [...(prefix === '/' ? [] : [undefined]), ...readDates(behind)]) {
      for (const ending of endings) {
        const middle = behind.slice(date?.length ?? 0, behind.length - ending.length);
        if (middle === '') continue;
        // A path has no space in it.
        found.push({ key: `${prefix} ${date?.shape ?? ''} ${ending}`, prefix, date, middle, ending });
      }
    }
  }
  return found;
}

interface OldDate {
  length: number;
  shape: string;
  values: string[];
  pieces: Piece[];
}

function readDates(text: string): OldDate[] {
  return DATES.flatMap((date) => {
    const match = date.exec(text);
    if (!match) return [];
    const [all, ...parts] = match;
    const values = parts.filter((part) => /^\d/.test(part));
    const pieces = parts.map((part): Piece => (/^\d/.test(part) ? { digits: part.length } : { text: part }));
    return [
      { length: all.length, shape: parts.map((part) => (/^\d/.test(part) ? 'd' : part)).join(''), values, pieces },
    ];
  });
}

/** What a reading makes of the new address: the same for all cases of a rewriting. */
function rewritingOf({ prefix, date, middle, ending }: PatternForm, to: string): ExportRule | undefined {
  const origin = /^https?:\/\/[^/]+/i.exec(to)?.[0];
  if (origin === undefined) return undefined;
  const end = ENDING.exec(to)?.[0] ?? '';
  const values = date?.values ?? [];
  for (const newEnding of new Set([end, ''])) {
    const before = to.slice(0, to.length - newEnding.length);
    if (!before.endsWith(middle)) continue;
    const beginning = before.slice(0, before.length - middle.length);
    const form = NEW_DATES.find((one) => {
      if (one.some((part) => typeof part === 'number' && part > values.length)) return false;
      const text = one.map((part) => (typeof part === 'number' ? values[part - 1] : part)).join('');
      return beginning.endsWith(`/${text}`) && beginning.length - text.length > origin.length;
    });
    if (!form) continue;
    const written = form.map((part) => (typeof part === 'number' ? (values[part - 1] ?? '') : part)).join('');
    const rewriting: Rewriting = {
      old: [...(date?.pieces ?? []), { rest: true }, ...(ending === '' ? [] : [{ text: ending }])],
      to: [...form, values.length + 1, ...(newEnding === '' ? [] : [newEnding])],
    };
    // What keeps date and ending is a wildcard's.
    if (form.length === 0 && !date && newEnding === ending) return undefined;
    const start = beginning.slice(0, beginning.length - written.length);
    return { path: prefix, query: '', to: start, rest: 'kept', rewriting };
  }
  return undefined;
}

/**
 * Readings that are kept in mind, some 100 MB. 100,000 redirects of six different folders each, with dates and endings,
 * took 900.
 */
const MAX_READINGS = 400_000;

/**
 * Rewritings on which all known cases agree that they match, by the key of their reading. None of a project whose old
 * paths have more than {@link MAX_READINGS} readings.
 */
export async function findRewritings(checked: readonly Checked[]): Promise<Map<string, ExportRule>> {
  const found = new Map<string, { rule: ExportRule | undefined; text: string; cases: number }>();
  await mapYielding(checked, (one) => {
    if (found.size > MAX_READINGS) return;
    for (const reading of patternFormsOf(one.path)) {
      const rule = one.query === '' && !one.isDead && !hasTerms(one) ? rewritingOf(reading, one.to) : undefined;
      const text = rule ? JSON.stringify(rule) : '';
      const known = found.get(reading.key);
      if (!known) found.set(reading.key, { rule, text, cases: 1 });
      else if (known.text !== text) known.rule = undefined;
      else known.cases++;
    }
  });
  if (found.size > MAX_READINGS) return new Map();
  return new Map(
    [...found].flatMap(([key, { rule, cases }]) => (rule && cases >= MIN_CASES ? [[key, rule] as const] : [])),
  );
}

/** Those that take the place of most redirects, and the redirects that are left. `stays`: of these none takes it. */
export async function chooseRewritings(
  candidates: ReadonlyMap<string, ExportRule>,
  exact: readonly Checked[],
  stays: (one: Checked) => boolean,
): Promise<{ rules: ExportRule[]; left: readonly Checked[] }> {
  if (candidates.size === 0) return { rules: [], left: exact };
  const cases = new Map<string, Checked[]>();
  await mapYielding(exact, (one) => {
    for (const { key } of one.query === '' && !hasTerms(one) && !stays(one) ? patternFormsOf(one.path) : []) {
      if (!candidates.has(key)) continue;
      const known = cases.get(key);
      if (known) known.push(one);
      else cases.set(key, [one]);
    }
  });
  const taken = new Set<Checked>();
  const rules: ExportRule[] = [];
  for (const [key, all] of [...cases].sort(([, a], [, b]) => b.length - a.length)) {
    const rule = candidates.get(key);
    const left = all.filter((one) => !taken.has(one));
    if (!rule || left.length < MIN_CASES) continue;
    rules.push(rule);
    for (const one of left) taken.add(one);
  }
  return { rules, left: exact.filter((one) => !taken.has(one)) };
}
