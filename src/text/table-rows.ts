export interface TableRow {
  /** Where it begins. */
  line: number;
  cells: string[];
}

export type Delimiter = ',' | ';' | '\t';

/** The delimiter of a table, by its file's name and its header. */
export function delimiterOf(name: string, header: string): Delimiter {
  if (/\.tsv$/i.test(name)) return '\t';
  return header.split(';').length > header.split(',').length ? ';' : ',';
}

/** Rows of a table as in RFC 4180: quoted cells may hold delimiters, line breaks and doubled quotes. */
export class TableRows {
  readonly #delimiter: Delimiter;
  #row: TableRow | undefined;
  /** A quoted cell that continues on the next line. */
  #open: { text: string; line: number } | undefined;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter;
  }

  /** Where a quoted cell begins that has not ended yet, and how long it is. */
  get open(): { line: number; characters: number } | undefined {
    return this.#open && { line: this.#open.line, characters: this.#open.text.length };
  }

  /** The row that ends with this line; undefined inside a quoted cell. */
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
