import { expect } from 'chai';
import type pg from 'pg';
import { startTestService, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';

/** The views that read rows themselves, with their tables. */
const VIEWS = { not_founds_daily: 'not_founds', not_founds: 'not_founds', searches: 'searches', clicks: 'clicks' };
const DAYS = 70;

interface Plan {
  'Relation Name'?: string;
  'Actual Loops'?: number;
  Plans?: Plan[];
}

describe('an analyst who asks for some days', function () {
  this.timeout(120_000);
  let test: TestService;
  let weeks: { name: string; monday: string }[];

  before(async () => {
    test = await startTestService();
    const { project_id } = (await test.newProject()).row;
    // Ten weeks, of which each day has a 404, a search and a click.
    await query(
      test.service,
      `select pathmend.ensure_weeks(now() - interval '${DAYS} days', now() + interval '14 days')`,
    );
    await query(
      test.service,
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
       select $1, gen_random_uuid(), now() - d * interval '1 day', '/gone', false from generate_series(0, ${DAYS}) as d`,
      [project_id],
    );
    await query(
      test.service,
      `insert into pathmend.searches (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results, cached, took_ms)
       select $1, gen_random_uuid(), now() - d * interval '1 day', 'suggest', false, '/gone', 'gone', false, 0.5, '[]', false, 1
         from generate_series(0, ${DAYS}) as d`,
      [project_id],
    );
    await query(
      test.service,
      `insert into pathmend.clicks (project_id, event_id, received_at, occurred_at, search_id, clicked_url, clicked_rank, raw_path, is_test)
       select $1, gen_random_uuid(), now() - d * interval '1 day', now(), gen_random_uuid(), '/here', 1, '/gone', false
         from generate_series(0, ${DAYS}) as d`,
      [project_id],
    );
    weeks = await query(
      test.service,
      `select c.relname as name, to_char(to_date(right(c.relname, 7), 'IYYY"w"IW'), 'YYYY-MM-DD') as monday
         from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = any ('{pathmend.not_founds, pathmend.searches, pathmend.clicks}'::regclass[])`,
    );
  });

  after(() => test.stop());

  /** Tables that a query of the session's own time zone read, and what it found. */
  async function reads(
    zone: string,
    statement: string,
  ): Promise<{ read: string[]; viewRows: Record<string, unknown>[] }> {
    const client: pg.PoolClient = await test.service.database.connection.pool.connect();
    try {
      await client.query('begin');
      await client.query(`set local time zone '${zone}'`);
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, format json) ${statement}`,
      );
      const { rows: viewRows } = await client.query<Record<string, unknown>>(statement);
      const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
      const read = nodes(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)
        .filter((node) => (node['Actual Loops'] ?? 0) > 0)
        .flatMap((node) => node['Relation Name'] ?? []);
      return { read: [...new Set(read)].filter((name) => name !== 'projects'), viewRows };
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

  for (const [view, table] of Object.entries(VIEWS))
    for (const [filter, from, to] of [
      ['day >= current_date - 7', 8, -14],
      [`day between '${dayOf(40)}' and '${dayOf(30)}'`, 40, 30],
      [`day = '${dayOf(50)}'`, 50, 50],
    ] as const) {
      it(`reads of ${view} the weeks of \`${filter.replaceAll(/\d{4}-\d\d-\d\d/g, '…')}\`, and no others`, async () => {
        // In time zones far from UTC, too: the day is UTC's, and current_date the session's.
        for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
          const { read, viewRows } = await reads(zone, `select project, day from analytics.${view} where ${filter}`);
          expect(viewRows).not.to.be.empty;
          const mondayOf = (day: string): string =>
            weeks
              .map(({ monday }) => monday)
              .filter((monday) => monday <= day)
              .sort()
              .at(-1) ?? '';
          const meant = weeks
            .filter(
              ({ name, monday }) => name.startsWith(table) && monday >= mondayOf(dayOf(from)) && monday <= dayOf(to),
            )
            .map(({ name }) => name);
          const partitions = read.filter((name) => name.startsWith(table));
          expect(partitions, zone).not.to.be.empty;
          for (const name of partitions) expect(meant, zone).to.include(name);
        }
      });
    }
});
