import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import type { Db, Trx } from '#src/platform/database/db.js';
import { lockUnchangedPages } from '#src/pages/store/index-rows.js';
import { pageRow } from '#src/pages/check-page.js';
import { lockExistingPages } from '#src/pages/store/page-rows.js';
import { claimPages } from '#src/pages/store/page-status.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { keepingPlans } from '#src/platform/database/session/driver.js';
import { parsePageUrl, type PageUrl } from '#src/text/page-url.js';
import { startTestService, type TestService } from '../../../support/service.js';

const PAGES = 3_000;
/** The number of pages in a batch: few of the project's pages. */
const TAKEN = 20;

describe('pages of a project that the planner knows nothing of', () => {
  let test: TestService;
  let service: TestService['service'];
  let projectId: string;
  let pageIds: string[];

  before(async () => {
    // The test has its own service: a session that has planned before keeps the plan for a table of that size until the
    // next ANALYZE.
    test = await startTestService();
    ({ service } = test);
    projectId = (await test.newProject()).row.project_id;
    const { rows } = await service.database.connection.pool.query<{ page_id: string }>(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       select $1, lpad(to_hex(i), 24, '0'), u, sha256(u::bytea), sha256(u::bytea), 'text', sha256('text'), 'PROCESSING'
         from generate_series(1, $2::int) as i, concat('https://many.example/', i) as u
       returning page_id`,
      [projectId, PAGES],
    );
    pageIds = rows.slice(0, TAKEN).map((row) => row.page_id);
  });

  after(() => test.stop());

  /** Rows of the table that the work read through indexes. */
  async function rowsRead(db: Db, work: (trx: Trx) => Promise<unknown>): Promise<number> {
    return inTransaction(keepingPlans(db), async (trx) => {
      await work(trx);
      const { rows } = await sql<{ read: number }>`
        select (idx_tup_fetch + seq_tup_read)::float8 as read
          from pg_stat_xact_user_tables where relid = 'pathmend.pages'::regclass`.execute(trx);
      return rows[0]?.read ?? Infinity;
    });
  }

  it('are found one by one when they are upserted', async () => {
    const inputs = pageIds.map((_, i) => {
      const url = parsePageUrl(`https://many.example/${i + 1}`) as PageUrl;
      return { page_id: '', ...pageRow({ url, content: '', title: null, metadata: null }) };
    });
    const { db } = service.deps.tenants.of(projectId);
    const read = await rowsRead(db, async (trx) => {
      expect(await lockExistingPages(trx, projectId, inputs)).to.have.length(TAKEN);
    });
    expect(read).to.be.below(10 * TAKEN);
  });

  it('are found one by one when a worker takes them, and when it stores them', async () => {
    const read = await rowsRead(service.db, async (trx) => {
      const keys = pageIds.map((pageId) => ({ projectId, pageId }));
      expect(await claimPages(trx, keys)).to.have.length(TAKEN);
      const versions = pageIds.map((pageId) => ({ pageId, contentVersion: '1' }));
      expect((await lockUnchangedPages(trx, projectId, versions)).size).to.equal(TAKEN);
    });
    expect(read).to.be.below(10 * TAKEN);
  });
});
