import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import type { Trx } from '#src/platform/database/db.js';
import { bumpIndexVersion } from '#src/projects/index-version.js';
import { lockProject } from '#src/projects/turns.js';
import { claimPages } from '#src/pages/store/page-status.js';
import { registerModel, switchModel } from '#src/pages/store/models.js';
import { vectorizePage } from '#src/pages/indexing/vectorize-job.js';
import { preparePage, storePreparedPages } from '#src/pages/indexing/index-pages.js';
import { onServer } from '../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const URL = 'https://race.example/page';

/** The embedded database runs one transaction at a time: nothing of this can happen there. */
describe('transactions that meet on one page (server only)', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: TestProject;

  before(async function () {
    if (!onServer()) this.skip();
    // No workers: the test does their work, step by step.
    service = await startTestService({}, { role: 'api' });
  });

  // The service is undefined where all tests were skipped.
  after(() => (service as TestService | undefined)?.stop());

  beforeEach(async () => {
    project = await service.newProject();
  });

  const db = () => service.service.db;

  async function push(content: string): Promise<string> {
    return (await project.upsert({ url: URL, content })).body.page_id as string;
  }

  /** Takes and prepares the page as a worker does, up to the last step: storing it. */
  async function prepare(pageId: string) {
    const [page] = await inTransaction(db(), (trx) => claimPages(trx, [{ projectId: project.row.project_id, pageId }]));
    if (!page) throw new Error('the page was not claimed');
    const { models } = service.service;
    return preparePage(models, page, (await models.named('static')).modelId);
  }

  async function index(pageId: string): Promise<void> {
    await storePreparedPages(service.service.deps.tenants.of(project.row.project_id), [await prepare(pageId)]);
  }

  /** Begins a transaction, lets `other` start and wait for it (or end), does `rest`, then commits. */
  async function whileOpen<T>(
    work: (trx: Trx) => Promise<unknown>,
    other: () => Promise<T>,
    rest?: (trx: Trx) => Promise<unknown>,
  ): Promise<T> {
    let ended = false;
    let locked: () => void = () => undefined;
    const holdsLock = new Promise<void>((tell) => {
      locked = tell;
    });
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((tell) => {
      commit = tell;
    });
    const first = inTransaction(db(), async (trx) => {
      await work(trx);
      locked();
      await mayCommit;
      await rest?.(trx);
    });
    await holdsLock;
    const meeting = other().finally(() => {
      ended = true;
    });
    await until('the other waits for the lock, or is done', async () => ended || (await waitsForLock()));
    commit();
    await first;
    return meeting;
  }

  async function waitsForLock(): Promise<boolean> {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db());
    return rows.length > 0;
  }

  it('a worker that takes up an older job while new content commits takes the new content', async () => {
    const pageId = await push('The first content.');
    await index(pageId);
    // An upsert finds the page's job waiting and adds none; the worker fetches that very job before the upsert commits.
    const claimed = await whileOpen(
      (trx) =>
        sql`
        update pathmend.pages set content = 'The new content.', content_version = content_version + 1,
               status = 'PENDING_VECTORIZATION' where page_id = ${pageId}`.execute(trx),
      () => inTransaction(db(), (trx) => claimPages(trx, [{ projectId: project.row.project_id, pageId }])),
    );
    expect(claimed.map((page) => page.content)).to.deep.equal(['The new content.']);
  });

  it('two workers that index the same content of a page count its words once', async () => {
    const pageId = await push('Kettles whistle.');
    const [first, two] = [await prepare(pageId), await prepare(pageId)];
    const store = (prepared: typeof first) =>
      storePreparedPages(service.service.deps.tenants.of(project.row.project_id), [prepared]);
    // Both reach the page's lock while another holds it, so that both began before either stored a word.
    const both = await whileOpen(
      (trx) => sql`select from pathmend.pages where page_id = ${pageId} for update`.execute(trx),
      () => Promise.all([store(first), store(two)]),
    );
    expect(both).to.deep.equal([[pageId], [pageId]]);
    const { rows } = await sql<{ word: string; pages: number }>`
      select word, pages from pathmend.vocabulary where project_id = ${project.row.project_id} order by word`.execute(
      db(),
    );
    expect(rows).to.deep.equal([
      { word: 'kettles', pages: 1 },
      { word: 'page', pages: 1 },
      { word: 'whistle', pages: 1 },
    ]);
  });

  it('a page that was embedded for a model that has stopped answering leaves no vectors of it', async () => {
    const configured = await service.service.models.named('static');
    const { dimensions } = configured.model.manifest;
    const old = await registerModel(db(), { fingerprint: randomUUID(), name: 'old', location: 'old', dimensions });
    const projectId = project.row.project_id;
    // The first indexing of a project sets the model together with a version, as this does.
    await inTransaction(db(), async (trx) => {
      await sql`update pathmend.projects set model_id = ${old} where project_id = ${projectId}`.execute(trx);
      await bumpIndexVersion(trx, projectId);
    });
    const pageId = await push('Kettles whistle.');
    const prepared = await prepare(pageId);
    const both = {
      ...prepared,
      modelIds: [old, configured.modelId],
      passages: prepared.chunks.flatMap((passage) => [passage, { ...passage, modelId: old }]),
    };
    await whileOpen(
      (trx) => switchModel(trx, projectId, configured.modelId, []),
      () => storePreparedPages(service.service.deps.tenants.of(projectId), [both]),
    );
    const { rows } = await sql`select distinct model_id from pathmend.chunks where project_id = ${projectId}`.execute(
      db(),
    );
    expect(rows).to.deep.equal([{ model_id: configured.modelId }]);
  });

  it('whatever changes a page waits for the deletion of its project before it locks the page', async () => {
    const pageId = await push('Kettles whistle.');
    const projectId = project.row.project_id;
    const prepared = await prepare(pageId);
    const pages = [URL, `${URL}/new`].map((url) => ({ url, content: 'Kettles boil.' }));
    const changes: (() => Promise<unknown>)[] = [
      () => storePreparedPages(service.service.deps.tenants.of(projectId), [prepared]),
      () => project.post('/v1/pages/batch', { pages }),
      () => project.call('DELETE', '/v1/pages/delete', { url: URL }),
    ];
    for (const change of changes)
      await whileOpen(
        (trx) => lockProject(trx, projectId),
        change,
        (trx) => sql`select from pathmend.pages where page_id = ${pageId} for update nowait`.execute(trx),
      );
  });

  it("an upsert that finds the page's job waiting leaves it one", async () => {
    const pageId = await push('One.');
    await push('Two.');
    await push('Three.');
    const { rows } = await sql`
      select name, state from pgboss.job where singleton_key = ${pageId}`.execute(db());
    expect(rows).to.deep.equal([{ name: vectorizePage.name, state: 'created' }]);
  });
});
