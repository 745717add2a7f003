import type pg from 'pg';

export interface CatalogueComment {
  /** The table, view or function that it stands with, by oid; null for a schema. */
  object: string | null;
  statement: string;
}

const COMMENTS = `
select case
         when d.classoid = 'pg_class'::regclass
           then coalesce((select i.indrelid from pg_index i where i.indexrelid = d.objoid), d.objoid)
         when d.classoid = 'pg_constraint'::regclass
           then (select k.conrelid from pg_constraint k where k.oid = d.objoid)
         when d.classoid = 'pg_trigger'::regclass then (select t.tgrelid from pg_trigger t where t.oid = d.objoid)
         when d.classoid = 'pg_proc'::regclass then d.objoid
       end::int8 as object,
       -- "table column", "table constraint" and the like, but "materialized view".
       format('comment on %s %s is %L;',
              regexp_replace(o.type, '^(table|view) ', ''), o.identity, d.description) as statement
  from pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o
 where (o.schema = any ($1::text[]) or (o.type = 'schema' and o.name = any ($1::text[])))
   and not (d.classoid = 'pg_class'::regclass
            and exists (select from pg_class c where c.oid = d.objoid and c.relispartition))
 order by case when o.type in ('table', 'view', 'function') then 0 when d.objsubid > 0 then 1 else 2 end,
          d.objsubid, o.identity`;

/** Every comment of the schemas, as statements: on a table or view first, then on its columns, then on the rest. */
export async function commentsOf(client: pg.ClientBase, schemas: string[]): Promise<CatalogueComment[]> {
  const { rows } = await client.query<CatalogueComment>(COMMENTS, [schemas]);
  return rows;
}
