import { expect } from 'chai';
import type { PoolClient } from 'pg';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

const PERMISSION_DENIED = '42501';

for (const role of ['pathmend_analyst', 'pathmend_project_analyst'])
  describe(`the role ${role}`, () => {
    /** In one transaction, so that the embedded database's one session has its own role back afterwards. */
    async function asAnalyst(work: (client: PoolClient) => Promise<void>): Promise<void> {
      const client = await sharedService().service.database.connection.pool.connect();
      try {
        await client.query('begin');
        await client.query(`set local role ${role}`);
        await work(client);
      } finally {
        await client.query('rollback');
        client.release();
      }
    }

    async function outcome(client: PoolClient, statement: string): Promise<string> {
      await client.query('savepoint before');
      try {
        await client.query(statement);
        return 'done';
      } catch (error) {
        return String((error as { code?: unknown }).code);
      } finally {
        await client.query('rollback to savepoint before');
      }
    }

    it('reads every view of analytics', async () => {
      const views = await query<{ name: string }>(
        sharedService().service,
        `select viewname as name from pg_views where schemaname = 'analytics' order by 1`,
      );
      expect(views.map(({ name }) => name)).to.include.members(['missing_paths', 'not_founds_daily', 'version']);
      await asAnalyst(async (client) => {
        for (const { name } of views)
          expect(await outcome(client, `select * from analytics.${name}`), name).to.equal('done');
      });
    });

    it('reads nothing else: no table of pathmend and none of the queue', async () => {
      const relations = await query<{ name: string }>(
        sharedService().service,
        `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm') and n.nspname in ('pathmend', 'pgboss') order by 1`,
      );
      expect(relations.map(({ name }) => name)).to.include.members([
        'pathmend.pages',
        'pathmend.api_keys',
        'pathmend.not_founds',
        'pgboss.job',
      ]);
      await asAnalyst(async (client) => {
        for (const { name } of relations)
          expect(await outcome(client, `select * from ${name} limit 1`), name).to.equal(PERMISSION_DENIED);
      });
    });

    it('changes nothing and admits nobody', async () => {
      await asAnalyst(async (client) => {
        for (const statement of [
          `insert into analytics.searches_without_results (project) values ('x')`,
          `delete from analytics.not_founds_daily`,
          `create table analytics.mine (x int)`,
          `create table pathmend.mine (x int)`,
          `create table public.mine (x int)`,
          `select * from pathmend.admit('\\x00', 'read', 'read')`,
          `select pathmend.drop_old_weeks(now())`,
          `insert into pathmend.analyst_projects select gen_random_uuid(), current_user`,
        ]) {
          expect(await outcome(client, statement), statement).to.be.oneOf([PERMISSION_DENIED, '55000']);
        }
      });
    });
  });
