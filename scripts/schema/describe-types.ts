import type pg from 'pg';

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  is_required: boolean;
  has_default: boolean;
  is_computed: boolean;
  /** The values that a constraint of this column alone allows. */
  allowed: string[] | null;
}

const COLUMNS = `
select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as is_required,
       a.atthasdef or a.attidentity <> '' as has_default, a.attidentity = 'a' or a.attgenerated <> '' as is_computed,
       (select array_agg(m[1] order by m[1])
          from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([\\w-]+)''::text', 'g') as m
         where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
           and pg_get_constraintdef(k.oid) ~ '^CHECK \\(+\\w+ (= ANY \\(|<@ )ARRAY\\[') as allowed
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
 order by c.relname, a.attnum`;

/** The types that pg reads values as; Kysely's ColumnType where it takes others. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'Bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Moment',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'Json',
  real: 'number',
  smallint: 'number',
  'timestamp with time zone': 'Moment',
};
/** These are read as their text. */
const TEXTS = new Set(['bit', 'halfvec', 'inet', 'name', 'sparsevec', 'text', 'uuid']);

const HEAD = `\
// Written by \`npm run db:dump\` from the migrated schema: change a migration, not this file.
import type { ColumnType, SelectType } from 'kysely';
import type { JsonValue } from '../../base/glossary.js';

/** A bigint is read as text: it may be greater than a number holds exactly. */
type Bigint = ColumnType<string, string | number | bigint, string | number | bigint>;
type Moment = ColumnType<Date, Date | string, Date | string>;
/** JSON is written as text: pg would make an array of SQL of a list. */
type Json = ColumnType<JsonValue, string, string>;
type List<T> = ColumnType<T[], readonly T[], readonly T[]>;
/** The database has a value where none is given. */
type Default<T> = T extends ColumnType<infer Read, infer Written, infer Changed>
  ? ColumnType<Read, Written | undefined, Changed>
  : ColumnType<T, T | undefined, T>;
type Nullable<T> = T extends ColumnType<infer Read, infer Written, infer Changed>
  ? ColumnType<Read | null, Written | null | undefined, Changed | null>
  : ColumnType<T | null, T | null | undefined, T | null>;
/** The database computes the value. */
type Computed<T> = ColumnType<SelectType<T>, never, never>;
`;

/**
 * The tables of `pathmend` as types of Kysely. A column whose constraint lists the values that it may have is a union
 * of them.
 * @throws Error for a type of column that this does not know
 */
export async function describeTypes(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<ColumnRow>(COLUMNS);
  const tables = new Map<string, ColumnRow[]>();
  for (const row of rows) tables.set(row.table, [...(tables.get(row.table) ?? []), row]);
  const interfaces = [...tables].map(
    ([table, columns]) => `interface ${interfaceOf(table)} {\n${columns.map(describeColumn).join('\n')}\n}\n`,
  );
  const names = [...tables.keys()].map((table) => `  'pathmend.${table}': ${interfaceOf(table)};`);
  return `${[HEAD, ...interfaces, `export interface Database {\n${names.join('\n')}\n}`].join('\n')}\n`;
}

const interfaceOf = (table: string): string =>
  table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

function describeColumn({ table, name, type, allowed, ...column }: ColumnRow): string {
  const isArray = type.endsWith('[]');
  const element = type.replace('[]', '');
  const plain = allowed?.map((value) => `'${value}'`).join(' | ') ?? (TEXTS.has(element) ? 'string' : TYPES[element]);
  if (plain === undefined) throw new Error(`${table}.${name} has the type ${type}: teach scripts/schema about it`);
  const whole = isArray ? `List<${element === 'timestamp with time zone' ? 'Date' : plain}>` : plain;
  if (column.is_computed) return `  ${name}: Computed<${whole}>;`;
  if (!column.is_required) return `  ${name}: Nullable<${whole}>;`;
  return `  ${name}: ${column.has_default ? `Default<${whole}>` : whole};`;
}
