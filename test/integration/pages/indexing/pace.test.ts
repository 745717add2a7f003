import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { createPaceLog, describePace } from '#src/pages/indexing/pace.js';
import { readPagesPerMinute } from '#src/pages/store/page-counts.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

describe('how fast pages are indexed', () => {
  const db = () => sharedService().service.db;
  let project: TestProject;
  const indexedAgo = (interval: string): Promise<unknown> =>
    sql`update pathmend.indexed_pages set indexed_at = now() - ${interval}::interval
         where project_id = ${project.row.project_id}`.execute(db());
  const perMinute = (): Promise<number> => readPagesPerMinute(db(), project.row.project_id);

  before(async () => {
    project = await sharedService().newProject();
    for (const n of [1, 2, 3]) await project.upsert({ url: `https://pace.example/${n}`, content: `Page ${n}.` });
    await project.indexed();
  });

  it('is told by those of the last two minutes', async () => {
    await indexedAgo('30 seconds');
    expect(await perMinute()).to.equal(6);
    await indexedAgo('5 minutes');
    expect(await perMinute()).to.equal(0);
  });

  it('is told with the time that is left', () => {
    expect(describePace(0, 10)).to.equal('');
    expect(describePace(1, 3)).to.equal('1 page a minute, 3 minutes left');
    expect(describePace(400, 100)).to.equal('400 pages a minute, less than a minute left');
    expect(describePace(2_500, 1_000_000)).to.equal('2,500 pages a minute, 7 hours left');
  });

  it('is logged once a minute while pages wait, and not for the first of them', async () => {
    let now = 0;
    const logged: unknown[][] = [];
    const nothing = (): void => undefined;
    const info = (...what: unknown[]): void => void logged.push(what);
    const log = createPaceLog({ error: nothing, warn: nothing, debug: nothing, info }, () => now);
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    await indexedAgo('30 seconds');
    await sql`update pathmend.pages set status = 'PROCESSING'
               where project_id = ${project.row.project_id} and url like '%/1'`.execute(db());
    await log.pagesStored(tenant);
    now = 30_000;
    await log.pagesStored(tenant);
    expect(logged).to.deep.equal([]);
    now = 66_000;
    await log.pagesStored(tenant);
    await log.pagesStored(tenant);
    expect(logged).to.have.length(1);
    expect(logged[0]?.[0]).to.equal('pages are being indexed: 6 pages a minute, less than a minute left');
    expect(logged[0]?.[1]).to.deep.equal({ project_id: project.row.project_id, waiting: 1, pages_per_minute: 6 });
  });
});
