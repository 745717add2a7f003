import { expect } from 'chai';
import { countSearchablePages } from '#src/projects/index-version.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';

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
    expect(await project.query('select from pathmend.indexed_pages where project_id = $1')).to.have.length(25);
  });

  it('leaves out a page that waits for its first vectors, and is not reduced when that is deleted', async () => {
    await project.upsert(page(1));
    await project.indexed();
    await project.query('delete from pathmend.indexed_pages where project_id = $1');
    await project.query('update pathmend.index_versions set pages = 0 where project_id = $1');
    await project.call('DELETE', '/v1/pages/delete', { url: page(1).url });
    expect(await kept()).to.equal(0);
  });
});
