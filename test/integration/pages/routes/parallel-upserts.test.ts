import { expect } from 'chai';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { rejection } from '../../embedding/rejection.js';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';

describe('upserts of single pages that come at the same time', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const push = (url: string, content: string) => project.post('/v1/pages/upsert', { url, content });

  it('are answered each for itself', async () => {
    const urls = Array.from({ length: 40 }, (_, i) => `https://shop.example/${String(i).padStart(2, '0')}`);
    const answers = await Promise.all(urls.map((url) => push(url, `The page of ${url}`)));
    expect(answers.map(({ status, body }) => [status, body.action, body.status])).to.deep.equal(
      urls.map(() => [202, 'created', 'PENDING_VECTORIZATION']),
    );
    const stored = await project.query(
      'select url, page_id, content from pathmend.pages where project_id = $1 order by url',
    );
    expect(stored).to.deep.equal(
      urls.map((url, i) => ({ url, page_id: answers[i]?.body.page_id, content: `The page of ${url}` })),
    );
    await project.indexed();
  });

  it('are done one after the other where they are of one page, and none is lost', async () => {
    const contents = Array.from({ length: 12 }, (_, i) => `Version ${i}`);
    const answers = await Promise.all(contents.map((content) => push('https://shop.example/same', content)));
    expect(answers.map(({ status }) => status)).to.deep.equal(contents.map(() => 202));
    expect(answers.filter(({ body }) => body.action === 'created')).to.have.length(1);
    expect(new Set(answers.map(({ body }) => body.page_id)).size).to.equal(1);
    const [row] = await project.query<{ version: number }>(
      'select max(content_version)::int as version from pathmend.pages where project_id = $1',
    );
    expect(row?.version).to.equal(contents.length);
    await project.indexed();
  });

  it('are not answered as done where the change is not seen everywhere', async () => {
    const { deps } = sharedService().service;
    const tenant = deps.tenants.of(project.row.project_id);
    const page = createPageCheck()({ url: 'https://shop.example/seen', content: 'Seen' });
    await upsertPages(deps, tenant, [page]);
    await project.indexed();
    const indexChanges = {
      ...deps.indexChanges,
      committedAndVisible: () => Promise.reject(new Error('nobody knows')),
    };
    const failed = await rejection(
      upsertPages({ ...deps, indexChanges }, tenant, [{ ...page, title: 'Another' }]),
      Error,
    );
    expect(failed.message).to.equal('nobody knows');
  });
});
