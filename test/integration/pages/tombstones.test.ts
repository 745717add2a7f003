import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { storeTombstone } from '#src/pages/store/tombstones.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';

const SITE = 'https://shop.example';
const DAY = 86_400_000;
// Tombstones carry the database's time.
const START = Date.now();
const CONTENT = 'How to descale the machine: fill the tank with vinegar and water, and let it run twice.';

describe('a deleted page', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let now = START;

  before(async () => {
    test = await startTestService({ TOMBSTONE_DAYS: '30' }, { clock: { now: () => now } });
  });
  after(() => test.stop());

  beforeEach(async () => {
    now = START;
    project = await test.newProject();
    await project.upsert({ url: `${SITE}/about/team`, content: 'Who works here, and since when.' });
    await push('/shop/beans', 'Beans from three countries, roasted on Mondays.');
  });

  async function push(path: string, content = CONTENT): Promise<void> {
    await project.upsert({ url: SITE + path, content });
    await project.indexed();
  }

  const remove = (path: string): Promise<Answer> => project.call('DELETE', '/v1/pages/delete', { url: SITE + path });

  async function best(path: string): Promise<{ url: string; score: number } | undefined> {
    const { body } = await project.post('/v1/suggest', { path });
    return (body.suggestions as { url: string; score: number }[])[0];
  }

  async function expectMoved(from: string, to: string): Promise<void> {
    const suggestion = await best(from);
    expect(suggestion?.url).to.equal(to);
    expect(suggestion?.score).to.be.at.least(0.95);
    const { headers, status } = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(SITE + from)}`);
    expect([status, headers.get('Location')]).to.deep.equal([302, SITE + to]);
  }

  it('is found where its content appears later', async () => {
    await push('/k40/care-7');
    await remove('/k40/care-7');
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.9);
    await push('/support/limescale');
    await expectMoved('/k40/care-7', '/support/limescale');
  });

  it('is found where its content was pushed before it was deleted', async () => {
    await push('/k40/care-7');
    await push('/support/limescale');
    await remove('/k40/care-7');
    await expectMoved('/k40/care-7', '/support/limescale');
  });

  it('takes the redirects that led to it along', async () => {
    await push('/k40/care-7');
    const { stderr, code } = await importRedirect('/q1 /k40/care-7');
    expect(code, stderr).to.equal(0);
    await remove('/k40/care-7');
    await push('/support/limescale');
    await expectMoved('/q1', '/support/limescale');
  });

  it('is found where its content appears with a sentence changed, and not where a page is about the same', async () => {
    const guide = (sentence: string): string =>
      `${CONTENT} Rinse the tank twice, and wipe the outlet with a soft cloth. ${sentence} Do this every month, or every two hundred cups.`;
    await push('/k40/care-7', guide('Put the grid back when it is dry.'));
    await remove('/k40/care-7');
    await push(
      '/news/tea',
      'How to descale a kettle: fill it with vinegar and water, and boil it once. Rinse it well.',
    );
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.9);
    await push('/support/limescale', guide('Let the grid dry before you put it back.'));
    await expectMoved('/k40/care-7', '/support/limescale');
  });

  it('is found where its content appears that something else had replaced', async () => {
    const long = `${CONTENT} Rinse the tank twice with clear water, wipe the outlet with a soft cloth, and put the grid back when it is dry. Do this every month.`;
    await push('/k40/care-7', long);
    await push('/k40/care-7', 'This page has moved.');
    await push('/support/limescale', long);
    expect((await best('/k40/care-7'))?.url, 'a page as long as it is there').to.equal('/k40/care-7');
    await remove('/k40/care-7');
    await expectMoved('/k40/care-7', '/support/limescale');
  });

  it('is not taken for a page that says what it said before it was written', async () => {
    await push('/k40/care-7', 'Coming soon.');
    await push('/k40/care-7');
    await push('/news/tea', 'Coming soon.');
    await remove('/k40/care-7');
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.9);
  });

  it('is no move while two pages have its content', async () => {
    await push('/k40/care-7');
    await push('/support/limescale');
    await push('/news/limescale');
    await remove('/k40/care-7');
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.95);
  });

  it('is a page again when it is pushed again', async () => {
    await push('/k40/care-7');
    await remove('/k40/care-7');
    await push('/support/limescale');
    await push('/k40/care-7', 'Something else altogether: a list of spare parts.');
    expect((await best('/k40/care-7'))?.url).to.equal('/k40/care-7');
    expect(await project.query('select from pathmend.tombstones where project_id = $1')).to.be.empty;
  });

  it('is forgotten on command, and by whoever deletes the project', async () => {
    await push('/k40/care-7');
    await remove('/k40/care-7');
    await push('/support/limescale');
    const args = ['pages', 'forget', '--project', project.row.name, '--url', `${SITE}/k40/care-7`];
    expect(await jsonInProcess(args, test.database.environment)).to.deep.equal({
      url: `${SITE}/k40/care-7`,
      forgotten: true,
    });
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.9);
    const again = await runInProcess(args, test.database.environment);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('Nothing is remembered');
  });

  it('is forgotten after TOMBSTONE_DAYS', async () => {
    await push('/k40/care-7');
    await remove('/k40/care-7');
    await push('/support/limescale');
    await expectMoved('/k40/care-7', '/support/limescale');
    now = Date.now() + 31 * DAY;
    await runMaintenance({ ...test.service.deps, db: test.service.db, eventRetentionDays: 400, embedded: false });
    expect((await best('/k40/care-7'))?.score ?? 0).to.be.below(0.9);
  });

  it('keeps its content only where the operator says so', async () => {
    await push('/k40/care-7');
    await remove('/k40/care-7');
    const kept = await project.query<{ content: string | null; words: boolean }>(
      'select content, terms is not null and beginning is not null as words from pathmend.tombstones where project_id = $1',
    );
    expect(kept).to.deep.equal([{ content: null, words: true }]);
    const projectId = project.row.project_id;
    const [page] = await query<{ page_id: string }>(
      test.service,
      'select page_id from pathmend.pages where project_id = $1 and url = $2',
      [projectId, `${SITE}/shop/beans`],
    );
    await inTransaction(test.service.db, (trx) =>
      storeTombstone(trx, projectId, String(page?.page_id), { days: 1, withContent: true }),
    );
    const [withContent] = await query<{ content: string }>(
      test.service,
      'select content from pathmend.tombstones where project_id = $1 and url = $2',
      [projectId, `${SITE}/shop/beans`],
    );
    expect(withContent?.content).to.match(/^Beans from three countries/);
  });

  async function importRedirect(line: string): Promise<{ code: number | null; stderr: string }> {
    const folder = await mkdtemp(`${tmpdir()}/pathmend-memory-`);
    await writeFile(`${folder}/redirects.txt`, `${line}\n`);
    const args = ['redirects', 'import', '--project', project.row.name, `${folder}/redirects.txt`];
    const done = await runInProcess(args, test.database.environment);
    await rm(folder, { recursive: true });
    return done;
  }
});
