import { expect } from 'chai';
import { createPlannerStatistics } from '#src/platform/database/maintenance.js';
import { maintenanceDone } from '../../../support/maintenance.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';

describe('statistics of the planner', () => {
  let test: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(60_000);
    test = await startTestService();
    project = await test.newProject();
    await maintenanceDone(test.service);
  });
  after(() => test.stop());

  async function store(from: number, to: number): Promise<void> {
    await project.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       select $1, substr(md5(n::text), 1, 24), 'https://many.example/' || n, sha256(n::text::bytea), sha256(n::text::bytea),
              'Page ' || n, sha256(n::text::bytea), 'INDEXED'
         from generate_series($2::int, $3::int) as n`,
      from,
      to,
    );
  }

  async function known(): Promise<number | undefined> {
    const rows = await query<{ pages: number }>(
      test.service,
      `select reltuples::int as pages from pg_class where oid = 'pathmend.pages'::regclass`,
    );
    return rows[0]?.pages;
  }

  it('are made anew when the index has grown by half, however many pages this worker has stored', async () => {
    await store(1, 400);
    await query(test.service, 'analyze pathmend.pages');
    // Fewer than autovacuum would look at.
    await store(401, 440);
    const statistics = createPlannerStatistics(test.service.db);
    await statistics.pagesStored(150);
    expect(await known()).to.equal(400);
    await statistics.pagesStored(49);
    expect(await known()).to.equal(400);
    await statistics.pagesStored(1);
    expect(await known()).to.equal(440);
  });
});
