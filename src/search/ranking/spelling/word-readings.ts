import { plural, singular, foldLetters } from '../../../text/words/word-forms.js';

/** Words that are looked up in the vocabulary for one path. */
const MAX_LOOKED_UP = 400;
/** Only the last words of a path are looked up and corrected. */
const MAX_CORRECTED_WORDS = 48;

/** Two-letter words that people join to a neighbour. Other pairs of letters are rarely words. */
const TWO_LETTER_WORDS = new Set(
  'am an as at be by do go if in is it me my no of on or so to up us we ai hr id it pc qa ui ux'.split(' '),
);

/** Only alphabets that are typed letter by letter have such slips. A changed Han character is another word. */
const ALPHABETIC = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{Nd}]+$/u;

/** The word with its English singular and plural, which count as one word. */
export function inflect(word: string): string[] {
  return /^[a-z]{3,}$/.test(word) ? [word, singular(word), plural(word)] : [word];
}

function mayStandAlone(part: string): boolean {
  return part.length > 2 || TWO_LETTER_WORDS.has(part) || /^\d+$/.test(part);
}

/** Lists all splits of a word into two. A number is never cut; it may split off from letters: `part` `13`. */
export function splitInTwo(word: string): [string, string][] {
  if (word.length < 5 || word.length > 40 || !ALPHABETIC.test(word)) return [];
  const splits: [string, string][] = [];
  for (let i = 1; i < word.length; i++) {
    const left = word.slice(0, i);
    const right = word.slice(i);
    const cutsNumber = /\d$/.test(left) && /^\d/.test(right);
    if (!cutsNumber && mayStandAlone(left) && mayStandAlone(right)) splits.push([left, right]);
  }
  return splits;
}

/** Letters that slugs of German, Norwegian and Danish pages spell by two. */
const SPELT_BY_TWO: readonly (readonly [RegExp, string])[][] = [
  [
    [/ae/g, 'ä'],
    [/oe/g, 'ö'],
    [/(?<![aeq])ue/g, 'ü'],
  ],
  [
    [/ae/g, 'æ'],
    [/oe/g, 'ø'],
    [/aa/g, 'å'],
  ],
];

/** Returns the word as a page may write it: `ueber` gives `über`, `strasse` gives `straße`. Most words give none. */
export function unspell(word: string): string[] {
  if (!/[aou]e|aa|ss/.test(word) || !/^[a-z]{4,40}$/.test(word)) return [];
  const written = SPELT_BY_TWO.map((pairs) => pairs.reduce((text, [two, letter]) => text.replace(two, letter), word));
  const sharp = [word, ...written.slice(0, 1)].map((text) => text.replace('ss', 'ß'));
  return [...new Set([...written, ...sharp])].filter((spelling) => spelling !== word);
}

/** Joins two neighbours. Undefined if one of them is a single letter, except `e` in `e mail`. */
export function joinWords(left: string, right: string): string | undefined {
  if ((left.length < 2 && left !== 'e') || right.length < 2 || left.length + right.length < 5) return undefined;
  const join = left + right;
  return join.length <= 40 && ALPHABETIC.test(join) && !/^\d|\d$/.test(right) && !/\d$/.test(left) ? join : undefined;
}

/** Lists the words, their inflections, other spellings and joins: whether the path is spelt as the site spells. */
export function wordsToLookUp(words: readonly string[]): string[] {
  const last = words.slice(-MAX_CORRECTED_WORDS);
  const joins = last
    .slice(1)
    .map((word, i) => joinWords(last[i] ?? '', word))
    .filter((join) => join !== undefined);
  return [...new Set([...last.flatMap(inflect), ...joins, ...last.flatMap(unspell)])].slice(0, MAX_LOOKED_UP);
}

/** Lists {@link wordsToLookUp} and the parts of words split in two, the last words first, at most 400. */
export function readingsToLookUp(words: readonly string[]): string[] {
  const splits = words
    .slice(-MAX_CORRECTED_WORDS)
    .toReversed()
    .flatMap((word) => splitInTwo(word).flat());
  return [...new Set([...wordsToLookUp(words), ...splits])].slice(0, MAX_LOOKED_UP);
}

/** Returns how many edits may correct a word. In a short word a single edit makes another word. */
export function maxEdits(word: string): number {
  const length = Array.from(word).length;
  if (!ALPHABETIC.test(word) || length <= 4) return 0;
  return length <= 8 ? 1 : 2;
}

/** The words to correct, unless one of these forms is known. */
export function correctableWords(words: readonly string[]): { word: string; forms: string[] }[] {
  const last = new Set(words.slice(-MAX_CORRECTED_WORDS));
  return [...last]
    .filter((word) => maxEdits(word) > 0 && !/^\p{N}+$/u.test(word))
    .map((word) => ({ word, forms: inflect(word) }));
}

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
/** The cost of letters that slugs write alike: `unites` is `unités` before it is `unies`. */
const OTHER_ACCENT = 0.1;
const FIRST_LETTER = 1.5;

function substituteCost(from: string, to: string, isFirst: boolean): number {
  if (from === to) return 0;
  // Most letters are ASCII, and every letter is compared with every other.
  if ((from > 'z' || to > 'z') && foldLetters(from) === foldLetters(to)) return OTHER_ACCENT;
  return (areNeighbours(from, to) ? NEIGHBOUR_KEY : 1) * (isFirst ? FIRST_LETTER : 1);
}

/** The cost of an extra or a missing letter; `before`: the letter before it, which it may double. */
function insertCost(letter: string, before: string | undefined): number {
  if (before === undefined) return FIRST_LETTER;
  return letter === before ? DOUBLED_LETTER : 1;
}

/** Computes the cost of typing `from` for `to`: {@link editDistance} with a cost for each kind of edit. */
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
