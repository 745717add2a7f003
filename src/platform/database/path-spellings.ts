import { decodePercent } from '../../text/paths/path-segments.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { Db } from './db.js';
import { sql, type Sql } from './sql.js';

/** An erasure removes all that one address or network sent, or all that was sent about one path, however spelt. */
export type Erasure = { ip: string } | { path: PathSpellings };

/**
 * The spellings of one path. The code decides here which texts are spellings of it, not the database: the functions of
 * the database for case and composed letters depend on its locale, and it does not know percent-encoding.
 */
export class PathSpellings {
  readonly #canonical: string;
  readonly #needle: string;
  readonly #keys = new Map<string, Buffer>();

  constructor(path: string) {
    this.#canonical = canonicalPath(path);
    const ascii = this.#canonical.match(/[a-z0-9._~-]+/g) ?? [];
    this.#needle = ascii.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
    this.include(path);
  }

  /** Whether a path or url is a spelling of this path. If it is, its key is added to `keys`. */
  include(text: string | null | undefined): boolean {
    if (text == null || canonicalPath(text) !== this.#canonical) return false;
    const key = pathKey(text.split(/[?#]/, 1)[0] ?? '');
    this.#keys.set(key.toString('hex'), key);
    return true;
  }

  /** The keys of the spellings that {@link include} met: the keys of rules distinguish some spellings. */
  get keys(): readonly Buffer[] {
    return [...this.#keys.values()];
  }

  /** A condition on a column that is false only where no spelling can be in the text: few texts are fetched. */
  mayBeIn(column: Sql): Sql {
    return sql`(${column} ~ '[%\\\\]|[^ -~]' or position(${this.#needle} in lower(${column} collate "C")) > 0)`;
  }

  /** Finds the spellings of the path among the texts that a query of one column returns. */
  async among(db: Db, texts: Sql): Promise<string[]> {
    const { rows } = await sql<{ text: string }>`
      select distinct t.text from (${texts}) as t (text) where ${this.mayBeIn(sql`t.text`)}`.execute(db);
    return rows.map(({ text }) => text).filter((text) => this.include(text));
  }

  /** Returns the text with `(erased)` in place of each spelling of the path; undefined if it has no spelling. */
  takenOut(text: string): string | undefined {
    const parts = text.split(/(?<=\s)(?=\/|[a-z][a-z0-9+.-]*:\/\/)/i);
    const left = parts.map((part, n) => {
      // The last part of the text may be cut off.
      const isCut = n === parts.length - 1 && text.length >= MAX_SUBJECT_UNCUT && part.startsWith('/');
      const isMeant = this.include(part) || (isCut && this.#canonical.startsWith(canonicalPath(part)));
      return isMeant ? `(erased)${part.slice(part.trimEnd().length)}` : part;
    });
    const result = left.join('');
    return result === text ? undefined : result;
  }
}

/** Longer subjects of the audit log may be cut. */
export const MAX_SUBJECT_UNCUT = 490;

/** A query of all texts inside a column of JSON. */
export function textsWithin(table: string, column: string, projectId: string): Sql {
  return sql`
    select e #>> '{}' from ${sql.table(`pathmend.${table}`)}
     cross join jsonb_path_query(${sql.ref(column)}, '$.** ? (@.type() == "string")') as e
     where project_id = ${projectId}`;
}

/** An expression for a column that is a list of JSON objects, without the objects whose field is one of the texts. */
export function withoutTexts(column: string, field: string, texts: readonly string[]): Sql {
  return sql`
    coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(${sql.ref(column)}) with ordinality as l (e, n)
               where (e ->> ${field}::text = any (${texts}::text[])) is not true), '[]')`;
}

/** `%252520` and `%20` are equal: an encoded percent sign, nested to any depth, costs one replacement. */
const NESTED_SIGNS = /%(?:25)+/g;

const latin1 = new TextDecoder('windows-1252');

function decodeToTheEnd(text: string): string {
  for (let decoded = text; ;) {
    const next = decodePercent(decoded.replace(NESTED_SIGNS, '%'), 1);
    if (next === decoded) return decoded;
    decoded = next;
  }
}

/**
 * Returns the same text for every spelling of one path: without site, query string and fragment; percent-encoding of
 * any octet decoded, nested to any depth; in lower case and composed (NFC); without doubled, leading and trailing
 * slashes and dot segments, and without blanks around a segment, which links pick up. It tells more paths apart than a
 * key of rules does: `/a-b` and `/a_b`, `/a` and `/a.html` are two.
 */
export function canonicalPath(raw: string): string {
  const line = raw.replace(/[\t\n\r]/g, '').trim();
  const end = line.search(/[?#]/);
  const path = decodeToTheEnd(end < 0 ? line : line.slice(0, end))
    // Bytes that are not UTF-8 come from old pages in Latin-1.
    .replace(/%([89a-f][0-9a-f])/gi, (_, hex: string) => latin1.decode(Buffer.from(hex, 'hex')))
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const segments: string[] = [];
  for (const written of path.split(/[/\\]/)) {
    const segment = written.trim();
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  // Composed letters may have another lower case, and lower case other compositions.
  return `/${segments.join('/')}`.normalize('NFC').toLowerCase().normalize('NFC');
}
