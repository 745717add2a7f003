import { LRUCache } from 'lru-cache';
import { readPathWord, type PathWord } from '../../text/paths/path-word.js';
import { plainSegments } from '../../text/paths/plain-segments.js';

/** The path of a live page with all that a comparison needs of it and that no dead path changes. */
export interface LivePath {
  /** See {@link plainSegments}. */
  segments: readonly string[];
  /** All segments, and the letters of the last one, separators aside: what trigrams are compared of. */
  whole: string;
  slugLetters: string;
  /** Of the last segment; {@link numbersOf}. */
  numbers: readonly string[];
  /** All words and the slug's, those of distinct stems; {@link distinct}. */
  words: readonly PathWord[];
  slug: readonly PathWord[];
  /** The slug's words, one by one. */
  slugWords: readonly PathWord[];
}

/** What of a path is read: it as in its url, and the words that it was indexed with, between blanks. */
export interface IndexedPath {
  path: string;
  path_words: string;
  slug_words: string;
}

export function readLivePath({ path, path_words: pathWords, slug_words: slugWords }: IndexedPath): LivePath {
  const segments = plainSegments(path);
  const last = segments.at(-1) ?? '';
  const slug = split(slugWords).map(readPathWord);
  return {
    segments,
    whole: segments.join('/'),
    slugLetters: last.replaceAll('-', ''),
    numbers: numbersOf(last),
    words: distinct(split(pathWords).map(readPathWord)),
    slug: distinct(slug),
    slugWords: slug,
  };
}

/** Reads live paths, and remembers those that were read last: the same pages are candidates of many dead paths. */
export interface LivePaths {
  of(indexed: IndexedPath): LivePath;
}

/**
 * Of 2 kB each, their words' share included. Reading one takes some 10 µs, finding it here .2, and a search compares
 * sixty.
 */
const MAX_KEPT = 4_096;
/** One as long as that takes many times the memory. */
const MAX_KEPT_LENGTH = 256;

export function createLivePaths(): LivePaths {
  const kept = new LRUCache<string, { indexed: IndexedPath; live: LivePath }>({ max: MAX_KEPT });
  return {
    of(indexed) {
      const { path, path_words, slug_words } = indexed;
      if (path.length > MAX_KEPT_LENGTH || path_words.length > MAX_KEPT_LENGTH) return readLivePath(indexed);
      const known = kept.get(path);
      // An earlier release may have read other words in the same path.
      if (known?.indexed.path_words === path_words && known.indexed.slug_words === slug_words) return known.live;
      const live = readLivePath(indexed);
      kept.set(path, { indexed: { path, path_words, slug_words }, live });
      return live;
    },
  };
}

/** Numbers of a segment, without zeros in front. */
export function numbersOf(segment: string): string[] {
  return (segment.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ''));
}

/** The last word of each stem, the last one first. */
export function distinct(words: readonly PathWord[]): PathWord[] {
  const found: PathWord[] = [];
  const stems = new Set<string>();
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] as PathWord;
    if (stems.has(word.stem)) continue;
    stems.add(word.stem);
    found.push(word);
  }
  return found;
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}
