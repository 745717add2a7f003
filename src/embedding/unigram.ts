import type { Vocabulary } from './vocabulary.js';

/** What an unknown character counts, below the least of all pieces: the `unk_surplus` of SentencePiece. */
const UNKNOWN_BELOW = 10;

/** A vocabulary whose pieces each have a logarithm of their probability. */
export interface Unigram {
  vocabulary: Vocabulary;
  /** By number of the piece. */
  scores: Float32Array;
  /** That of an unknown character. */
  unknown: number;
}

export function createUnigram(vocabulary: Vocabulary, scores: Float32Array): Unigram {
  return { vocabulary, scores, unknown: scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_BELOW };
}

/**
 * The most probable pieces of a text (Viterbi), in time linear in it: a piece has at most a few dozen characters.
 * Unknown characters side by side are one piece.
 */
export function unigramPieces({ vocabulary, scores, unknown }: Unigram, text: string): string[] {
  const best = new Float64Array(text.length + 1).fill(-Infinity);
  const begins = new Int32Array(text.length + 1);
  /** Whether what ends here is an unknown character. */
  const isUnknown = new Uint8Array(text.length + 1);
  best[0] = 0;
  for (let at = 0, next = 0; at < text.length; at = next) {
    next = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    const before = best[at] as number;
    const end = (to: number, score: number, wasUnknown: number): void => {
      if (score <= (best[to] as number)) return;
      best[to] = score;
      begins[to] = at;
      isUnknown[to] = wasUnknown;
    };
    const shortest = vocabulary.eachBeginning(text, at, '', (to, id) => {
      end(to, before + (scores[id] as number), 0);
    });
    if (shortest !== next) end(next, before + unknown, 1);
  }
  const pieces: string[] = [];
  for (let to = text.length; to > 0;) {
    let from = begins[to] as number;
    if (isUnknown[to] === 1) while (from > 0 && isUnknown[from] === 1) from = begins[from] as number;
    pieces.push(text.slice(from, to));
    to = from;
  }
  return pieces.reverse();
}
