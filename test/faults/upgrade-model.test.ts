import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliJson, startServer } from '../support/processes.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { beforeContent, Gate } from '../support/gated-embedder.js';
import type { ModelState } from '#src/pages/indexing/model-state.js';
import { send, startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

/** More than the change of a model stores in one transaction. */
const THINGS = (
  'anchor apron arrow axle banjo barrel basket bellows blanket bottle bucket candle canoe carpet chisel clarinet clock ' +
  'compass cradle curtain drum easel feather fiddle'
).split(' ');
const PAGES_OF_A_TRANSACTION = 20;

describe('an installation whose pages were indexed with pathmend-static-v2', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let project: TestProject;
  let running: TestService | undefined;
  let folder: string;

  async function restart(
    model: string,
    options: Parameters<typeof startTestService>[1] = {},
  ): Promise<TestService['service']> {
    await running?.service.stop();
    running = undefined;
    running = await startTestService({ EMBEDDING_MODEL: model }, { database, ...options });
    return running.service;
  }

  const service = (): TestService['service'] => (running ?? expect.fail('no service runs')).service;
  const id = (): string => project.row.project_id;

  async function modelName(): Promise<string | undefined> {
    const rows = await query<{ name: string }>(
      service(),
      'select m.name from pathmend.models m join pathmend.projects p using (model_id) where project_id = $1',
      [id()],
    );
    return rows[0]?.name;
  }

  const changed = (): Promise<void> =>
    until('the project has changed', async () => (await modelName()) === 'pathmend-english-v1', 90_000);

  /** Pages by the names of the models that have vectors of them. */
  async function pagesByModel(): Promise<Record<string, number>> {
    const rows = await query<{ name: string; n: number }>(
      service(),
      `select name, count(distinct page_id)::int as n from pathmend.chunks join pathmend.models using (model_id)
        where project_id = $1 group by 1`,
      [id()],
    );
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  }

  /** The answer to a question that no cache has. */
  async function search(): Promise<{ url: string; score: number }[]> {
    const { body, text, status } = await send(
      service().url,
      'POST',
      '/v1/semantic-search',
      { query: 'strings to play', limit: 20, options: { searchThreshold: 0, excludeUrls: [`/${Math.random()}`] } },
      { Authorization: `Bearer ${project.key}` },
    );
    expect(status, text).to.equal(200);
    return body.suggestions as { url: string; score: number }[];
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-upgrade-model-'));
    database = await createTestDatabase({ migrated: true });
    await restart('static');
    project = await (running ?? expect.fail()).newProject();
    for (const thing of THINGS)
      await project.upsert({ url: `https://x.example/${thing}`, content: `All about the ${thing}, and its care.` });
    await project.indexed();
  });

  afterEach(async () => {
    await running?.service.stop();
    running = undefined;
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts this release, which waits before the last of the pages; their vectors of the new model are stored. */
  async function upgradeHalfway(): Promise<Gate> {
    const gate = new Gate();
    gate.close();
    let embedded = 0;
    await restart('auto', {
      wrapEmbedder: beforeContent((content) =>
        content.startsWith('All about') && ++embedded > PAGES_OF_A_TRANSACTION ? gate.pass() : undefined,
      ),
    });
    await until('some pages have new vectors', () => gate.arrived > 0, 60_000);
    return gate;
  }

  it('is answered by it until the model of its language has vectors of all pages, and by that from then on', async () => {
    const before = await search();
    expect(before).to.have.length.above(5);
    const gate = await upgradeHalfway();
    expect(await modelName()).to.equal('pathmend-static-v2');
    expect(await pagesByModel()).to.deep.equal({
      'pathmend-static-v2': THINGS.length,
      'pathmend-english-v1': PAGES_OF_A_TRANSACTION,
    });
    expect(await search(), 'with half of the new vectors').to.deep.equal(before);
    gate.open();
    await changed();
    expect(await pagesByModel()).to.deep.equal({ 'pathmend-english-v1': THINGS.length });
    const after = await search();
    expect(after.map(({ score }) => score)).not.to.deep.equal(before.map(({ score }) => score));
  });

  it('loses no page that a worker of that release stores meanwhile', async () => {
    const gate = await upgradeHalfway();
    const rows = await query<{ page_id: string; arrival: string }>(
      service(),
      `select v.page_id, max(v.arrival) as arrival from pathmend.chunks v join pathmend.models m using (model_id)
        where project_id = $1 and m.name = 'pathmend-english-v1' group by 1 order by 1 limit 2`,
      [id()],
    );
    const [fresh, rewritten] = rows.map(({ page_id }) => page_id);
    // Such a worker knows nothing of the other model's vectors: a new page has none, one with new content old ones.
    await query(
      service(),
      `delete from pathmend.chunks v using pathmend.models m
        where m.model_id = v.model_id and m.name = 'pathmend-english-v1' and project_id = $1 and page_id = $2`,
      [id(), fresh],
    );
    await query(
      service(),
      `update pathmend.chunks v set arrival = nextval('pathmend.arrivals') from pathmend.models m
        where m.model_id = v.model_id and m.name = 'pathmend-static-v2' and project_id = $1 and page_id = $2`,
      [id(), rewritten],
    );
    gate.open();
    await changed();
    expect(await pagesByModel()).to.deep.equal({ 'pathmend-english-v1': THINGS.length });
    const [again] = await query<{ arrival: string }>(
      service(),
      'select max(arrival) as arrival from pathmend.chunks where project_id = $1 and page_id = $2',
      [id(), rewritten],
    );
    expect(Number(again?.arrival)).to.be.above(Number(rows[1]?.arrival));
  });

  it('is killed with -9 in the midst of it, and goes on where it was', async () => {
    const { environment } = database;
    for (let n = 0; n < 150; n += 1)
      await project.upsert({ url: `https://x.example/n/${n}`, content: `Number ${n} of what the house has to mend.` });
    await project.indexed();
    await service().stop();
    running = undefined;
    const auto = { ...environment, EMBEDDING_MODEL: 'auto' };
    const show = async () =>
      ((await cliJson(['project', 'show', '--project', id()], environment)) as { model: ModelState }).model;
    const first = await startServer(auto);
    let done = 0;
    await until(
      'some pages have new vectors',
      async () => (done = (await show()).change?.pages_done ?? 0) >= PAGES_OF_A_TRANSACTION,
      60_000,
    );
    await first.end('SIGKILL');
    const second = await startServer(auto);
    const state = await show();
    expect(state.answers === 'pathmend-english-v1' || (state.change?.pages_done ?? 0) >= done).to.equal(true);
    await until('the project has changed', async () => (await show()).change === null, 90_000);
    expect(await show()).to.include({ wanted: 'english', answers: 'pathmend-english-v1' });
    await second.end('SIGTERM');
    await restart('auto');
    expect(await pagesByModel()).to.deep.equal({ 'pathmend-english-v1': THINGS.length + 150 });
  });
});
