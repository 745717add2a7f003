import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { newProject, startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { buildTinyModel, type TinyModel } from '../../support/tiny-model.js';
import { until } from '../../support/until.js';

const PROJECTS = 6;

describe('two services with different models on one database', function () {
  this.timeout(240_000);
  let database: TestDatabase;
  let tiny: TinyModel;
  const running: TestService[] = [];

  before(async function () {
    // The embedded database serves one process.
    if (!onServer()) this.skip();
    database = await createTestDatabase({ migrated: true });
    tiny = await buildTinyModel({ words: ['kettle', 'teapot'] });
  });

  after(async () => {
    if (!onServer()) return;
    for (const testService of running) await testService.service.stop();
    await database.drop();
    await rm(tiny.folder, { recursive: true, force: true });
  });

  async function start(model: string): Promise<TestService> {
    const service = await startTestService({ EMBEDDING_MODEL: model }, { database });
    running.push(service);
    return service;
  }

  /** The number of projects that answer with each model, by the id of the model. */
  const projectsOf = async (of: TestService): Promise<Record<number, number>> =>
    Object.fromEntries(
      (
        await query<{ model_id: number; n: number }>(
          of.service,
          'select model_id, count(*)::int as n from pathmend.projects group by 1',
        )
      ).map(({ model_id, n }) => [model_id, n]),
    );

  const splitChunks = async (of: TestService, project: TestProject): Promise<Record<number, number>> =>
    Object.fromEntries(
      (
        await query<{ model_id: number; n: number }>(
          of.service,
          'select model_id, count(*)::int as n from pathmend.chunks where project_id = $1 group by 1',
          [project.row.project_id],
        )
      ).map(({ model_id, n }) => [model_id, n]),
    );

  it('every project changes to the model that was started last, whichever worker takes the job; what an old one stores later, too', async () => {
    const old = await start('static');
    const projects = await Promise.all(Array.from({ length: PROJECTS }, () => newProject(old.service)));
    for (const project of projects) {
      await project.upsert({ url: 'https://tea.example/kettle', content: 'Everything about the kettle.' });
      await project.indexed();
    }
    const before = (await old.service.models.named('static')).modelId;
    const first = projects[0];
    if (!first) throw new Error('no project');
    const stored = await splitChunks(old, first);
    expect(await projectsOf(old)).to.deep.equal({ [before]: PROJECTS });

    const young = await start(tiny.folder);
    const now = (await young.service.models.named(tiny.folder)).modelId;
    await until('every project has changed', async () => (await projectsOf(old))[now] === PROJECTS, 150_000);

    // A worker with the old model writes a page, as if the new one were not on its machine.
    await query(old.service, 'update pathmend.chunks set model_id = $2 where project_id = $1', [
      first.row.project_id,
      before,
    ]);
    await runMaintenance({ ...old.service.deps, db: old.service.db, eventRetentionDays: 400, embedded: false });
    await until(
      'its page has vectors of the new model alone',
      async () => JSON.stringify(await splitChunks(old, first)) === JSON.stringify({ [now]: stored[before] }),
      60_000,
    );
    expect((await projectsOf(old))[now]).to.equal(PROJECTS);
  });
});
