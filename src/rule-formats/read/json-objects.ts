import { messageOf } from '../../base/errors.js';
import type { FileColumns } from './file-columns.js';
import { refused, type ReaderRule } from './read-rule.js';
import { readRowObject } from './redirect-table.js';

/** Reads objects in JSON, one or several on a line, each on one line or on many, in an array or not. */
export class JsonObjects {
  readonly #columns: FileColumns;
  /** An object that has not ended yet, and how far it is indented. */
  #open: { text: string; line: number; indent: number } | undefined;
  #isArray = false;

  constructor(columns: FileColumns) {
    this.#columns = columns;
  }

  /** Returns the objects that end with this line; undefined if the line is not part of an object. */
  push(text: string, line: number): ReaderRule[] | undefined {
    if (!this.#open && /^\s*(?:\]\s*$|\[\s*(?:$|\{))/.test(text))
      this.#isArray = !text.includes(']') || text.includes('{');
    if (!this.#open && /^\s*[[\]]\s*$/.test(text)) return [];
    const begins = /^[\s[,]*\{\s*\S/.test(text) || (this.#isArray && /^\s*[{,]/.test(text));
    const indent = text.search(/\S/);
    // An object that never ends must not take the objects behind it along.
    const broken = this.#open && begins && indent <= this.#open.indent ? this.end() : [];
    if (!this.#open && !begins) return undefined;
    this.#open = { line, indent, ...this.#open, text: `${this.#open?.text ?? ''}\n${text}` };
    return [...broken, ...this.#read(this.#open)];
  }

  end(): ReaderRule[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ line: open.line, rule: refused('not valid JSON: an object that begins here does not end') }] : [];
  }

  #read({ text, line }: { text: string; line: number }): ReaderRule[] {
    const objects = text.slice(text.indexOf('{'));
    try {
      const rows = JSON.parse(`[${objects.slice(0, objects.lastIndexOf('}') + 1) || '{'}]`) as unknown[];
      this.#open = undefined;
      return rows.map((row) => ({ line, rule: () => readRowObject(row, this.#columns) }));
    } catch (error) {
      const signs = objects.replace(/"(?:[^"\\]|\\.)*"/g, '');
      // Outside an array, an object stands on one line.
      if (this.#isArray && count(signs, /[[{]/g) > count(signs, /[\]}]/g)) return [];
      this.#open = undefined;
      return [{ line, rule: refused(`not valid JSON: ${messageOf(error)}`) }];
    }
  }
}

const count = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;
