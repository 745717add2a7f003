import { endFnv1a, FNV1A_BEGIN, hashFnv1a, stepFnv1a } from '../text/hash-fnv1a.js';

/** The bits of the filter of prefixes: half a megabyte, for some 300,000 prefixes in our vocabularies. */
const BEGINNING_BITS = 2 ** 22;

/**
 * Token ids by text, as a hash table with open addressing in a few arrays. A Map of our 108,349 texts has as many
 * objects, which the garbage collector must follow.
 */
export class Vocabulary {
  readonly #slots: Uint32Array;
  /** All texts as UTF-16; text `n` ends where `n + 1` begins. */
  readonly #texts: Uint16Array;
  readonly #begins: Uint32Array;
  readonly #ids: Uint32Array;
  /** Bloom filter of prefixes: without its bit, no text begins with the prefix. */
  readonly #beginnings = new Uint32Array(BEGINNING_BITS / 32);

  /** Fills the table. If a text occurs twice, the later id wins. */
  constructor(entries: Iterable<readonly [text: string, id: number]>) {
    let texts = new Uint16Array(1 << 16);
    const begins = [0];
    const ids: number[] = [];
    let end = 0;
    for (const [text, id] of entries) {
      if (end + text.length > texts.length) {
        const larger = new Uint16Array(2 * (end + text.length));
        larger.set(texts);
        texts = larger;
      }
      let hash = FNV1A_BEGIN;
      for (let i = 0; i < text.length; i += 1) {
        const unit = text.charCodeAt(i);
        texts[end++] = unit;
        hash = stepFnv1a(hash, unit);
        const bit = endFnv1a(hash) % BEGINNING_BITS;
        this.#beginnings[bit >> 5] = (this.#beginnings[bit >> 5] as number) | (1 << (bit & 31));
      }
      begins.push(end);
      ids.push(id);
    }
    this.#texts = texts.slice(0, end);
    this.#begins = Uint32Array.from(begins);
    this.#ids = Uint32Array.from(ids);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(ids.length * 1.5 + 2)));
    for (let n = 0; n < ids.length; n += 1) {
      const text = String.fromCharCode(...this.#texts.subarray(begins[n], begins[n + 1]));
      this.#slots[this.#find(text)] = n + 1;
    }
  }

  get(text: string): number | undefined {
    const n = this.#slots[this.#find(text)] as number;
    return n === 0 ? undefined : this.#ids[n - 1];
  }

  has(text: string): boolean {
    return this.#slots[this.#find(text)] !== 0;
  }

  /**
   * Calls `visit` for each part of a text from `start` that, after `prefix`, is in the vocabulary, shortest first. The
   * hash is extended with the part, so that no part is read twice.
   * @returns the end of the shortest part; `start` if there is no part
   */
  eachBeginning(text: string, start: number, prefix: string, visit: (end: number, id: number) => void): number {
    let shortest = start;
    let hash = FNV1A_BEGIN;
    for (let i = 0; i < prefix.length; i += 1) hash = stepFnv1a(hash, prefix.charCodeAt(i));
    for (let end = start + 1; end <= text.length; end += 1) {
      hash = stepFnv1a(hash, text.charCodeAt(end - 1));
      const ended = endFnv1a(hash);
      const bit = ended % BEGINNING_BITS;
      if (((this.#beginnings[bit >> 5] as number) & (1 << (bit & 31))) === 0) break;
      const n = this.#slots[this.#probe(ended, prefix, text, start, end)] as number;
      if (n === 0) continue;
      if (shortest === start) shortest = end;
      visit(end, this.#ids[n - 1] as number);
    }
    return shortest;
  }

  /** The slot of a text; a free one if the text is missing. */
  #find(text: string): number {
    return this.#probe(hashFnv1a(text), '', text, 0, text.length);
  }

  /** The slot of `prefix` and a part of a text, by the hash of both. */
  #probe(hash: number, prefix: string, text: string, start: number, end: number): number {
    for (let slot = hash % this.#slots.length; ; slot = (slot + 1) % this.#slots.length) {
      const n = this.#slots[slot] as number;
      if (n === 0 || this.#isText(n - 1, prefix, text, start, end)) return slot;
    }
  }

  #isText(n: number, prefix: string, text: string, start: number, end: number): boolean {
    let at = this.#begins[n] as number;
    if ((this.#begins[n + 1] as number) - at !== prefix.length + end - start) return false;
    for (let i = 0; i < prefix.length; i += 1) if (this.#texts[at++] !== prefix.charCodeAt(i)) return false;
    for (let i = start; i < end; i += 1) if (this.#texts[at++] !== text.charCodeAt(i)) return false;
    return true;
  }
}

/** An unknown character scores this much less than the lowest of all pieces: `unk_surplus` of SentencePiece. */
const UNKNOWN_BELOW = 10;

/** A vocabulary with the log probability of each piece. */
interface Unigram {
  vocabulary: Vocabulary;
  /** The scores of the pieces, by their ids. */
  scores: Float32Array;
  /** The score of an unknown character. */
  unknown: number;
}

export function createUnigram(vocabulary: Vocabulary, scores: Float32Array): Unigram {
  return { vocabulary, scores, unknown: scores.reduce((min, score) => Math.min(min, score), 0) - UNKNOWN_BELOW };
}

/**
 * Splits a text into its most probable pieces (Viterbi), in time linear in it: a piece has at most a few dozen
 * characters. Unknown characters side by side are one piece.
 */
export function unigramPieces({ vocabulary, scores, unknown }: Unigram, text: string): string[] {
  const best = new Float64Array(text.length + 1).fill(-Infinity);
  const begins = new Int32Array(text.length + 1);
  /** For each offset, whether the best piece that ends there is an unknown character. */
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
    const shortest = vocabulary.eachBeginning(text, at, '', (to, id) => end(to, before + (scores[id] as number), 0));
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
