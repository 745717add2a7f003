import { monthOf } from '../../../text/paths/number-words.js';

/** A word or number of a path. */
interface PathToken {
  /** The text of a number is without leading zeros. The name of a month next to a number is a number, too. */
  text: string;
  isNumber: boolean;
  /** The place of its segment in the path. */
  segment: number;
}

/** A path as words and numbers, for comparison without separators. */
export interface TokenPath {
  tokens: readonly PathToken[];
  texts: readonly string[];
  /** All texts joined. Paths that differ only in separators, zeros and names of months have one key. */
  key: string;
}

const COMPACT_DATE = /^((?:19|20)\d\d)(0\d|1[0-2])([0-2]\d|3[01])$/;

/** Takes a path's plain segments apart; `20161214` is read as three numbers. */
export function readTokenPath(segments: readonly string[]): TokenPath {
  const tokens: PathToken[] = [];
  for (const [segment, text] of segments.entries())
    for (const word of text.match(/\d+|[^\d-]+/g) ?? [])
      for (const part of COMPACT_DATE.exec(word)?.slice(1) ?? [word])
        tokens.push({ text: part.replace(/^0+(?=\d)/, ''), isNumber: /^\d/.test(part), segment });
  for (const [at, token] of tokens.entries()) {
    const month = monthOf(token.text);
    if (month !== undefined && [tokens[at - 1], tokens[at + 1]].some((beside) => beside?.isNumber === true))
      tokens[at] = { ...token, text: String(month), isNumber: true };
  }
  const texts = tokens.map(({ text }) => text);
  return { tokens, texts, key: texts.join('') };
}

/** Paths with more words and numbers are not compared. */
const MAX_TOKENS = 64;
/** Paths with a date and a few folders have six differences. */
const MAX_DIFFERENCES = 16;
/** Shorter parts of a word are in any path. */
const MIN_PART_OF_WORD = 3;

/**
 * Returns the key of what a dead path became, if it was rewritten as `from` was to `to`: what differs between `from`
 * and the dead path is replaced in `to`, part by part, wherever it stands there. `/news/2016-12-14-pens`, which became
 * `/2016/12/14/pens`, says that `/news/2017-03-02-ink` became `/2017/3/2/ink`. Undefined if a part is not found, unless
 * it is a number, or if all parts are lost: then the example does not tell where another path went.
 */
export function rewriteByExample(from: TokenPath, to: TokenPath, dead: TokenPath): string | undefined {
  if ([from, to, dead].some(({ tokens }) => tokens.length > MAX_TOKENS)) return undefined;
  const differences = differencesOf(from.tokens, dead.tokens);
  if (differences.length > MAX_DIFFERENCES) return undefined;
  const edits: Edit[] = [];
  for (const old of new Set(differences.map((difference) => difference.old))) {
    const texts = differences.filter((difference) => difference.old === old).map(({ instead }) => instead);
    if (texts.every((text) => text === old)) continue;
    const text = new Set(texts).size === 1 ? texts[0] : undefined;
    const isNumber = differences.some((difference) => difference.old === old && difference.isNumber);
    const places = findWords(to, old);
    if (places.length > 0) {
      // If day and month are the same number, each is replaced in its place.
      if (text === undefined && places.length !== texts.length) return undefined;
      edits.push(...places.map((start, at) => ({ start, end: start + old.length, text: text ?? texts[at] ?? '' })));
    } else if (!isNumber) {
      const edit = text === undefined ? undefined : findPartOfWord(to.key, old, text);
      if (!edit) return undefined;
      edits.push(edit);
    }
  }
  return edits.length === 0 ? undefined : applyEdits(to.key, edits);
}

/** The text `old` of the example's path, and the text `instead` that the dead path has in its place. */
interface Difference {
  old: string;
  instead: string;
  isNumber: boolean;
}

/** Finds what differs between the ends in common: numbers and runs of words, or all as one if kinds differ. */
function differencesOf(from: readonly PathToken[], dead: readonly PathToken[]): Difference[] {
  const shorter = Math.min(from.length, dead.length);
  let start = 0;
  while (start < shorter && from[start]?.text === dead[start]?.text) start++;
  if (start === from.length && start === dead.length) return [];
  let end = 0;
  while (end < shorter - start && from.at(-1 - end)?.text === dead.at(-1 - end)?.text) end++;
  // If something was only added or left out, the word next to it tells its place.
  if (start + end === shorter) {
    if (start > 0) start--;
    else end = Math.max(0, end - 1);
  }
  const [old, instead] = [from.slice(start, from.length - end), dead.slice(start, dead.length - end)];
  const [oldParts, ownParts] = [partsOf(old), partsOf(instead)];
  if (kindsOf(oldParts) !== kindsOf(ownParts)) return [{ old: textOf(old), instead: textOf(instead), isNumber: false }];
  return oldParts.map(({ text, isNumber }, at) => ({ old: text, instead: ownParts[at]?.text ?? '', isNumber }));
}

function textOf(tokens: readonly PathToken[]): string {
  return tokens.map(({ text }) => text).join('');
}

function partsOf(tokens: readonly PathToken[]): PathToken[] {
  const parts: PathToken[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    if (last && !token.isNumber && !last.isNumber && last.segment === token.segment) last.text += token.text;
    else parts.push({ ...token });
  }
  return parts;
}

function kindsOf(parts: readonly PathToken[]): string {
  return parts.map(({ isNumber, segment }) => `${segment - (parts[0]?.segment ?? 0)}${isNumber ? '#' : 'w'}`).join();
}

/** A range of characters in a key, and the text that takes their place. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Finds the places in a path's key where whole words and numbers are this text. */
function findWords({ tokens, key }: TokenPath, text: string): number[] {
  const borders = new Set([0]);
  let length = 0;
  for (const token of tokens) borders.add((length += token.text.length));
  let done = 0;
  return [...borders].filter((start) => {
    const isHere = text !== '' && start >= done && borders.has(start + text.length) && key.startsWith(text, start);
    if (isHere) done = start + text.length;
    return isHere;
  });
}

/** Replaces the old text in a word, as it is or without what both have in common: `onclick` in `click_event`. */
function findPartOfWord(key: string, old: string, instead: string): Edit | undefined {
  const before = sharedStart(old, instead, (text, at) => text[at]);
  const after = sharedStart(old.slice(before), instead.slice(before), (text, at) => text.at(-1 - at));
  for (const [cut, cutEnd] of [
    [0, 0],
    [before, 0],
    [0, after],
    [before, after],
  ] as const) {
    const part = old.slice(cut, old.length - cutEnd);
    const start = part.length < MIN_PART_OF_WORD ? -1 : key.indexOf(part);
    if (start >= 0) return { start, end: start + part.length, text: instead.slice(cut, instead.length - cutEnd) };
  }
  return undefined;
}

/** Counts the equal characters, at most all but one of the shorter text. */
function sharedStart(a: string, b: string, character: (text: string, at: number) => string | undefined): number {
  let shared = 0;
  while (shared < Math.min(a.length, b.length) - 1 && character(a, shared) === character(b, shared)) shared++;
  return shared;
}

/** Applies edits to a key; undefined if they overlap. */
function applyEdits(key: string, edits: readonly Edit[]): string | undefined {
  let text = '';
  let done = 0;
  for (const { start, end, text: by } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < done) return undefined;
    text += key.slice(done, start) + by;
    done = end;
  }
  return text + key.slice(done);
}
