import { expect } from 'chai';
import { sqlState } from '#src/database/session/connect.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { createJoinedUpserts } from '#src/pages/joined-upserts.js';
import { rejection } from '../embedding/rejection.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

describe('upserts of single pages that come at the same time', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const stored = async (): Promise<{ url: string; page_id: string; content: string }[]> =>
    query(
      sharedService().service,
      'select url, page_id, content from pathmend.pages where project_id = $1 order by url',
      [project.row.project_id],
    );

  const number = async (what: string): Promise<number | undefined> =>
    (
      await query<{ n: number }>(
        sharedService().service,
        `select ${what}::int as n from pathmend.pages where project_id = $1`,
        [project.row.project_id],
      )
    )[0]?.n;

  const push = (url: string, content: string) => project.post('/v1/pages/upsert', { url, content });

  it('are stored together, and answered each for itself', async () => {
    const urls = Array.from({ length: 40 }, (_, i) => `https://shop.example/${String(i).padStart(2, '0')}`);
    const answers = await Promise.all(urls.map((url) => push(url, `The page of ${url}`)));
    expect(answers.map(({ status, body }) => [status, body.action, body.status])).to.deep.equal(
      urls.map(() => [202, 'created', 'PENDING_VECTORIZATION']),
    );
    expect(await stored()).to.deep.equal(
      urls.map((url, i) => ({ url, page_id: answers[i]?.body.page_id, content: `The page of ${url}` })),
    );
    // now() is one moment for all of a transaction.
    expect(await number('count(distinct created_at)')).to.be.at.most(20);
    await project.indexed();
  });

  it('are done one after the other where they are of one page, and none is lost', async () => {
    const contents = Array.from({ length: 12 }, (_, i) => `Version ${i}`);
    const answers = await Promise.all(contents.map((content) => push('https://shop.example/same', content)));
    expect(answers.map(({ status }) => status)).to.deep.equal(contents.map(() => 202));
    expect(answers.filter(({ body }) => body.action === 'created')).to.have.length(1);
    expect(new Set(answers.map(({ body }) => body.page_id)).size).to.equal(1);
    expect(await number('max(content_version)')).to.equal(contents.length);
    await project.indexed();
  });

  it("fail alone where the database refuses one's data", async () => {
    const { deps } = sharedService().service;
    const check = createPageCheck(deps.limits);
    const upserts = createJoinedUpserts(deps);
    const tenant = deps.tenants.of(project.row.project_id);
    const pages = Array.from({ length: 9 }, (_, i) =>
      check({ url: `https://shop.example/${i}`, content: `Page ${i}` }),
    );
    const outcomes = await Promise.all(
      pages.map((page, i) =>
        i === 5
          ? rejection(upserts.upsert(tenant, { ...page, content: 'a NUL: \0' }), Error)
          : upserts.upsert(tenant, page),
      ),
    );
    // untranslatable_character
    expect(sqlState(outcomes[5])).to.equal('22P05');
    expect((await stored()).map(({ url }) => url)).to.deep.equal(
      pages.map(({ url }) => url.href).filter((_, i) => i !== 5),
    );
    await project.indexed();
  });

  it('are not answered as done where the change is not seen everywhere', async () => {
    const { deps } = sharedService().service;
    const page = createPageCheck(deps.limits)({ url: 'https://shop.example/seen', content: 'Seen' });
    await deps.upserts.upsert(deps.tenants.of(project.row.project_id), page);
    await project.indexed();
    const committedAndSeen = () => Promise.reject(new Error('nobody knows'));
    const upserts = createJoinedUpserts({ ...deps, indexChanges: { ...deps.indexChanges, committedAndSeen } });
    const failed = await rejection(
      upserts.upsert(deps.tenants.of(project.row.project_id), { ...page, title: 'Another' }),
      Error,
    );
    expect(failed.message).to.equal('nobody knows');
  });

  it('leave nothing behind: who comes later is served as the first was', async () => {
    for (const content of ['first', 'second']) {
      expect((await push('https://shop.example/later', content)).status).to.equal(202);
      await project.indexed();
    }
    expect((await stored()).map(({ content }) => content)).to.deep.equal(['second']);
  });
});
