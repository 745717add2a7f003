import { fleschKincaid } from 'flesch-kincaid';
import { syllable } from 'syllable';

/** A stretch of readable text. Only sentences count for length and grade; labels are headings, cells and fragments. */
export interface Piece {
  kind: 'sentences' | 'label';
  text: string;
  line: number;
}

export interface Figures {
  /** Everything outside code blocks: sentences, headings, tables and lists. */
  words: number;
  sentences: number;
  median: number;
  longSentences: number;
  /** Sentences as long in tables and fragments, which the other figures leave out. */
  longCells: number;
  /** The US school grade by Flesch and Kincaid; 0 for a text without sentences. */
  grade: number;
}

export const LONG_SENTENCE = 25;

/** One plain word that stands for code: capitalised, because the segmenter begins no sentence with a small letter. */
const CODE = 'Code';
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const TABLE_ROW = /^\s*\|/;
const TABLE_RULE = /^[\s|:-]+$/;
const HEADING = /^#{1,6}\s+/;
const LABEL = /^(?:\*\*|__)(?!\*).{1,80}?[.:]?(?:\*\*|__)[.:]?\s+(?=\S)/;
const ABBREVIATION = /(?:e\.g|i\.e|etc|vs|cf|no|approx)\.$/i;
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The readable text of a Markdown document, with the line on which each piece begins. */
export function markdownPieces(markdown: string): Piece[] {
  const lines = withoutBlocks(markdown).split('\n');
  const pieces: Piece[] = [];
  let open: (Piece & { item: boolean }) | undefined;
  const close = () => {
    if (open !== undefined) pieces.push(...blockPieces(open));
    open = undefined;
  };
  lines.forEach((raw, index) => {
    const line = raw.replace(/^(?:\s*>)+\s?/, '');
    if (line.trim() === '') close();
    else if (HEADING.test(line)) {
      close();
      pieces.push({ kind: 'label', text: plain(line.replace(HEADING, '')), line: index + 1 });
    } else if (TABLE_ROW.test(line)) {
      close();
      if (!TABLE_RULE.test(line))
        for (const cell of plain(line).split('|'))
          if (cell.trim() !== '') pieces.push({ kind: 'label', text: cell.trim(), line: index + 1 });
    } else if (LIST_ITEM.test(line)) {
      close();
      open = { kind: 'sentences', text: line.replace(LIST_ITEM, ''), line: index + 1, item: true };
    } else if (open === undefined) open = { kind: 'sentences', text: line.trim(), line: index + 1, item: false };
    else open.text += `\n${line.trim()}`;
  });
  close();
  return pieces;
}

export function figures(pieces: readonly Piece[]): Figures {
  const lengths: number[] = [];
  let syllables = 0;
  let words = 0;
  let longCells = 0;
  for (const { kind, text } of pieces) {
    words += wordsOf(text).length;
    if (kind === 'label') {
      longCells += sentencesOf(text).filter((sentence) => sentence.length > LONG_SENTENCE).length;
      continue;
    }
    for (const sentence of sentencesOf(text)) {
      lengths.push(sentence.length);
      for (const word of sentence) syllables += isPlainWord(word) ? Math.max(1, syllable(word)) : 1;
    }
  }
  lengths.sort((a, b) => a - b);
  const inSentences = lengths.reduce((sum, length) => sum + length, 0);
  return {
    words,
    sentences: lengths.length,
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    longSentences: lengths.filter((length) => length > LONG_SENTENCE).length,
    longCells,
    grade:
      lengths.length === 0 ? 0 : fleschKincaid({ sentence: lengths.length, word: inSentences, syllable: syllables }),
  };
}

/** Words of each sentence. */
export function sentencesOf(text: string): string[][] {
  const flat = text.replace(/\s+/g, ' ');
  // A sentence may begin with a name in small letters: "pathmend", or a file.
  const capitalised = flat.replace(/(\S{1,20}[.!?]["')\]]?) (\p{Ll})/gu, (all, before: string, letter: string) =>
    ABBREVIATION.test(before) ? all : `${before} ${letter.toUpperCase()}`,
  );
  return [...segmenter.segment(capitalised)].map(({ segment }) => wordsOf(segment)).filter((words) => words.length > 0);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Paths, addresses, numbers and identifiers outside back-ticks are read at a glance, as code is. */
function isPlainWord(word: string): boolean {
  return !/\d|[_/@=]|\p{L}\.\p{L}/u.test(word);
}

/** Blanks code blocks, comments and front matter, keeping the number of lines. */
function withoutBlocks(markdown: string): string {
  let end: string | undefined;
  return markdown
    .split('\n')
    .map((line, index) => {
      const start = line.replace(/^[\s>]*/, '');
      if (end !== undefined) {
        if (start.includes(end)) end = undefined;
        return '';
      }
      if (index === 0 && start === '---') end = '---';
      else if (start.startsWith('```') || start.startsWith('~~~')) end = start.slice(0, 3);
      else if (start.startsWith('<!--')) end = start.includes('-->') ? undefined : '-->';
      else return line;
      return '';
    })
    .join('\n');
}

/** Text as it is read: links by their text, code as one word. */
function plain(text: string): string {
  return text
    .replace(/!\[[^[\]]{0,300}\]\([^()]{0,300}\)/g, '')
    .replace(/``[^`]{0,300}``|`[^`]{0,300}`/g, (code) => CODE + code.replace(/[^\n]/g, ''))
    .replace(/\[([^[\]]{0,300})\]\([^()]{0,300}\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,300}>/g, '')
    .replace(/\bhttps?:\/\/\S+/g, CODE)
    .replace(/\*\*|__/g, '');
}

function blockPieces({ text, line, item }: Piece & { item: boolean }): Piece[] {
  const label = LABEL.exec(text)?.[0] ?? '';
  const rest = text.slice(label.length);
  // A list item without a full stop is a fragment: a name, or names in a row.
  const kind = item && !/[.!?:]["')\]*_]*\s*$/.test(rest) ? 'label' : 'sentences';
  const pieces: Piece[] = label === '' ? [] : [{ kind: 'label', text: plain(label), line }];
  pieces.push({ kind, text: plain(rest), line });
  return pieces.filter((piece) => piece.text.trim() !== '');
}
