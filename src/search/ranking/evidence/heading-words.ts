import { LRUCache } from 'lru-cache';
import { hashFnv1a } from '../../../text/hash-fnv1a.js';
import { trigramsOf } from '../../../text/paths/trigrams.js';
import { contentTokens } from '../../../text/words/content-words.js';
import { stem } from '../../../text/words/stem.js';

/** A word of a first line, read once for the comparison with many questions. */
export interface HeadingWord {
  stem: string;
  /** Of the stem, as the words of the other headings are compared. */
  hash: number;
  trigrams: readonly number[];
}

/** The words of a first line, {@link MAX_WORDS} at most, the last of each stem. Equal words are one object. */
export type HeadingReader = (heading: string) => readonly HeadingWord[];

/** More words than a heading has: a first line may be a whole text. */
const MAX_WORDS = 24;
/** Some .5 kB each: the first lines of the same pages are compared with many questions (docs/decisions/0040). */
const MAX_LINES = 4_096;
/** Titles may be longer. */
const MAX_CACHED_LENGTH = 256;
/** Some .3 kB each. */
const MAX_KNOWN_WORDS = 16_384;

/** Reads first lines, and remembers them and their words. */
export function createHeadingReader(): HeadingReader {
  const lines = new LRUCache<string, readonly HeadingWord[]>({ max: MAX_LINES });
  const words = new LRUCache<string, HeadingWord>({ max: MAX_KNOWN_WORDS });
  function readWord(text: string): HeadingWord {
    let word = words.get(text);
    if (word === undefined) {
      const root = stem(text);
      words.set(text, (word = { stem: root, hash: hashFnv1a(root), trigrams: trigramsOf(text) }));
    }
    return word;
  }
  return (heading) => {
    const known = lines.get(heading);
    if (known) return known;
    const byStem = new Map<string, HeadingWord>();
    for (const word of firstTokens(heading, MAX_WORDS).map(readWord)) byStem.set(word.stem, word);
    const line = [...byStem.values()];
    if (heading.length <= MAX_CACHED_LENGTH) lines.set(heading, line);
    return line;
  };
}

/** The first of a text's {@link contentTokens}. */
export function firstTokens(text: string, max: number): string[] {
  const tokens: string[] = [];
  for (const token of contentTokens(text)) if (tokens.push(token) === max) break;
  return tokens;
}
