import { expect } from 'chai';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { query, sql } from '#src/platform/database/sql.js';
import { expectError } from '../../../support/expect-error.js';
import { sharedService } from '../../../support/shared-service.js';
import type { Answer, TestProject } from '../../../support/service.js';

const URL = 'https://shop.example/pens/blue';
const content = 'A blue fountain pen with a steel nib.';
const options = { searchThreshold: 0 };

describe('DELETE /v1/pages/delete', () => {
  let project: TestProject;
  let pageId: string;

  beforeEach(async () => {
    project = await sharedService().newProject();
    pageId = (await project.upsert({ url: URL, content })).body.page_id as string;
  });

  const remove = (body: unknown, from = project): Promise<Answer> => from.call('DELETE', '/v1/pages/delete', body);

  it('removes the page of a url, and tells which it was', async () => {
    await project.indexed();
    const { status, body } = await remove({ url: URL });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('status', 'message', 'pageId', 'url');
    expect(body).to.include({ status: 'success', pageId, url: URL });
    expect(body.message).to.be.a('string').and.not.equal('');
  });

  it('removes the page of an identifier', async () => {
    const { status, body } = await remove({ pageId });
    expect([status, body.pageId, body.url]).to.deep.equal([200, pageId, URL]);
    expectError(await remove({ pageId }), 404, 'pageId');
  });

  it('takes both when they mean the same page, and removes nothing when they do not', async () => {
    const other = await project.upsert({ url: `${URL}/ink`, content });
    expectError(await remove({ pageId, url: `${URL}/ink` }), 400, 'url');
    expect((await remove({ pageId, url: `${URL}#nib` })).status).to.equal(200);
    expect((await remove({ pageId: other.body.page_id as string })).status).to.equal(200);
  });

  it('answers 404 for a page that is not there, or not any more', async () => {
    expectError(await remove({ url: `${URL}/other` }), 404, 'url');
    expectError(await remove({ pageId: '0123456789abcdef01234567' }), 404, 'pageId');
    await remove({ url: URL });
    expectError(await remove({ url: URL }), 404, 'url');
  });

  it('refuses a pageId of the wrong form', async () => {
    const short = pageId.slice(1);
    const wrongTexts = ['', 'x', short, `${pageId}0`, `A${short.toUpperCase()}`, `${short}g`, ` ${pageId}`];
    for (const wrong of [...wrongTexts, '0'.repeat(10_000), null, 7, true, [pageId], { pageId }])
      expectError(await remove({ pageId: wrong }), 400, 'pageId', JSON.stringify(wrong).slice(0, 30));
  });

  it("another project's page is 403 by pageId, 404 by url, and stays", async () => {
    await project.indexed();
    const stranger = await sharedService().newProject();
    expectError(await remove({ pageId }, stranger), 403, 'pageId');
    expectError(await remove({ url: URL }, stranger), 404, 'url');
    expect((await project.post('/v1/retrieve', { query: 'pen' })).body.documents).to.have.lengthOf(1);
  });

  it('takes the page out of every search at once, cached answers included', async () => {
    await project.indexed();
    const searches = (): Promise<Answer[]> =>
      Promise.all([
        project.post('/v1/suggest', { path: '/pens/blue', options }),
        project.post('/v1/semantic-search', { query: content, options }),
        project.call('GET', `/v1/search?query=${encodeURIComponent(content)}`),
        project.post('/v1/retrieve', { query: content }),
      ]);
    const countFound = async (): Promise<number[]> =>
      (await searches()).map(({ body }) => ((body.suggestions ?? body.documents) as unknown[]).length);
    expect(await countFound()).to.deep.equal([1, 1, 1, 1]);
    expect(await countFound()).to.deep.equal([1, 1, 1, 1]);
    await remove({ pageId });
    expect(await countFound()).to.deep.equal([0, 0, 0, 0]);
    expectError(await project.call('GET', `/v1/proxy?url=${URL}`), 404);
  });

  it('leaves no row behind: page, vectors, terms, words, waiting jobs', async () => {
    await project.upsert({ url: `${URL}/second`, content: 'zebra' });
    await project.indexed();
    await project.upsert({ url: `${URL}/second`, content: 'giraffe' });
    for (const url of [URL, `${URL}/second`]) expect((await remove({ url })).status).to.equal(200);
    const { db } = sharedService().service;
    const { project_id: id } = project.row;
    const { rows } = await sql<Record<string, number>>`
      select (select count(*)::int from pathmend.pages where project_id = ${id}) as pages,
             (select count(*)::int from pathmend.indexed_pages where project_id = ${id}) as indexed,
             (select count(*)::int from pathmend.chunks where project_id = ${id}) as passages,
             (select count(*)::int from pathmend.page_terms where project_id = ${id}) as terms,
             (select count(*)::int from pathmend.vocabulary where project_id = ${id}) as words,
             (select count(*)::int from pgboss.job
               where data->>'projectId' = ${id}::text and state in ('created', 'retry')) as jobs`.execute(db);
    expect(rows[0]).to.deep.equal({ pages: 0, indexed: 0, passages: 0, terms: 0, words: 0, jobs: 0 });
  });

  it('leaves the words of other pages counted', async () => {
    await project.upsert({ url: 'https://shop.example/rivers', content: 'A river runs.' });
    await project.indexed();
    await remove({ url: URL });
    const words = await query(sql`select word, pages from pathmend.vocabulary
      where project_id = ${project.row.project_id} order by word`).rows(sharedService().service.db);
    expect(words).to.deep.equal(['river', 'rivers', 'runs'].map((word) => ({ word, pages: 1 })));
  });

  it('takes back a job that waits for its retry', async () => {
    await project.indexed();
    const { queue, db } = sharedService().service;
    await queue.boss.insert(vectorizePage.name, [
      { data: { projectId: project.row.project_id, pageId }, singletonKey: pageId, startAfter: 3_600 },
    ]);
    await remove({ url: URL });
    expect(await query(sql`select from pgboss.job where singleton_key = ${pageId} and state < 'active'`).rows(db)).to.be
      .empty;
  });

  it('lets the same url be pushed again, as a new page', async () => {
    await remove({ url: URL });
    const again = await project.upsert({ url: URL, content: 'A green pencil.' });
    expect(again.body.action).to.equal('created');
    expect(again.body.page_id).not.to.equal(pageId);
    await project.indexed();
    const { body } = await project.post('/v1/retrieve', { query: 'pencil' });
    const contents = (body.documents as { content: string }[]).map((document) => document.content);
    expect(contents).to.deep.equal(['A green pencil.']);
  });

  it('of one page by many callers at once succeeds once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => remove(at % 2 ? { url: URL } : { pageId })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404, 404, 404, 404, 404, 404]);
  });
});
