import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { expectError } from '../../support/expect-error.js';
import { startTestService, type Answer, type TestService } from '../../support/service.js';
import { wrapEmbedder } from '../../support/wrap-embedder.js';

const SECRET = 'select content from pages of tenant 7';

describe('a fault of our own', () => {
  let testService: TestService;
  let logged = '';

  before(async function () {
    this.timeout(120_000);
    const log = new PassThrough();
    log.on('data', (chunk: Buffer) => (logged += chunk.toString()));
    testService = await startTestService(
      {},
      {
        log,
        wrapEmbedder: (real) => wrapEmbedder(real, { embedQuery: () => Promise.reject(new Error(SECRET)) }),
      },
    );
  });

  after(() => testService.stop());

  function expectMasked(answer: Answer): void {
    expectError(answer, 500);
    expect(answer.body.error.details).to.deep.equal({ request_id: answer.headers.get('x-request-id') });
    expect(answer.text).not.to.match(/select|tenant|pathmend\.|\.js|\.ts|node_modules| at /i);
  }

  it('is a 500 without its text or stack, and its request_id finds both in the log', async () => {
    const project = await testService.newProject();
    // A project without pages has no model to ask.
    await project.upsert({ url: 'https://shop.example/help', content: 'Parcels take three days.' });
    await project.indexed();
    const answer = await project.post('/v1/semantic-search', { query: 'x' });
    expectMasked(answer);
    const line = logged.split('\n').find((logLine) => logLine.includes(answer.body.error.details.request_id as string));
    expect(line)
      .to.include(SECRET)
      .and.match(/errors-masked\.test/);
  });

  it('of the database is masked in the same way', async () => {
    const project = await testService.newProject();
    const { db } = testService.service;
    await sql`create function pathmend.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused by %', current_query(); end $$`.execute(db);
    await sql`create trigger refuse before insert on pathmend.pages
      for each row execute function pathmend.refuse()`.execute(db);
    try {
      expectMasked(await project.post('/v1/pages/upsert', { url: 'https://shop.example/', content: 'x' }));
    } finally {
      await sql`drop function pathmend.refuse() cascade`.execute(db);
    }
    expect((await project.post('/v1/pages/upsert', { url: 'https://shop.example/', content: 'x' })).status).to.equal(
      202,
    );
  });
});
