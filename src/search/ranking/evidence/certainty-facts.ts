import { editDistance } from '../../../text/words/likeness.js';
import type { DeadPath } from '../../../text/paths/dead-path.js';
import { lettersOf, readPathWord, type LivePath, type PathWord } from './page-path.js';

/**
 * What tells the path of a page that was taken off from one that moved or is mistyped: the answer may be near, and yet
 * mean something else. Facts do not change the order of pages, only how sure the best one is. Counts have bounds, all
 * others are 0 or 1.
 */
export interface CertaintyFacts {
  /** A live page stands in the folder of the dead path: the folder did not move. */
  folderIsKnown: number;
  /** There is such a page, and the answer stands elsewhere. */
  leavesFolder: number;
  /** The answer stands in that folder, under another name: `integrations/github` and `integrations/gitlab`. */
  otherInFolder: number;
  /** The answer is a folder of the dead path, such as its index. */
  isAncestor: number;
  /** The dead path is a folder of the answer. */
  isBelow: number;
  /** Words of the dead path that the site uses and the answer's path lacks: a slip makes a word that nobody uses. */
  knownWordsMissing: number;
  /** The same for the last segment alone. */
  knownSlugWordsMissing: number;
  /** The share of the dead path's words that neither the site uses nor the answer's path has. */
  unknownWordsMissing: number;
  /** Words of the answer's last segment that the dead path lacks. */
  extraWords: number;
  /** The last segments differ by one or two letters, in a word that the site does not use. */
  isSlip: number;
  /** The last segments differ by at most one letter; the whole paths by at most two, and by at most four. */
  slugEdit1: number;
  pathEdits2: number;
  pathEdits4: number;
}

/** More words than these say no more. */
const MAX_WORDS = 3;
/** Letters of a last segment, and of a path from its end, that are compared. */
const [SLUG_LETTERS, PATH_LETTERS] = [40, 60];

/** Prepares a dead path for comparison. `lives`: the paths of all its candidates; `isKnown`: whether the site uses a word. */
export function readCertainty(
  { segments, words, slug }: Pick<DeadPath, 'segments' | 'words' | 'slug'>,
  lives: readonly LivePath[],
  isKnown: (word: string) => boolean,
): (live: LivePath) => CertaintyFacts {
  const deadWords = distinct(words.map(readPathWord));
  const slugWords = distinct(slug.map(readPathWord));
  const deadPath = segments.join('/');
  const folder = segments.slice(0, -1).join('/');
  const letters = lettersOf(segments);
  const slugLetters = (segments.at(-1) ?? '').replaceAll('-', '');
  const folderIsKnown = folder !== '' && lives.some((live) => live.folder === folder);
  const hasUnknown = slugWords.some(({ word }) => !isKnown(word));
  const lacking = (all: readonly PathWord[], known: boolean, live: LivePath): number =>
    all.filter((one) => isKnown(one.word) === known && !hasWord(one, live.words, live.letters, !known)).length;
  return (live) => {
    const livePath = live.segments.join('/');
    const inFolder = live.folder === folder;
    const slugEdits = editDistance(slugLetters.slice(0, SLUG_LETTERS), live.slugLetters.slice(0, SLUG_LETTERS));
    const pathEdits = editDistance(letters.slice(-PATH_LETTERS), live.letters.slice(-PATH_LETTERS));
    const extra = live.slugWords.filter((one) => !hasWord(one, deadWords, letters, true)).length;
    return {
      folderIsKnown: Number(folderIsKnown),
      leavesFolder: Number(folderIsKnown && !inFolder),
      otherInFolder: Number(folderIsKnown && inFolder && slugLetters !== live.slugLetters),
      isAncestor: Number(livePath !== deadPath && `${deadPath}/`.startsWith(livePath === '' ? '' : `${livePath}/`)),
      isBelow: Number(deadPath !== '' && livePath.startsWith(`${deadPath}/`)),
      knownWordsMissing: Math.min(MAX_WORDS, lacking(deadWords, true, live)),
      knownSlugWordsMissing: Math.min(MAX_WORDS, lacking(slugWords, true, live)),
      unknownWordsMissing: deadWords.length === 0 ? 0 : lacking(deadWords, false, live) / deadWords.length,
      extraWords: Math.min(MAX_WORDS, extra),
      isSlip: Number(hasUnknown && slugEdits > 0 && slugEdits <= 2),
      slugEdit1: Number(slugEdits <= 1),
      pathEdits2: Number(pathEdits <= 2),
      pathEdits4: Number(pathEdits <= 4),
    };
  };
}

/** Shorter words are in many others by chance. */
const [MIN_WITHIN, MIN_PREFIX, MIN_MISSPELT, MANY_LETTERS] = [4, 3, 4, 8];

/** Whether a path has a word: in another form, within its letters, as a beginning, or misspelt. */
function hasWord({ word, stem }: PathWord, others: readonly PathWord[], letters: string, misspelt: boolean): boolean {
  if (word.length >= MIN_WITHIN && letters.includes(word)) return true;
  return others.some(
    (other) =>
      other.stem === stem ||
      (Math.min(word.length, other.word.length) >= MIN_PREFIX &&
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

function distinct(words: readonly PathWord[]): PathWord[] {
  return [...new Map(words.map((one) => [one.stem, one])).values()];
}

/** All names of {@link CertaintyFacts}. */
export const CERTAINTY_FACTS = [
  'folderIsKnown',
  'leavesFolder',
  'otherInFolder',
  'isAncestor',
  'isBelow',
  'knownWordsMissing',
  'knownSlugWordsMissing',
  'unknownWordsMissing',
  'extraWords',
  'isSlip',
  'slugEdit1',
  'pathEdits2',
  'pathEdits4',
] as const satisfies readonly (keyof CertaintyFacts)[];
