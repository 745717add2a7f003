import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { beforeContent } from '../support/gated-embedder.js';
import { send, startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { buildTinyModel, type TinyModel } from '../support/tiny-model.js';
import { until } from '../support/until.js';

const WORDS = ['kettle', 'teapot', 'grinder', 'filter', 'saucer'];
const contentOf = (word: string): string => `Everything about the ${word}: how to choose it, use it and clean it.`;

describe('a new model that cannot embed', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let tiny: TinyModel;
  let project: TestProject;
  let running: TestService | undefined;
  let old: number;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
    tiny = await buildTinyModel({ words: WORDS });
    running = await startTestService({}, { database });
    project = await running.newProject();
    for (const word of WORDS) await project.upsert({ url: `https://tea.example/${word}`, content: contentOf(word) });
    await project.indexed();
    old = (await running.service.models.named('static')).modelId;
  });

  afterEach(async () => {
    await running?.service.stop();
    running = undefined;
    await database.drop();
    await rm(tiny.folder, { recursive: true, force: true });
  });

  /** The service anew, with a model that throws for contents about these. */
  async function restart(model: string, throwsFor: readonly string[]): Promise<TestService> {
    await running?.service.stop();
    return (running = await startTestService(
      { EMBEDDING_MODEL: model },
      {
        database,
        log: new PassThrough().resume(),
        wrapEmbedder: beforeContent((content) => {
          if (throwsFor.some((word) => content === contentOf(word))) throw new Error('this text breaks the model');
        }),
      },
    ));
  }

  const modelOf = async (service: TestService): Promise<number | undefined> =>
    (
      await query<{ model_id: number }>(
        service.service,
        'select model_id from pathmend.projects where project_id = $1',
        [project.row.project_id],
      )
    )[0]?.model_id;

  const pages = (service: TestService): Promise<{ url: string; status: string; error: string | null }[]> =>
    query(service.service, 'select url, status, error from pathmend.pages where project_id = $1 order by url', [
      project.row.project_id,
    ]);

  it('one page answers for all others; that one ends in ERROR with its reason, is found by its path, and comes back with a model that can', async () => {
    const service = await restart(tiny.folder, ['teapot']);
    await until('the project answers with the new model', async () => (await modelOf(service)) !== old, 120_000);
    for (const { url, status, error } of await pages(service)) {
      if (url.endsWith('/teapot'))
        expect({ status, error }).to.deep.equal({ status: 'ERROR', error: 'Error: this text breaks the model' });
      else expect({ status, error }, url).to.deep.equal({ status: 'INDEXED', error: null });
    }
    const answer = await send(
      service.service.url,
      'POST',
      '/v1/suggest',
      { path: '/teapots' },
      { Authorization: `Bearer ${project.key}` },
    );
    expect(answer.status).to.equal(200);
    expect((answer.body.suggestions as { url: string }[]).map(({ url }) => url)).to.include('/teapot');

    const again = await restart('static', []);
    await until('the project answers with the first model again', async () => (await modelOf(again)) === old, 120_000);
    expect((await pages(again)).map(({ status }) => status)).to.deep.equal(WORDS.map(() => 'INDEXED'));
  });

  it('most of the pages does not take over: the old one goes on answering', async () => {
    const service = await restart(tiny.folder, WORDS.slice(0, 3));
    await until(
      'the change was tried until it blames the model, and waits for another try',
      async () => {
        const jobs = await query<{ output: { message?: string } | null }>(
          service.service,
          `select output from pgboss.job where name = 'change-model' and state = 'retry'`,
        );
        return jobs.some(({ output }) => output?.message?.includes('the old model goes on answering') === true);
      },
      200_000,
    );
    expect(await modelOf(service)).to.equal(old);
    expect((await pages(service)).map(({ status }) => status)).to.deep.equal(WORDS.map(() => 'INDEXED'));
  });
});
