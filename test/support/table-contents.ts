import type pg from 'pg';

/** The names of columns, by table. */
export type Columns = Record<string, string[]>;

const TABLES = `
select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where n.nspname = any ($1::text[]) and c.relkind in ('r', 'p') and not c.relispartition
 group by 1 order by 1`;

export async function columnsOf(client: pg.ClientBase, schemas: readonly string[]): Promise<Columns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(TABLES, [schemas]);
  return Object.fromEntries(rows.map((row) => [row.name, row.columns]));
}

/** Returns the number of rows of each table, and a digest of these columns of all of its rows. */
export async function contentsOf(client: pg.ClientBase, tables: Columns): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const [name, columns] of Object.entries(tables)) {
    const { rows } = await client.query<{ contents: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(t::text, E'\\n' order by t::text)), '') as contents
         from (select ${columns.join(', ')} from ${name}) as t`,
    );
    contents[name] = rows[0]?.contents ?? '';
  }
  return contents;
}
