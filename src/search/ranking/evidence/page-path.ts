import { foldLetters, stem } from '../../../text/words/word-forms.js';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../base/glossary.js';
import { readIdentities, type Identities } from '../../../text/paths/identities.js';
import { beginInOtherLanguages, languageOf } from '../../../text/paths/sanitize-path.js';
import { comparedSegments, plainSegments } from '../../../text/paths/plain-path.js';
import { sortedTrigrams } from '../../../text/words/likeness.js';
import { numbersOf, versionsOf } from '../../../text/paths/codes.js';
import { readTokenPath, type TokenPath } from '../learned-redirects/rewrite-by-example.js';

/** A word of a path, and the stem by which it is compared. */
export interface PathWord {
  word: string;
  stem: string;
}

export function readPathWord(word: string): PathWord {
  return { word, stem: pathStem(word) };
}

/**
 * The stem by which words of two paths are compared. Slugs write `ä` as `a` or `ae`, `ø` as `o` or `oe`, `å` as `a` or
 * `aa`: all are one here, and `value` is `valu` in every path.
 */
export function pathStem(word: string): string {
  return stem(foldLetters(word)).replace(/([aou])e|a(?=a)/g, '$1');
}

/** The path of a live page, or the old one of a redirect, prepared for comparison with dead paths. */
export interface LivePath {
  segments: readonly string[];
  /** Trigrams of all segments, of {@link slugLetters}, and of all segments but the last. */
  pathTrigrams: Int32Array;
  slugTrigrams: Int32Array;
  folderTrigrams: Int32Array;
  /** The last segment without hyphens. */
  slugLetters: string;
  letters: string;
  /** All segments but the last. */
  folder: string;
  language: string;
  /** The distinct numbers of the last segment, and those of all. */
  numbers: readonly string[];
  allNumbers: readonly string[];
  versions: readonly string[][];
  identities: Identities;
  /** All words, but only one word of each stem. */
  words: readonly PathWord[];
  /** The slug's words, with repeats. */
  slugWords: readonly PathWord[];
  /** {@link tokensOf} and {@link lastStemsOf} read these once. */
  tokens: TokenPath | undefined;
  lastStems: ReadonlySet<string> | undefined;
}

/** A path as in its url, and its indexed words, separated by spaces. */
interface IndexedPath {
  path: string;
  path_words: string;
  slug_words: string;
}

export function readLivePath({ path, path_words: pathWords, slug_words: slugWords }: IndexedPath): LivePath {
  const segments = comparedSegments(plainSegments(path));
  const last = segments.at(-1) ?? '';
  const slugLetters = last.replaceAll('-', '');
  const folder = segments.slice(0, -1).join('/');
  return {
    segments,
    pathTrigrams: sortedTrigrams(segments.join('/')),
    slugTrigrams: sortedTrigrams(slugLetters),
    folderTrigrams: sortedTrigrams(folder),
    slugLetters,
    letters: lettersOf(segments),
    folder,
    language: languageOf(segments),
    numbers: [...new Set(numbersOf(last))],
    allNumbers: allNumbersOf(segments),
    versions: versionsOf(segments),
    identities: readIdentities(path, segments),
    words: distinctStems(split(pathWords).map(readPathWord)),
    slugWords: split(slugWords).map(readPathWord),
    tokens: undefined,
    lastStems: undefined,
  };
}

export function tokensOf(path: LivePath): TokenPath {
  return (path.tokens ??= readTokenPath(path.segments));
}

/** The last words of an old path, so many at most, are compared, each with each. */
export const MAX_OLD_WORDS = 12;

/** The stems of the last words of an old path. */
export function lastStemsOf(path: LivePath): ReadonlySet<string> {
  return (path.lastStems ??= new Set(
    path.segments
      .flatMap((segment) => segment.split('-'))
      .slice(-MAX_OLD_WORDS)
      .map(pathStem),
  ));
}

const LANGUAGE_CODE = /^[a-z]{2,3}(?=[-_]|$)/i;

/** Tells whether a page is in another language than a path names. Its path names it, or else its metadata. */
export function isInOtherLanguage(
  segments: readonly string[],
  live: LivePath,
  metadata: () => JsonObject | null | undefined,
): boolean {
  if (beginInOtherLanguages(segments, live.segments)) return true;
  const named = languageOf(segments);
  if (named === '' || live.language !== '') return named !== '' && live.language !== named;
  const { lang, language = lang } = metadata() ?? {};
  const declared = typeof language === 'string' ? LANGUAGE_CODE.exec(language)?.[0].toLowerCase() : undefined;
  return declared !== undefined && declared !== named;
}

/** Reads live paths, with an LRU cache: the same pages are candidates of many dead paths. */
export type LivePathCache = ReturnType<typeof createLivePathCache>;

/** An entry takes 3 kB. Reading a path takes some 15 µs, a hit 0.2 µs, and a search compares sixty. */
const MAX_ENTRIES = 4_096;
/** Longer paths take many times the memory and are not cached. */
const MAX_CACHED_LENGTH = 256;

export function createLivePathCache() {
  const cache = new LRUCache<string, { indexed: IndexedPath; live: LivePath }>({ max: MAX_ENTRIES });
  return {
    read(indexed: IndexedPath): LivePath {
      const { path, path_words, slug_words } = indexed;
      if (path.length > MAX_CACHED_LENGTH || path_words.length > MAX_CACHED_LENGTH) return readLivePath(indexed);
      const known = cache.get(path);
      // Another release may have indexed the same path with other words.
      if (known?.indexed.path_words === path_words && known.indexed.slug_words === slug_words) return known.live;
      const live = readLivePath(indexed);
      cache.set(path, { indexed: { path, path_words, slug_words }, live });
      return live;
    },
  };
}

/** All segments without hyphens, for the comparison letter by letter. */
export function lettersOf(segments: readonly string[]): string {
  return segments.join('/').replaceAll('-', '');
}

/** A path of a real site has at most ten numbers; each is compared with each. */
const MAX_NUMBERS = 24;

/** The numbers of all segments. Of a path with more than {@link MAX_NUMBERS}, the last ones, which name the page. */
export function allNumbersOf(segments: readonly string[]): string[] {
  return segments.flatMap(numbersOf).slice(-MAX_NUMBERS);
}

/** The last word of each stem, in reverse order. */
export function distinctStems(words: readonly PathWord[]): PathWord[] {
  const distinct: PathWord[] = [];
  const stems = new Set<string>();
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] as PathWord;
    if (stems.has(word.stem)) continue;
    stems.add(word.stem);
    distinct.push(word);
  }
  return distinct;
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}
