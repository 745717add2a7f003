import { findSafeCut } from '../text/cut-text.js';

/**
 * The boundaries before a unit, the worst first: a new chunk begins at the best one. `glued`: the unit belongs to the
 * unit before it.
 */
export const BREAK = { glued: 0, word: 1, line: 2, sentence: 3, paragraph: 4, heading: 5 } as const;
export type Break = (typeof BREAK)[keyof typeof BREAK];

/** A trimmed slice of text, from which chunks are packed: a sentence if it fits. */
export interface Unit {
  /** UTF-16 offsets into the content. */
  start: number;
  end: number;
  /** The number of tokens: at least 1, and at least a 32nd of the number of characters. */
  tokens: number;
  /** The boundary before this unit. */
  before: Break;
  /** Whether the unit is a complete sentence or line. */
  whole: boolean;
}

// Max text of one call of the segmenter or the tokenizer: both have cases worse than linear.
const WINDOW_CHARACTERS = 4096;
// Size of the pieces of an oversized sentence. Counting each word took 4 times as long and packed no better.
const PIECE_CHARACTERS = 48;
// Tokenizers turn a word of a thousand characters into one unknown token. This keeps a chunk from holding a megabyte.
const MAX_CHARACTERS_PER_TOKEN = 32;

// A longer sentence is cut into pieces without counting its tokens first. Prose has 4 to 5 characters per token; a
// needless piece costs nothing; and one count less of a megabyte of base64 saves a third of its time.
const MIN_SPLIT_CHARACTERS_PER_TOKEN = 6;

// The segmenters are made once, since ICU reads its rules each time.
const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

const HEADING = /^ {0,3}#{1,6}[ \t]/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const SENTENCE_END = /[.!?:;…。！？۔؟।]["'”’»)\]*_]{0,3}\s*$/;

/** The number of tokens of a text. */
export type CountTokens = (text: string) => number;

interface Block {
  start: number;
  end: number;
  before: Break;
}

/**
 * Splits a text into units, in order, in time linear in its length. A unit has at most `max` tokens, except a single
 * character that the tokenizer turns into more.
 */
export function* splitUnits(content: string, countTokens: CountTokens, max: number): Generator<Unit> {
  const unit = (start: number, end: number, before: Break, whole: boolean): Unit => {
    const text = content.slice(start, end);
    const from = start + text.length - text.trimStart().length;
    const to = start + text.trimEnd().length;
    if (to <= from) return { start, end: start, tokens: 0, before, whole };
    const tokens = Math.max(countTokens(content.slice(from, to)), Math.ceil((to - from) / MAX_CHARACTERS_PER_TOKEN));
    return { start: from, end: to, tokens, before, whole };
  };

  function* splitPieces(start: number, end: number, before: Break): Generator<Unit> {
    for (let from = start, next = before; from < end; next = BREAK.word) {
      const to = end - from <= PIECE_CHARACTERS ? end : findPieceEnd(content, from);
      yield* splitHalves(from, to, next);
      from = to;
    }
  }

  function* splitHalves(start: number, end: number, before: Break): Generator<Unit> {
    const whole = unit(start, end, before, false);
    const middle = findSafeCut(content, start + ((end - start) >> 1));
    if (whole.tokens <= max || middle <= start || middle >= end) {
      if (whole.tokens > 0) yield whole;
      return;
    }
    yield* splitHalves(start, middle, before);
    yield* splitHalves(middle, end, BREAK.word);
  }

  for (const block of splitBlocks(content)) {
    let before = block.before;
    for (let from = block.start; from < block.end;) {
      const to = block.end - from <= WINDOW_CHARACTERS ? block.end : findWindowEnd(content, from);
      for (const { segment, index } of SENTENCES.segment(content.slice(from, to))) {
        if (segment.trim() === '') continue;
        const start = from + index;
        const end = start + segment.length;
        const sentence =
          segment.length > max * MIN_SPLIT_CHARACTERS_PER_TOKEN ? undefined : unit(start, end, before, true);
        if (sentence && sentence.tokens <= max) yield sentence;
        else yield* splitPieces(start, end, before);
        // The segmenter also ends a sentence at every line end, even inside a hard-wrapped sentence.
        before = SENTENCE_END.test(segment.slice(-16)) ? BREAK.sentence : BREAK.line;
      }
      from = to;
    }
  }
}

/** Splits into headings and paragraphs. The text after a heading is glued to it. */
function* splitBlocks(content: string): Generator<Block> {
  let open: Block | undefined;
  let fenced = false;
  let next: Break = BREAK.paragraph;
  for (let start = 0; start < content.length;) {
    const newline = content.indexOf('\n', start);
    const end = newline < 0 ? content.length : newline + 1;
    const head = content.slice(start, Math.min(end, start + 16));
    if (FENCE.test(head)) fenced = !fenced;
    const heading = !fenced && HEADING.test(head);
    const blank = !heading && head.trim() === '' && content.slice(start, end).trim() === '';
    if (open && (heading || blank)) {
      yield open;
      open = undefined;
    }
    if (heading) {
      yield { start, end, before: next === BREAK.glued ? BREAK.glued : BREAK.heading };
      next = BREAK.glued;
    } else if (!blank) {
      if (open) open.end = end;
      else open = { start, end, before: next };
      next = BREAK.paragraph;
    }
    start = end;
  }
  if (open) yield open;
}

function findWindowEnd(content: string, from: number): number {
  for (let at = from + WINDOW_CHARACTERS; at > from + WINDOW_CHARACTERS / 2; at -= 1)
    if (isSpace(content, at - 1)) return at;
  return findSafeCut(content, from + WINDOW_CHARACTERS);
}

function findPieceEnd(content: string, from: number): number {
  for (let at = from + PIECE_CHARACTERS; at > from + PIECE_CHARACTERS / 2; at -= 1)
    if (isSpace(content, at - 1)) return at;
  // There is no space here: a script without spaces, code, or one very long word. Take the last word boundary of the
  // piece, if any.
  let last = 0;
  for (const { index } of WORDS.segment(content.slice(from, from + PIECE_CHARACTERS))) last = index;
  return last > PIECE_CHARACTERS / 2 ? from + last : findSafeCut(content, from + PIECE_CHARACTERS);
}

function isSpace(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || code === 160 || code === 0x3000;
}
