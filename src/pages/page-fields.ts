import { LIMITS } from '../base/request-limits.js';
import type { JsonObject } from '../base/glossary.js';
import { freeForm } from '../http/operation.js';
import { sql, type Sql } from '../platform/database/sql.js';

/*
 * The fields of a page other than its url and content. API, SQL and console derive from the lists below.
 */

/** The values of the fields; null: the page has no such value. */
export interface PageFields {
  title: string | null;
  metadata: JsonObject | null;
}

/** The types of the fields' columns in `pathmend.pages`. */
const COLUMNS: Readonly<Record<keyof PageFields, Sql>> = { title: sql`text`, metadata: sql`jsonb` };

/** The fields in a request. Absent: keep the stored value; null clears it. */
export const PUSHED_SCHEMA = {
  title: {
    type: ['string', 'null'],
    maxLength: LIMITS.titleCharacters,
    description: 'Absent: what is stored stays; null clears it.',
  },
  metadata: {
    type: ['object', 'null'],
    jsonSize: { levels: LIMITS.metadataDepth, bytes: LIMITS.metadataBytes },
    additionalProperties: true,
    label: `an object of at most ${LIMITS.metadataBytes} bytes as JSON and ${LIMITS.metadataDepth} levels`,
    description: `Anything of yours, to filter by and to get back; at most ${LIMITS.metadataBytes} bytes as JSON and ${LIMITS.metadataDepth} levels. Absent: what is stored stays; null clears it.`,
  },
} as const;

export type PushedFields = { [Name in keyof PageFields]?: PageFields[Name] | undefined };

/** The fields in lists of pages and in the console, which labels them with `name`. */
export const LISTED_FIELDS = {
  title: { name: 'Title', schema: { type: ['string', 'null'] }, example: 'Returns and refunds' },
};

export const LISTED_NAMES = Object.keys(LISTED_FIELDS) as (keyof typeof LISTED_FIELDS)[];

export type ListedFields = Pick<PageFields, keyof typeof LISTED_FIELDS>;

/** The fields in answers of retrieve, absent without a value. Every found page has its title, too. */
export const RETRIEVED_FIELDS = { metadata: freeForm('As the page was pushed with; absent when it has none.') };

export const RETRIEVED_NAMES = Object.keys(RETRIEVED_FIELDS) as (keyof typeof RETRIEVED_FIELDS)[];

export type RetrievedFields = Pick<PageFields, keyof typeof RETRIEVED_FIELDS>;

export const FIELD_NAMES = Object.keys(COLUMNS) as (keyof PageFields)[];

export function fieldsOf(page: PushedFields): PushedFields {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, page[name]]));
}

/** A row for {@link pushedColumns}; the column `…_given` distinguishes null from absent. */
export function pushedRow(fields: PushedFields): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    row[name] = fields[name] ?? undefined;
    row[`${name}_given`] = fields[name] !== undefined;
  }
  return row;
}

/** The columns of {@link pushedRow} in `row`. */
export function pushedColumns(row: string): Sql {
  return sql.join(FIELD_NAMES.flatMap((name) => [sql.ref(`${row}.${name}`), sql.ref(`${row}.${name}_given`)]));
}

/** The same columns with types, for a record set. */
export const PUSHED_TYPES = sql.join(
  FIELD_NAMES.flatMap((name) => [sql`${sql.ref(name)} ${COLUMNS[name]}`, sql`${sql.ref(`${name}_given`)} boolean`]),
);

export function fieldColumns(row: string, names: readonly string[] = FIELD_NAMES): Sql {
  return sql.join(names.map((name) => sql.ref(`${row}.${name}`)));
}

/** Whether pushed fields `i` change none of a page `p`. */
export const haveSameFields = sql.join(
  FIELD_NAMES.map((name) => {
    const isStored = sql`${sql.ref(`p.${name}`)} is not distinct from ${sql.ref(`i.${name}`)}`;
    return sql`(not ${sql.ref(`i.${name}_given`)} or ${isStored})`;
  }),
  sql` and `,
);

/** The `set` list of an update of a page `p`. */
export const storedFields = sql.join(
  FIELD_NAMES.map((name) => {
    const value = sql`case when ${sql.ref(`i.${name}_given`)} then ${sql.ref(`i.${name}`)} else ${sql.ref(`p.${name}`)} end`;
    return name === 'metadata'
      ? sql`metadata = ${value}, metadata_bytes = octet_length((${value})::text)`
      : sql`${sql.ref(name)} = ${value}`;
  }),
);
