export interface TableRow {
  /** The line of the file on which the row begins. */
  line: number;
  cells: string[];
}

export type Delimiter = ',' | ';' | '\t';

/** Chooses the delimiter of a table by the name of its file and by its header. */
export function delimiterOf(name: string, header: string): Delimiter {
  if (/\.tsv$/i.test(name)) return '\t';
  return header.split(';').length > header.split(',').length ? ';' : ',';
}

/** Reads the rows of a table line by line (RFC 4180): quoted cells hold delimiters, line breaks and doubled quotes. */
export class TableRows {
  readonly #delimiter: Delimiter;
  #row: TableRow | undefined;
  /** The quoted cell that continues on the next line, with the line on which it begins. */
  #open: { text: string; line: number } | undefined;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter;
  }

  /** The quoted cell that has not ended yet: the line on which it begins, and its length in UTF-16 units. */
  get open(): { line: number; characters: number } | undefined {
    return this.#open && { line: this.#open.line, characters: this.#open.text.length };
  }

  /** Takes the next line. Returns the row that ends with it; undefined inside a quoted cell. */
  push(text: string, line: number): TableRow | undefined {
    this.#row ??= { line, cells: [] };
    const { cells } = this.#row;
    let cell = this.#open ? `${this.#open.text}\n` : '';
    let quotedSince = this.#open?.line ?? 0;
    // A quote opens a cell only before its first character. Testing the whole cell at each quote took quadratic time.
    let isBlank = !this.#open;
    for (let i = 0; i < text.length; i++) {
      const character = text[i] ?? '';
      if (quotedSince > 0) {
        if (character !== '"') cell += character;
        else if (text[i + 1] === '"') cell += text[++i] ?? '';
        else quotedSince = 0;
      } else if (character === '"' && isBlank) {
        cell = '';
        quotedSince = line;
        isBlank = false;
      } else if (character === this.#delimiter) {
        cells.push(cell);
        cell = '';
        isBlank = true;
      } else {
        cell += character;
        isBlank &&= character.trim() === '';
      }
    }
    this.#open = quotedSince > 0 ? { text: cell, line: quotedSince } : undefined;
    if (this.#open) return undefined;
    cells.push(cell);
    const row = this.#row;
    this.#row = undefined;
    return row;
  }
}
