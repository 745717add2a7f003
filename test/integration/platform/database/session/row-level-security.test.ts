import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql, type Sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import type { Tenant } from '#src/platform/database/session/tenants.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { rejection } from '../../../embedding/rejection.js';
import { inParallel } from '../../../../support/in-parallel.js';
import type { TestProject } from '../../../../support/service.js';
import { sharedService } from '../../../../support/shared-service.js';
import { query } from '../../../../support/sql.js';

const DENIED = '42501';

/** Tables whose rows a tenant sees: its own. */
const TENANTS_TABLES = ['index_versions', 'indexed_pages', 'page_terms', 'pages', 'chunks', 'projects', 'vocabulary'];

describe('row level security: statements that forget to say whose rows they mean', () => {
  const projects: TestProject[] = [];
  let mine: Tenant;
  let theirs: string;

  before(async () => {
    for (const name of ['mine', 'theirs']) {
      const project = await sharedService().newProject();
      await project.upsert({
        url: `https://${name}.example/kettles`,
        content: `Kettles of ${name}, descaled and ${name}ish.`,
        metadata: { owner: name },
      });
      await project.indexed();
      projects.push(project);
    }
    mine = tenantOf(0);
    theirs = projects[1]?.row.project_id ?? '';
  });

  function tenantOf(place: number): Tenant {
    return sharedService().service.deps.tenants.of(projects[place]?.row.project_id ?? '');
  }

  async function run(statement: Sql, tenant = mine): Promise<Record<string, unknown>[]> {
    return (await statement.execute(tenant.db)).rows as Record<string, unknown>[];
  }

  async function denied(statement: Sql): Promise<void> {
    expect(sqlState(await rejection(run(statement), Error))).to.equal(DENIED);
  }

  for (const table of TENANTS_TABLES) {
    it(`select from ${table} shows the tenant's rows alone`, async () => {
      const rows = await run(sql`select distinct project_id from pathmend.${sql.ref(table)}`);
      expect(rows).to.deep.equal([{ project_id: mine.projectId }]);
    });
  }

  it('the views of analytics that it may read show its project alone', async () => {
    const views = await run(sql`
      select c.relname as name from pg_class c
       where c.relnamespace = 'analytics'::regnamespace and has_table_privilege(c.oid, 'select') order by 1`);
    expect(views.map(({ name }) => name))
      .to.include('recovery_daily')
      .and.not.include('not_founds');
    for (const { name } of views) {
      const rows = await run(sql`select distinct project_id from ${sql.table(`analytics.${String(name)}`)}`);
      expect(
        rows.filter(({ project_id: id }) => id !== mine.projectId),
        String(name),
      ).to.deep.equal([]);
    }
    expect(await run(sql`select project_id from analytics.index_health`)).to.deep.equal([
      { project_id: mine.projectId },
    ]);
  });

  it("update and delete reach the tenant's rows alone", async () => {
    const all = await query(sharedService().service, 'select from pathmend.pages where project_id = $1', [theirs]);
    await inTransaction(mine.db, async (trx) => {
      const updated = await sql`update pathmend.pages set title = 'changed' returning project_id`.execute(trx);
      expect(updated.rows).to.deep.equal([{ project_id: mine.projectId }]);
      const deleted = await sql`delete from pathmend.pages returning project_id`.execute(trx);
      expect(deleted.rows).to.deep.equal([{ project_id: mine.projectId }]);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(
      await query(sharedService().service, 'select from pathmend.pages where project_id = $1', [theirs]),
    ).to.have.length(all.length);
    expect(await run(sql`select title from pathmend.pages`)).to.deep.equal([{ title: null }]);
  });

  it('a row cannot be written into another project, nor moved there', async () => {
    await denied(sql`insert into pathmend.vocabulary (project_id, word, pages) values (${theirs}, 'planted', 1)`);
    await denied(sql`update pathmend.vocabulary set project_id = ${theirs}`);
    await denied(
      sql`insert into pgboss.job_common (name, data) values (${vectorizePage.name}, ${JSON.stringify({ projectId: theirs, pageId: 'f'.repeat(24) })})`,
    );
  });

  it('jobs of other projects are out of sight', async () => {
    await sharedService().service.queue.enqueueNow(vectorizePage, [
      { projectId: theirs, pageId: 'e'.repeat(24) },
      { projectId: mine.projectId, pageId: 'd'.repeat(24) },
    ]);
    const rows = await run(sql`select distinct data ->> 'projectId' as project from pgboss.job_common`);
    expect(rows).to.deep.equal([{ project: mine.projectId }]);
  });

  it("functions with their owner's rights refuse another project", async () => {
    await denied(sql`select * from pathmend.matching_pages(${theirs}, array['{}']::jsonb[], array['{}']::jsonb[])`);
    await denied(sql`select * from pathmend.near_words(${theirs}, 'ketles')`);
    await denied(sql`select pathmend.hosts_of(${theirs})`);
    await denied(
      sql`select * from pathmend.pages_in_reach(${theirs}, 1, 0, '[1]'::halfvec,
                                                array['{}/10']::sparsevec[], '[]', null, null)`,
    );
    expect(await run(sql`select word from pathmend.near_words(${mine.projectId}, 'ketles')`)).to.deep.equal([
      { word: 'kettles' },
    ]);
  });

  it('a table with rows of projects is narrowed, or closed to tenants', async () => {
    const open = await query<{ name: string }>(
      sharedService().service,
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id'
        where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and has_any_column_privilege('pathmend_tenant', c.oid, 'select, insert, update, references')
          and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and 'pathmend_tenant'::regrole = any (p.polroles)))`,
    );
    expect(open).to.deep.equal([]);
    for (const table of ['api_keys', 'rate_buckets', 'searches', 'clicks', 'not_founds', 'index_segments', 'models']) {
      await denied(sql`select from pathmend.${sql.ref(table)}`);
    }
  });

  it('no session keeps what an earlier caller was, however callers take turns, fail, or work for all projects', async () => {
    const { service } = sharedService();
    const tenants = [0, 1].map(tenantOf);
    const seen = async (turn: number): Promise<string[]> => {
      const tenant = tenants[turn % 2] as Tenant;
      if (turn % 5 === 0)
        return (await query<{ project_id: string }>(service, 'select project_id from pathmend.projects')).map(
          (row) => row.project_id,
        );
      if (turn % 7 === 0) await rejection(run(sql`select 1 / 0`, tenant), Error);
      if (turn % 3 === 0)
        return inTransaction(tenant.db, async (trx) =>
          (await sql<{ project_id: string }>`select project_id from pathmend.pages`.execute(trx)).rows.map(
            (row) => row.project_id,
          ),
        );
      return (await run(sql`select project_id from pathmend.projects`, tenant)).map((row) => String(row['project_id']));
    };
    await inParallel(
      Array.from({ length: 300 }, (_, turn) => turn),
      async (turn) => {
        const projectIds = await seen(turn);
        if (turn % 5 === 0) expect(projectIds).to.include.members(tenants.map((tenant) => tenant.projectId));
        else expect(new Set(projectIds)).to.deep.equal(new Set([tenants[turn % 2]?.projectId]));
      },
      20,
    );
  });

  it('a tenant that is no project sees nothing', async () => {
    const nobody = sharedService().service.deps.tenants.of(randomUUID());
    expect(await run(sql`select from pathmend.pages`, nobody)).to.deep.equal([]);
    expect(() => sharedService().service.deps.tenants.of("x'; drop table pathmend.pages; --")).to.not.throw();
    await rejection(
      run(sql`select 1`, sharedService().service.deps.tenants.of("x'; drop table pathmend.pages; --")),
      Error,
    );
  });
});
