import { expect } from 'chai';
import { sharedService } from '../../../../support/shared-service.js';

/** The tables whose rows belong to no project. */
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
    const foundTables = await tables();
    expect(foundTables.map((table) => table.name)).to.include.members(
      `projects api_keys pages indexed_pages chunks
      vocabulary learned_redirects section_redirects searches clicks not_founds`.split(/\s+/),
    );
    for (const { name, columns, key } of foundTables) {
      if (SHARED.includes(name)) expect(columns, name).not.to.include('project_id');
      else expect(key?.[0], `first column of the primary key of ${name}`).to.equal('project_id');
    }
  });

  it('keeps no text in an index that could grow longer than a row of an index may be', async () => {
    // A row of a btree holds 2,704 bytes. Each index of a text column is listed with what bounds the text.
    const bounded: Record<string, string> = {
      alerts__open: 'kind: four words',
      history_days__pkey: 'what: two words',
      indexed_pages__section: 'path: 255 characters, by its expression',
      rollups__pkey: 'what: two words',
      not_found_days__pkey: 'origin: 1,000 bytes, by its constraint; visitor, outcome: seven words',
      path_days__pkey: 'visitor: six words',
      search_days__pkey: 'kind: four words',
      position_days__pkey: 'kind: four words',
      empty_search_days__pkey: 'kind: four words',
      latency_days__pkey: 'kind: four words',
      identities__pkey: 'issuer, subject: 500 and 1,000 bytes, by constraints',
      identities__user_issuer: 'issuer: 500 bytes, by its constraint',
      model_names__pkey: 'name: 500 characters, by its constraint',
      models__fingerprint: 'a hash',
      projects__name: 'projects__name_length: 200 characters',
      rate_buckets__pkey: 'bucket: two words',
      repeatables__pkey: 'names of files of ours',
      rules__near: 'path_order: 200 characters, by its expression',
      rules__pattern: 'pattern_start: 1,500 bytes, by its constraint',
      rules__prefix: 'prefix: 1,000 bytes, by its constraint',
      section_redirects__pkey: 'old_prefix, new_prefix: 1,000 bytes each, by constraints',
      vocabulary__pkey: 'words: 64 characters (src/text/words)',
      pages__host: 'url: 255 characters, by its expression',
      pages__project_status: 'status: four words',
      pages__status_at: 'status: four words',
      turns__pkey: 'what: two words',
      users__email: 'email: 254 characters, by its constraint',
    };
    const rows = await query<{ name: string }>(`
      select distinct c.relname as name
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        join pg_class t on t.oid = i.indrelid and t.relnamespace = 'pathmend'::regnamespace and not t.relispartition
        join pg_am m on m.oid = c.relam and m.amname = 'btree'
        join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'text'::regtype and a.attname <> 'page_id'
       order by 1`);
    expect(rows.map(({ name }) => name)).to.have.members(Object.keys(bounded));
  });

  it('stores of a key its hash only', async () => {
    const project = await sharedService().newProject();
    const rows = await query<{ row: string }>('select to_jsonb(k)::text as row from pathmend.api_keys k');
    expect(rows).not.to.be.empty;
    expect(rows.map(({ row }) => row).join()).not.to.include(project.key.slice(8, 30));
  });
});
