import { expect } from 'chai';
import { rangeOf } from '#src/platform/database/project-range.js';
import { countSearchablePages, findMiscountedProjects } from '#src/projects/index-version.js';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';

const ALL_PROJECTS = rangeOf({ projects: 0, pages: 0 }, 0);

describe('the kept number of searchable pages', () => {
  let test: TestService;
  let project: TestProject;

  before(async () => {
    test = await startTestService();
  });

  after(() => test.stop());

  beforeEach(async () => {
    project = await test.newProject();
  });

  const kept = (): Promise<number> => countSearchablePages(test.service.db, project.row.project_id);
  const page = (n: number, content = `Lake ${n}.`): { url: string; content: string } => ({
    url: `https://site.example/lake-${n}`,
    content,
  });
  const maintain = (): Promise<unknown> =>
    runMaintenance({ ...test.service.deps, db: test.service.db, eventRetentionDays: 30, embedded: false });

  it('is that of the pages, whatever is pushed, pushed again and deleted at once', async () => {
    expect(await kept()).to.equal(0);
    await Promise.all(Array.from({ length: 30 }, (_, n) => project.upsert(page(n))));
    await project.indexed();
    expect(await kept()).to.equal(30);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => project.upsert(page(n, `Lake ${n}, deeper.`))),
      ...Array.from({ length: 10 }, (_, n) => project.call('DELETE', '/v1/pages/delete', { url: page(20 + n).url })),
      ...Array.from({ length: 5 }, (_, n) => project.upsert(page(100 + n))),
    ]);
    await project.indexed();
    expect(await kept()).to.equal(25);
    expect(await findMiscountedProjects(test.service.db, ALL_PROJECTS)).to.be.empty;
  });

  it('leaves out a page that waits for its first vectors, and is not reduced when that is deleted', async () => {
    await project.upsert(page(1));
    await project.indexed();
    await project.query('delete from pathmend.indexed_pages where project_id = $1');
    await project.query('update pathmend.index_versions set pages = 0 where project_id = $1');
    await project.call('DELETE', '/v1/pages/delete', { url: page(1).url });
    expect(await kept()).to.equal(0);
  });

  it('is mended by maintenance where an older release has changed pages', async () => {
    await project.upsert(page(1));
    await project.indexed();
    await project.query('update pathmend.index_versions set pages = 7 where project_id = $1');
    expect(await findMiscountedProjects(test.service.db, ALL_PROJECTS)).to.deep.equal([project.row.project_id]);
    const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    expect(await findMiscountedProjects(test.service.db, { from: last, to: last }), 'of other projects').to.be.empty;
    await maintain();
    expect(await kept()).to.equal(1);
  });
});
