import { editDistance } from '../../../text/words/likeness.js';
import type { DeadPath } from '../../../text/paths/dead-path.js';
import { readPathWord, type LivePath, type PathWord } from './page-path.js';

/**
 * These facts tell the path of a page that was taken off from one that moved or is mistyped: an answer may be near and
 * yet mean something else. They do not order pages; they tell how sure the best one is. Each is 0 or 1, unless its
 * comment names another range.
 */
export interface CertaintyFacts {
  /** The folder of the dead path still has pages, and the answer stands elsewhere. */
  leavesFolder: number;
  /** The answer stands in that folder under another name, in other words unless the folder tells forms apart. */
  otherInFolder: number;
  /** The answer is a folder of the dead path, such as its index. */
  isAncestor: number;
  /** The dead path is a folder of the answer. */
  isBelow: number;
  /** Words of the dead path that the site writes and the answer's path lacks, {@link MAX_WORDS} at most. */
  knownWordsMissing: number;
  /** The share of the dead path's words that neither the site writes nor the answer's path has, 0 to 1. */
  unknownWordsMissing: number;
  /** The last segments differ by a letter or two, in a word that the site does not write: a slip makes such words. */
  isSlip: number;
  /** The dead path breaks off within a word of the answer's last segment: `/about/definiti`. */
  isCut: number;
}

const MAX_WORDS = 3;
/** So many letters of last segments are compared. */
const MAX_LETTERS = 40;
/** A last segment has MAX_SLIPS slips at most, a SHORT one a single slip: `over` is no slip of `other`. */
const [MAX_SLIPS, SHORT] = [2, 6];

/** Segments stand behind a page's path to have it in another form, or by mistake; some have no letter or digit. */
const TRAILING = /^(?:print|download|feed|rss|amp|pdf|embed|share|comments?|trackback|home|[^\p{L}\p{N}]*)$/u;

/** Prepares a dead path. `lives`: its candidates' paths. `isWritten`: the site or everybody writes just this word. */
export function readCertainty(
  { segments: all, words, slug: slugWords }: Pick<DeadPath, 'segments' | 'words' | 'slug'>,
  lives: readonly LivePath[],
  isWritten: (word: string) => boolean,
): (live: LivePath) => CertaintyFacts {
  const segments = withoutTrailing(all);
  const dropped = new Set(all.slice(segments.length));
  const kept = words.filter((word) => !dropped.has(word)).map(readPathWord);
  const deadWords = [...new Map(kept.map((word) => [word.stem, word])).values()];
  const deadPath = segments.join('/');
  const folder = segments.slice(0, -1).join('/');
  const slug = segments.at(-1) ?? '';
  const letters = slug.replaceAll('-', '').slice(0, MAX_LETTERS);
  const folderHasPages = folder !== '' && lives.some((live) => live.folder === folder);
  const hasUnknown = deadWords.some(({ word }) => slug.includes(word) && !isWritten(word));
  const name = stemsOf(slugWords.filter((word) => !dropped.has(word)).map(readPathWord));
  let tellsForms: boolean | undefined;
  const tells = (): boolean => (tellsForms ??= hasTwoForms(lives.filter((live) => live.folder === folder)));
  const lastWord = kept.at(-1)?.word ?? '';
  const endsUnknown = lastWord !== '' && !isWritten(lastWord);
  const missing = (live: LivePath, written: boolean): number =>
    deadWords.filter((word) => isWritten(word.word) === written && !hasWord(live, word, !written)).length;
  return (live) => {
    const livePath = live.segments.join('/');
    const inFolder = live.folder === folder;
    const edits = editDistance(letters, live.slugLetters.slice(0, MAX_LETTERS));
    return {
      leavesFolder: Number(folderHasPages && !inFolder),
      otherInFolder: Number(
        folderHasPages &&
          inFolder &&
          slug.replaceAll('-', '') !== live.slugLetters &&
          (name !== stemsOf(live.slugWords) || tells()),
      ),
      isAncestor: Number(livePath !== deadPath && `/${deadPath}/`.startsWith(livePath === '' ? '/' : `/${livePath}/`)),
      isBelow: Number(deadPath !== '' && livePath.startsWith(`${deadPath}/`)),
      knownWordsMissing: Math.min(MAX_WORDS, missing(live, true)),
      unknownWordsMissing: missing(live, false) / Math.max(1, deadWords.length),
      isSlip: Number(hasUnknown && edits > 0 && edits <= (letters.length < SHORT ? 1 : MAX_SLIPS)),
      isCut: Number(endsUnknown && live.slugWords.some(({ word }) => word !== lastWord && word.startsWith(lastWord))),
    };
  };
}

const stemsOf = (words: readonly PathWord[]): string => words.map(({ stem }) => stem).join('-');

/** Whether pages of one folder differ in the form of a word alone, as `instance` and `instances`. */
function hasTwoForms(lives: readonly LivePath[]): boolean {
  const forms = new Map<string, string>();
  return lives.some(({ slugWords, slugLetters }) => {
    const stems = stemsOf(slugWords);
    const known = forms.get(stems) ?? slugLetters;
    forms.set(stems, known);
    return stems !== '' && known !== slugLetters;
  });
}

function withoutTrailing(segments: readonly string[]): readonly string[] {
  const end = segments.findLastIndex((segment) => !TRAILING.test(segment));
  return segments.slice(0, Math.max(1, end + 1));
}

/** Shorter words are in others by chance. */
const [MIN_WITHIN, MIN_START, MIN_MISSPELT, MANY_LETTERS] = [4, 3, 4, 8];

/** Whether a live path has a word of a dead one: in another form, within its letters, as a beginning, or misspelt. */
function hasWord({ words, letters }: LivePath, { word, stem }: PathWord, misspelt: boolean): boolean {
  if (word.length >= MIN_WITHIN && letters.includes(word)) return true;
  return words.some(
    (other) =>
      other.stem === stem ||
      (Math.min(word.length, other.word.length) >= MIN_START &&
        (other.word.startsWith(word) || word.startsWith(other.word))) ||
      (misspelt && isMisspelt(word, other.word)),
  );
}

function isMisspelt(word: string, other: string): boolean {
  const shorter = Math.min(word.length, other.length);
  if (shorter < MIN_MISSPELT) return false;
  const allowed = shorter >= MANY_LETTERS ? 2 : 1;
  return Math.abs(word.length - other.length) <= allowed && editDistance(word, other) <= allowed;
}
