import { isBlank, type WordTokens } from './word-tokens.js';

/**
 * The tokens of a page's content by place. A sentence is counted when passages are cut and its tokens are wanted
 * again when they are embedded: what was read for the one is kept for the other.
 */
export class ReadContent {
  readonly #content: string;
  readonly #words: WordTokens;
  readonly #read = new Map<number, { end: number; tokens: readonly number[] }>();

  constructor(content: string, words: WordTokens) {
    this.#content = content;
    this.#words = words;
  }

  /** How many tokens the text from `start` to `end` has by itself. */
  count(start: number, end: number): number {
    const tokens = this.#words.tokenize(this.text(start, end));
    // A longer text that begins here has been counted as too long and is cut: what counts is the last one.
    this.#read.set(start, { end, tokens });
    return tokens.length;
  }

  text(start: number, end: number): string {
    return this.#content.slice(start, end);
  }

  tokens(start: number, end: number): readonly number[] {
    return this.#put(start, end) ?? this.#words.tokenize(this.text(start, end));
  }

  /** The tokens of the counted pieces from `start` to `end`, if blanks and nothing else lie between and around them. */
  #put(start: number, end: number): number[] | undefined {
    if (!this.#words.wordByWord) return undefined;
    const all: number[] = [];
    for (let at = start; at < end;) {
      const piece = this.#read.get(at);
      if (piece === undefined || piece.end > end) return undefined;
      for (const token of piece.tokens) all.push(token);
      if (piece.end === end) return all;
      if (!isBlank(this.#content.charCodeAt(piece.end))) return undefined;
      at = piece.end;
      while (at < end && isBlank(this.#content.charCodeAt(at))) at += 1;
    }
    return undefined;
  }
}
