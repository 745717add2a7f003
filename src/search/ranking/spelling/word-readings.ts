import { plural, singular } from '../../../text/words/stem.js';

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

/** All splits of a word into two. A number is never cut; it may split off from letters: `part` `13`. */
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

/** The word as a page may write it: `ueber` gives `über`, `strasse` gives `straße`. Most words give none. */
export function unspell(word: string): string[] {
  if (!/[aou]e|aa|ss/.test(word) || !/^[a-z]{4,40}$/.test(word)) return [];
  const written = SPELT_BY_TWO.map((pairs) => pairs.reduce((text, [two, one]) => text.replace(two, one), word));
  const sharp = [word, ...written.slice(0, 1)].map((text) => text.replace('ss', 'ß'));
  return [...new Set([...written, ...sharp])].filter((one) => one !== word);
}

/** Joins two neighbours. Undefined if one is a single letter, except `e` in `e mail`. */
export function joinWords(left: string, right: string): string | undefined {
  if ((left.length < 2 && left !== 'e') || right.length < 2 || left.length + right.length < 5) return undefined;
  const join = left + right;
  return join.length <= 40 && ALPHABETIC.test(join) && !/^\d|\d$/.test(right) && !/\d$/.test(left) ? join : undefined;
}

/** The words, their inflections, other spellings and the joins of neighbours: whether the path is spelt as the site. */
export function wordsToLookUp(words: readonly string[]): string[] {
  const last = words.slice(-MAX_CORRECTED_WORDS);
  const joins = last
    .slice(1)
    .map((word, i) => joinWords(last[i] ?? '', word))
    .filter((join) => join !== undefined);
  return [...new Set([...last.flatMap(inflect), ...joins, ...last.flatMap(unspell)])].slice(0, MAX_LOOKED_UP);
}

/**
 * What `correctSpelling` needs from the vocabulary: {@link wordsToLookUp} and the parts of the words' splits in two. No
 * repeats, at most 400, the splits of the last words first.
 */
export function readingsToLookUp(words: readonly string[]): string[] {
  const splits = words
    .slice(-MAX_CORRECTED_WORDS)
    .toReversed()
    .flatMap((word) => splitInTwo(word).flat());
  return [...new Set([...wordsToLookUp(words), ...splits])].slice(0, MAX_LOOKED_UP);
}

/** The edits that may correct a word. In a short word a single edit makes another word. */
export function maxEdits(word: string): number {
  const length = Array.from(word).length;
  if (!ALPHABETIC.test(word) || length <= 4) return 0;
  return length <= 8 ? 1 : 2;
}

/** The words that are corrected unless one of these forms is known. */
export function correctableWords(words: readonly string[]): { word: string; forms: string[] }[] {
  const last = new Set(words.slice(-MAX_CORRECTED_WORDS));
  return [...last]
    .filter((word) => maxEdits(word) > 0 && !/^\p{N}+$/u.test(word))
    .map((word) => ({ word, forms: inflect(word) }));
}
