import { wholeCut } from '../text/cut-text.js';

/** How good a place before a unit is for a passage to begin; `glued` belongs to what stands before it. */
export const BREAK = { glued: 0, word: 1, line: 2, sentence: 3, paragraph: 4, heading: 5 } as const;
export type Break = (typeof BREAK)[keyof typeof BREAK];

/** The smallest slice that passages are packed from; a sentence where that fits. Trimmed of white space. */
export interface Unit {
  /** UTF-16 offsets into the content. */
  start: number;
  end: number;
  /** At least 1, and at least a 32nd of the characters. */
  tokens: number;
  /** Of the boundary before this unit. */
  before: Break;
  /** Whether it is all of a sentence or line, rather than a piece of one. */
  whole: boolean;
}

// Bounds what one call of the segmenter or the tokenizer sees, whatever the text: both have worse than linear cases.
const WINDOW_CHARACTERS = 4096;
// Of the pieces of an oversized sentence. Counting each word by itself took 4 times as long and packed no better.
const PIECE_CHARACTERS = 48;
// Tokenizers turn a word of a thousand characters into one unknown token; a passage of a megabyte helps nobody.
const MAX_COUNTED_CHARACTERS_PER_TOKEN = 32;

// A sentence longer than this is cut into pieces without being counted whole: prose has 4 to 5 characters per token,
// and a needless piece costs nothing, while counting a megabyte of base64 once less saves a third of its time.
const MAX_CHARACTERS_PER_TOKEN = 6;

// Made once: ICU reads its rules for each.
const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

const HEADING = /^ {0,3}#{1,6}[ \t]/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const SENTENCE_END = /[.!?:;…。！？۔؟।]["'”’»)\]*_]{0,3}\s*$/;

/** How many tokens a text has. */
export type CountTokens = (text: string) => number;

interface Block {
  start: number;
  end: number;
  before: Break;
}

/**
 * The units of a text in order, in time linear in its length. No unit has more than `max` tokens, except a single
 * character that the tokenizer turns into more.
 */
export function* splitUnits(content: string, countTokens: CountTokens, max: number): Generator<Unit> {
  const unit = (start: number, end: number, before: Break, whole: boolean): Unit => {
    const text = content.slice(start, end);
    const from = start + text.length - text.trimStart().length;
    const to = start + text.trimEnd().length;
    if (to <= from) return { start, end: start, tokens: 0, before, whole };
    const tokens = Math.max(
      countTokens(content.slice(from, to)),
      Math.ceil((to - from) / MAX_COUNTED_CHARACTERS_PER_TOKEN),
    );
    return { start: from, end: to, tokens, before, whole };
  };

  function* pieces(start: number, end: number, before: Break): Generator<Unit> {
    for (let from = start, next = before; from < end; next = BREAK.word) {
      const to = end - from <= PIECE_CHARACTERS ? end : pieceEnd(content, from);
      yield* halves(from, to, next);
      from = to;
    }
  }

  function* halves(start: number, end: number, before: Break): Generator<Unit> {
    const whole = unit(start, end, before, false);
    const middle = wholeCut(content, start + ((end - start) >> 1));
    if (whole.tokens <= max || middle <= start || middle >= end) {
      if (whole.tokens > 0) yield whole;
      return;
    }
    yield* halves(start, middle, before);
    yield* halves(middle, end, BREAK.word);
  }

  for (const block of blocks(content)) {
    let before = block.before;
    for (let from = block.start; from < block.end;) {
      const to = block.end - from <= WINDOW_CHARACTERS ? block.end : windowEnd(content, from);
      for (const { segment, index } of SENTENCES.segment(content.slice(from, to))) {
        if (segment.trim() === '') continue;
        const start = from + index;
        const end = start + segment.length;
        const sentence = segment.length > max * MAX_CHARACTERS_PER_TOKEN ? undefined : unit(start, end, before, true);
        if (sentence && sentence.tokens <= max) yield sentence;
        else yield* pieces(start, end, before);
        // The segmenter also ends a "sentence" at every line end, where a hard-wrapped one goes on.
        before = SENTENCE_END.test(segment.slice(-16)) ? BREAK.sentence : BREAK.line;
      }
      from = to;
    }
  }
}

/** Headings and paragraphs; what follows a heading is glued to it. */
function* blocks(content: string): Generator<Block> {
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

function windowEnd(content: string, from: number): number {
  for (let at = from + WINDOW_CHARACTERS; at > from + WINDOW_CHARACTERS / 2; at -= 1) {
    if (isSpace(content, at - 1)) return at;
  }
  return wholeCut(content, from + WINDOW_CHARACTERS);
}

function pieceEnd(content: string, from: number): number {
  for (let at = from + PIECE_CHARACTERS; at > from + PIECE_CHARACTERS / 2; at -= 1) {
    if (isSpace(content, at - 1)) return at;
  }
  // No space: a script without them, code, or one very long word. The last word boundary inside the piece, if any.
  let last = 0;
  for (const { index } of WORDS.segment(content.slice(from, from + PIECE_CHARACTERS))) last = index;
  return last > PIECE_CHARACTERS / 2 ? from + last : wholeCut(content, from + PIECE_CHARACTERS);
}

function isSpace(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || code === 160 || code === 0x3000;
}
