import { hashFnv1a } from '../text/hash-fnv1a.js';
import { isWholeWord } from './word-set.js';

/**
 * The numbers of tokens by their text, in a few arrays: a hash table with open addressing. As a Map, the 108,349 texts
 * of our vocabulary are as many objects, which the garbage collector follows.
 */
export class Vocabulary {
  readonly #slots: Uint32Array;
  /** UTF-16 of all texts, one after the other; text `n` ends where `n + 1` begins. */
  readonly #texts: Uint16Array;
  readonly #begins: Uint32Array;
  readonly #ids: Uint32Array;
  /** One more than the highest number. */
  readonly size: number;
  /** The texts that are whole words, for {@link hasWord}. */
  readonly words: Uint32Array;

  /** Of two equal texts, the later number counts. */
  constructor(entries: Iterable<readonly [text: string, id: number]>) {
    let texts = new Uint16Array(1 << 16);
    const begins = [0];
    const ids: number[] = [];
    let end = 0;
    let size = 0;
    for (const [text, id] of entries) {
      if (end + text.length > texts.length) {
        const larger = new Uint16Array(2 * (end + text.length));
        larger.set(texts);
        texts = larger;
      }
      for (let i = 0; i < text.length; i += 1) texts[end++] = text.charCodeAt(i);
      begins.push(end);
      ids.push(id);
      size = Math.max(size, id + 1);
    }
    this.#texts = texts.slice(0, end);
    this.#begins = Uint32Array.from(begins);
    this.#ids = Uint32Array.from(ids);
    this.size = size;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(ids.length * 1.5 + 2)));
    const words = new Uint32Array(ids.length);
    let count = 0;
    for (let n = 0; n < ids.length; n += 1) {
      const text = String.fromCharCode(...this.#texts.subarray(begins[n], begins[n + 1]));
      this.#slots[this.#find(text)] = n + 1;
      if (isWholeWord(text)) words[count++] = hashFnv1a(text);
    }
    this.words = words.slice(0, count).sort();
  }

  get(text: string): number | undefined {
    const n = this.#slots[this.#find(text)] as number;
    return n === 0 ? undefined : this.#ids[n - 1];
  }

  has(text: string): boolean {
    return this.#slots[this.#find(text)] !== 0;
  }

  /** The slot of a text; one that is free, if the text is not there. */
  #find(text: string): number {
    for (let slot = hashFnv1a(text) % this.#slots.length; ; slot = (slot + 1) % this.#slots.length) {
      const n = this.#slots[slot] as number;
      if (n === 0 || this.#isText(n - 1, text)) return slot;
    }
  }

  #isText(n: number, text: string): boolean {
    const begin = this.#begins[n] as number;
    if ((this.#begins[n + 1] as number) - begin !== text.length) return false;
    for (let i = 0; i < text.length; i += 1) if (this.#texts[begin + i] !== text.charCodeAt(i)) return false;
    return true;
  }
}
