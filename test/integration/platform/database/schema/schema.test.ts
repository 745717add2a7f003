import { expect } from 'chai';
import { sharedService } from '../../../../support/shared-service.js';

/** What belongs to no project. */
const SHARED = `migrations models model_names repeatables users identities sessions invitations audit_log`.split(/\s+/);

interface TableRow {
  name: string;
  columns: string[];
  key: string[] | null;
}

describe('the schema', () => {
  async function query<Row extends object>(text: string): Promise<Row[]> {
    return (await sharedService().service.database.connection.pool.query<Row>(text)).rows;
  }

  /** Tables of `pathmend`; a partitioned one once, with the primary key of one of its weeks. */
  function tables(): Promise<TableRow[]> {
    return query<TableRow>(`
      select c.relname as name,
             array(select a.attname::text from pg_attribute a
                    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
             (select array_agg(a.attname::text order by k.place)
                from pg_constraint p
               cross join unnest(p.conkey) with ordinality as k (attnum, place)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
               where p.contype = 'p'
                 and p.conrelid = case c.relkind when 'p' then (select min(i.inhrelid::text)::oid from pg_inherits i where i.inhparent = c.oid) else c.oid end) as key
        from pg_class c
       where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  }

  it('gives every table of tenants project_id first in its primary key', async () => {
    await query('select pathmend.ensure_weeks(now(), now())');
    const found = await tables();
    expect(found.map((table) => table.name)).to.include.members(
      `projects api_keys pages indexed_pages passages
      vocabulary moves section_moves searches clicks not_founds`.split(/\s+/),
    );
    for (const { name, columns, key } of found) {
      if (SHARED.includes(name)) expect(columns, name).not.to.include('project_id');
      else expect(key?.[0], `first column of the primary key of ${name}`).to.equal('project_id');
    }
  });

  it('stores of a key its hash only', async () => {
    const project = await sharedService().newProject();
    const rows = await query<{ row: string }>('select to_jsonb(k)::text as row from pathmend.api_keys k');
    expect(rows).not.to.be.empty;
    expect(rows.map(({ row }) => row).join()).not.to.include(project.key.slice(8, 30));
  });
});
