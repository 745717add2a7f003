import { foldLetters } from './fold-letters.js';

const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** Each row's offset to the right of the first, in keys. */
const ROW_SHIFTS = [0, 0.25, 0.75];

function keyPosition(letter: string): { x: number; y: number } | undefined {
  const y = KEY_ROWS.findIndex((row) => row.includes(letter));
  return y < 0 ? undefined : { x: (KEY_ROWS[y] ?? '').indexOf(letter) + (ROW_SHIFTS[y] ?? 0), y };
}

/** Whether two letters are adjacent on a QWERTY keyboard. */
function areNeighbours(a: string, b: string): boolean {
  const p = keyPosition(a);
  const q = keyPosition(b);
  return p !== undefined && q !== undefined && Math.abs(p.y - q.y) <= 1 && Math.abs(p.x - q.x) <= 1;
}

/** Typing slips cost less than other edits. The first letter costs more, because it is seldom wrong. */
const NEIGHBOUR_KEY = 0.6;
const DOUBLED_LETTER = 0.6;
const SWAPPED_LETTERS = 0.7;
/** Of letters that slugs write alike: `unites` is `unités` before it is `unies`. */
const OTHER_ACCENT = 0.1;
const FIRST_LETTER = 1.5;

function substituteCost(from: string, to: string, first: boolean): number {
  if (from === to) return 0;
  // Most letters are ASCII, and every letter is compared with every other.
  if ((from > 'z' || to > 'z') && foldLetters(from) === foldLetters(to)) return OTHER_ACCENT;
  return (areNeighbours(from, to) ? NEIGHBOUR_KEY : 1) * (first ? FIRST_LETTER : 1);
}

/** The cost of an extra or a missing letter; `before`: the letter before it, which it may double. */
function insertCost(letter: string, before: string | undefined): number {
  if (before === undefined) return FIRST_LETTER;
  return letter === before ? DOUBLED_LETTER : 1;
}

/**
 * The cost of typing `from` for `to`: {@link editDistance} with a cost for each kind of edit. Higher is less likely.
 */
export function typingCost(from: string, to: string): number {
  const a = Array.from(from);
  const b = Array.from(to);
  let older: number[] = [];
  let old: number[] = [0];
  for (let j = 1; j <= b.length; j++) old[j] = (old[j - 1] ?? 0) + insertCost(b[j - 1] ?? '', b[j - 2]);
  for (let i = 1; i <= a.length; i++) {
    const x = a[i - 1] ?? '';
    const row = [(old[0] ?? 0) + insertCost(x, a[i - 2])];
    for (let j = 1; j <= b.length; j++) {
      const y = b[j - 1] ?? '';
      let best = (old[j - 1] ?? 0) + substituteCost(x, y, i === 1 || j === 1);
      best = Math.min(best, (old[j] ?? 0) + insertCost(x, a[i - 2]), (row[j - 1] ?? 0) + insertCost(y, b[j - 2]));
      if (i > 1 && j > 1 && x !== y && x === b[j - 2] && a[i - 2] === y) {
        const surcharge = i === 2 || j === 2 ? FIRST_LETTER : 1;
        best = Math.min(best, (older[j - 2] ?? 0) + SWAPPED_LETTERS * surcharge);
      }
      row[j] = best;
    }
    older = old;
    old = row;
  }
  return old[b.length] ?? 0;
}

/** For each UTF-16 unit its positions in the shorter text, as bits. All zero between calls. */
const POSITIONS = new Int32Array(65_536);
const MAX_BITS = 32;

/**
 * The number of insertions, deletions, substitutions and swaps of neighbours between two texts. Optimal string
 * alignment: Levenshtein with transpositions, no substring edited twice (Boytsov 2011, "Indexing methods for
 * approximate dictionary searching", section 2.2). Counts UTF-16 units. It runs for each candidate of a search: if one
 * text has at most 32 units, the bits of a number hold a column of the table (docs/decisions/0041-edit-distance.md).
 */
export function editDistance(from: string, to: string): number {
  const [short, long] = from.length <= to.length ? [from, to] : [to, from];
  if (short.length === 0) return long.length;
  return short.length <= MAX_BITS ? distanceByBits(short, long) : distanceByCells(short, long);
}

/** Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances". */
function distanceByBits(short: string, long: string): number {
  const last = 1 << (short.length - 1);
  for (let i = 0; i < short.length; i++)
    POSITIONS[short.charCodeAt(i)] = (POSITIONS[short.charCodeAt(i)] ?? 0) | (1 << i);
  let distance = short.length;
  // One bit per row of the column: whether its value is one more, or one less, than the value above it, and whether it
  // equals the value diagonally before it. Hyyrö's VP, VN and D0.
  let grows = -1;
  let shrinks = 0;
  let stays = 0;
  let positionsBefore = 0;
  for (let j = 0; j < long.length; j++) {
    const positions = POSITIONS[long.charCodeAt(j)] ?? 0;
    const swapped = ((~stays & positions) << 1) & positionsBefore;
    stays = ((((positions & grows) + grows) | 0) ^ grows) | positions | shrinks | swapped;
    let grewAcross = shrinks | ~(stays | grows);
    let shrankAcross = stays & grows;
    if ((grewAcross & last) !== 0) distance++;
    if ((shrankAcross & last) !== 0) distance--;
    grewAcross = (grewAcross << 1) | 1;
    shrankAcross <<= 1;
    grows = shrankAcross | ~(stays | grewAcross);
    shrinks = grewAcross & stays;
    positionsBefore = positions;
  }
  for (let i = 0; i < short.length; i++) POSITIONS[short.charCodeAt(i)] = 0;
  return distance;
}

function distanceByCells(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const [x, y] = [from[i - 1], to[j - 1]];
      let best = Math.min((old[j - 1] ?? 0) + (x === y ? 0 : 1), (old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && x === to[j - 2] && from[i - 2] === y) best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    [older, old] = [old, row];
  }
  return old[to.length] ?? 0;
}

/** A name may differ by one edit for every three characters, up to this number. */
const MAX_EDITS = 2;

/**
 * The known name that a misspelt one probably means: the same but for case, `_`, `-` and `.`, or at most two edits
 * away. Of equally near names, the first.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const plain = plainName(given);
  let best: string | undefined;
  let min = Math.min(MAX_EDITS, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const between = editDistance(plain, plainName(name));
    if (between < min) [best, min] = [name, between];
  }
  return best;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** How many first segments two paths have in common, at most `max`. */
export function commonPrefix(a: readonly string[], b: readonly string[], max = a.length): number {
  let common = 0;
  while (common < max && common < b.length && a[common] === b[common]) common++;
  return common;
}
