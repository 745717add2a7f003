import { expect } from 'chai';
import { sharedService } from '../support/shared-service.js';

/** What belongs to no project. */
const SHARED = ['migrations', 'models', 'repeatables'];

interface TableRow {
  name: string;
  columns: string[];
  key: string[] | null;
}

describe('the schema', () => {
  async function query<Row extends object>(text: string): Promise<Row[]> {
    return (await sharedService().service.database.connection.pool.query<Row>(text)).rows;
  }

  /** Tables of `pathmend`; a partitioned one once. */
  function tables(): Promise<TableRow[]> {
    return query<TableRow>(`
      select c.relname as name,
             array(select a.attname::text from pg_attribute a
                    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
             (select array_agg(a.attname::text order by k.place)
                from pg_constraint p
               cross join unnest(p.conkey) with ordinality as k (attnum, place)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
               where p.conrelid = c.oid and p.contype = 'p') as key
        from pg_class c
       where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  }

  it('gives every table of tenants project_id first in its primary key', async () => {
    const found = await tables();
    expect(found.map((table) => table.name)).to.include.members([
      'projects', 'api_keys', 'pages', 'indexed_pages', 'passages', 'vocabulary', 'moves', 'section_moves', 'searches', 'clicks', 'not_founds',
    ]);
    for (const { name, columns, key } of found) {
      if (SHARED.includes(name)) expect(columns, name).not.to.include('project_id');
      else expect(key?.[0], `first column of the primary key of ${name}`).to.equal('project_id');
    }
  });

  it('keeps passages as half-precision vectors, not compressed', async () => {
    const rows = await query(`
      select format_type(atttypid, atttypmod) as type, attstorage as storage
        from pg_attribute where attrelid = 'pathmend.passages'::regclass and attname = 'embedding'`);
    expect(rows).to.deep.equal([{ type: 'halfvec', storage: 'e' }]);
  });

  it('partitions what arrives from visitors by week, so that retention drops whole partitions', async () => {
    const rows = await query<{ name: string; key: string }>(`
      select c.relname as name, pg_get_partkeydef(c.oid) as key from pg_class c
       where c.relnamespace = 'pathmend'::regnamespace and c.relkind = 'p' order by 1`);
    expect(rows).to.deep.equal([
      { name: 'clicks', key: 'RANGE (received_at)' },
      { name: 'not_founds', key: 'RANGE (received_at)' },
      { name: 'searches', key: 'RANGE (searched_at)' },
    ]);
  });

  it('stores of a key its hash only', async () => {
    const project = await sharedService().newProject();
    const rows = await query<{ row: string }>('select to_jsonb(k)::text as row from pathmend.api_keys k');
    expect(rows).not.to.be.empty;
    expect(rows.map(({ row }) => row).join()).not.to.include(project.key.slice(8, 30));
  });
});
