import { expect } from 'chai';
import { onServer } from '../../../../support/database.js';
import { sharedService } from '../../../../support/shared-service.js';
import { connectTo, query } from '../../../../support/sql.js';

describe("functions that run with their owner's rights", () => {
  it('look for names last where anybody can make them', async () => {
    const functions = await query<{ name: string; path: string | null }>(
      sharedService().service,
      `select p.oid::regprocedure::text as name, (select setting from unnest(p.proconfig) as setting where setting like 'search_path=%') as path
         from pg_proc p
        where p.prosecdef and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    );
    expect(functions.map(({ name }) => name)).to.include(
      'pathmend.ensure_weeks(timestamp with time zone,timestamp with time zone)',
    );
    expect(functions.filter(({ path }) => path?.endsWith(', pg_temp') !== true)).to.deep.equal([]);
  });

  it("run nothing of a caller's who has temporary types of their types' names", async function () {
    // The embedded database has one session, in which the functions have been read already.
    if (!onServer()) this.skip();
    const client = await connectTo(sharedService().database);
    try {
      await client.query('begin');
      // Before anything is given away.
      await client.query(
        `create temporary table proof (who name) on commit drop; grant all on pg_temp.proof to public`,
      );
      await client.query('set local role pathmend_service');
      await client.query(`
        create function pg_temp.told() returns boolean language plpgsql as $$ begin
          insert into proof values (current_user);
          return true;
        end $$;
        create domain pg_temp.timestamptz as pg_catalog.timestamptz check (pg_temp.told());
        create domain pg_temp.text as pg_catalog.text check (pg_temp.told())`);
      await client.query(`select pathmend.ensure_weeks(now() + '1 year', now() + '1 year')`);
      await client.query(
        `select * from pathmend.matching_pages(gen_random_uuid(), array['{}']::jsonb[], array['{}']::jsonb[])`,
      );
      expect((await client.query('select who from pg_temp.proof')).rows).to.deep.equal([]);
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });
});
