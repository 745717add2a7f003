import { plural, singular } from '../../text/words/stem.js';

/** Words that are looked up in the project's vocabulary for one path, at most. */
const MAX_LOOKED_UP = 400;
/** Words of a path, from its end, that are looked up and corrected. */
export const MAX_CORRECTED_WORDS = 48;

/** English words of two letters that people run into their neighbours; other pairs of letters are rarely words. */
const TWO_LETTER_WORDS = new Set(
  'am an as at be by do go if in is it me my no of on or so to up us we ai hr id it pc qa ui ux'.split(' '),
);

/** Only alphabets that are typed letter by letter are mistyped so; a changed Han character is another word. */
export const SPELLED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{Nd}]+$/u;

/** The word itself, and its English plural or singular: knowing one is knowing the other. */
export function forms(word: string): string[] {
  return /^[a-z]{3,}$/.test(word) ? [word, singular(word), plural(word)] : [word];
}

function mayStandAlone(part: string): boolean {
  return part.length > 2 || TWO_LETTER_WORDS.has(part) || /^\d+$/.test(part);
}

/** The ways to read a word as two that ran together; a number splits off only where the letters end: `part` `13`. */
export function splitsOf(word: string): [string, string][] {
  if (word.length < 5 || word.length > 40 || !SPELLED.test(word)) return [];
  const splits: [string, string][] = [];
  for (let i = 1; i < word.length; i++) {
    const left = word.slice(0, i);
    const right = word.slice(i);
    const cutsNumber = /\d$/.test(left) && /^\d/.test(right);
    if (!cutsNumber && mayStandAlone(left) && mayStandAlone(right)) splits.push([left, right]);
  }
  return splits;
}

/** The word that two neighbours make, unless one is a single letter: those stand alone, but for `e mail`. */
export function joinOf(left: string, right: string): string | undefined {
  if ((left.length < 2 && left !== 'e') || right.length < 2 || left.length + right.length < 5) return undefined;
  const join = left + right;
  return join.length <= 40 && SPELLED.test(join) && !/^\d|\d$/.test(right) && !/\d$/.test(left) ? join : undefined;
}

/** The words' own forms, and the joins of neighbours: what tells whether a path is spelt as the site spells. */
export function wordsToLookUp(words: readonly string[]): string[] {
  const last = words.slice(-MAX_CORRECTED_WORDS);
  const joins = last
    .slice(1)
    .map((word, i) => joinOf(last[i] ?? '', word))
    .filter((join) => join !== undefined);
  return [...new Set([...last.flatMap(forms), ...joins])].slice(0, MAX_LOOKED_UP);
}

/**
 * What to look up in the project's vocabulary before `correctSpelling`: the words, their plurals and singulars, the
 * joins of neighbours and the words' splits in two. No repeats, 400 at most, the words' own forms first, and of long
 * paths the end first.
 */
export function readingsToLookUp(words: readonly string[]): string[] {
  const splits = words
    .slice(-MAX_CORRECTED_WORDS)
    .toReversed()
    .flatMap((word) => splitsOf(word).flat());
  return [...new Set([...wordsToLookUp(words), ...splits])].slice(0, MAX_LOOKED_UP);
}

/** How many edits may correct a word: in a short one a single edit makes another word. */
export function maxEdits(word: string): number {
  const length = Array.from(word).length;
  if (!SPELLED.test(word) || length <= 4) return 0;
  return length <= 8 ? 1 : 2;
}

/** The words that have to be known in one of these forms, or else are corrected. */
export function correctableWords(words: readonly string[]): { word: string; forms: string[] }[] {
  const last = new Set(words.slice(-MAX_CORRECTED_WORDS));
  return [...last]
    .filter((word) => maxEdits(word) > 0 && !/^\p{N}+$/u.test(word))
    .map((word) => ({ word, forms: forms(word) }));
}
