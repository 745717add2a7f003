import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { ApiError } from '#src/base/errors.js';
import { deleteWholeProject } from '#src/operations/delete-project.js';
import { readSource, setSource, type SourceChoice } from '#src/sync/project-source.js';
import { queueDueSyncs } from '#src/sync/request-sync.js';
import { runInProcess } from '../../support/commands.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { PERSON, startChangingSite, SyncedProject, type ChangingSite } from '../../support/synced-site.js';
import { until } from '../../support/until.js';
import { look, OWN_NETWORK, watch } from '../../support/watch.js';
import { rejection } from '../embedding/rejection.js';

const FOUND = { created: 0, updated_content: 0, updated_metadata: 0, unchanged: 0, gone: 0, refused: 0, redirects: 0 };

describe('the source of a project', function () {
  this.timeout(180_000);
  let test: TestService;
  let site: ChangingSite;
  let project: TestProject;
  let synced: SyncedProject;

  before(async () => {
    test = await startTestService(OWN_NETWORK);
    site = await startChangingSite();
  });
  after(async () => {
    await site.web.close();
    await test.stop();
  });
  beforeEach(async () => {
    project = await test.newProject();
    synced = new SyncedProject(test, site, project);
    Object.assign(site, { paths: ['/', '/a', '/b'], deadLinks: [], hasSitemap: true, atPage: () => undefined });
    site.web.requests.length = 0;
  });

  /** Holds the answer of one page back; returns what lets it go. */
  const hold = (held: string): (() => void) => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((done) => (release = done));
    site.atPage = (path) => (path === held ? until : undefined);
    return release;
  };
  const waitForRequest = (wanted: string): Promise<void> =>
    until(`${wanted} is asked for`, () => site.web.requests.some(({ path }) => path === wanted));

  it('is synced by the worker when somebody asks, and the report is kept', async () => {
    await synced.set();
    const run = await synced.sync();
    expect(run).to.include({ state: 'done', outcome: 'done', asked_by: 'p@example.com', tries: 1, problem: null });
    expect(run.report).to.deep.equal({ ...FOUND, created: 3 });
    expect(await synced.urls()).to.deep.equal(['/', '/a', '/b']);
  });

  it('deletes what is gone, but not more than a fifth, of which it tells', async () => {
    await watch(test.service, project, { alerts: ['refused_prune'] });
    site.paths = Array.from({ length: 10 }, (_, n) => `/p${n}`);
    await synced.set({ prune: true });
    await synced.sync();
    site.paths = site.paths.slice(1);
    expect((await synced.sync()).report).to.include({ gone: 1, unchanged: 9 });
    expect(await synced.urls()).to.have.length(9);
    site.paths = site.paths.slice(3);
    const run = await synced.sync();
    expect(run.outcome).to.equal('incomplete');
    expect(run.problem).to.include('more than a fifth');
    expect(await synced.urls()).to.have.length(9);
    await until('the alert is there', async () => (await alerts()).length === 1);
    expect((await alerts())[0]).to.include({ kind: 'refused_prune', ended: false });
  });

  const alerts = () =>
    synced.rows<{ kind: string; ended: boolean; cause: unknown }>(
      'select kind, cause, ended_at is not null as ended from pathmend.alerts where project_id = $1 order by began_at',
    );

  it('alerts when a sync fails, until one goes through', async () => {
    await watch(test.service, project, { alerts: ['sync_failed'] });
    await synced.set();
    const was = site.paths;
    site.paths = [];
    const run = await synced.sync();
    expect(run).to.include({ state: 'failed' });
    expect(run.problem).to.include('gave no page');
    await look(test.service, project);
    expect(await alerts()).to.deep.equal([
      { kind: 'sync_failed', ended: false, cause: { source: `${site.web.origin}/`, reason: run.problem } },
    ]);
    site.paths = was;
    await synced.sync();
    await look(test.service, project);
    expect((await alerts()).map(({ ended: isOver }) => isOver)).to.deep.equal([true]);
  });

  it('follows the links of a site without a sitemap, names the broken ones, and stays with how it was read', async () => {
    Object.assign(site, { hasSitemap: false, deadLinks: ['/dead'] });
    await synced.set();
    expect((await synced.sync()).report['created']).to.equal(3);
    expect((await readSource(synced.deps.db, synced.id))?.follows_links).to.equal(true);
    const { body } = await project.call('GET', '/v1/links?broken=true');
    expect(body.links).to.have.length(1);
    expect(body.links[0]).to.deep.include({
      url: `${site.web.origin}/dead`,
      pages: [`${site.web.origin}/`],
      status: 404,
    });
    site.hasSitemap = true;
    await synced.set({ source: `${site.web.origin}/a` });
    await synced.sync();
    expect((await readSource(synced.deps.db, synced.id))?.follows_links).to.equal(false);
    site.hasSitemap = false;
    expect((await synced.sync()).problem).to.include('No sitemap could be read');
  });

  for (const hasSitemap of [true, false])
    it(`is not asked for paths that its owner leaves out, ${hasSitemap ? 'by its sitemap' : 'by its links'}; a preview proposes them`, async () => {
      site.paths = ['/', '/a', '/tags/1', '/tags/2', '/tags/3', '/b'];
      site.hasSitemap = hasSitemap;
      await synced.set();
      const { seen } = await synced.sync(true);
      expect(seen?.exclusions).to.deep.equal([{ pattern: '/tags/*', count: 3 }]);
      site.web.requests.length = 0;
      await synced.set({ filter: { include: [], exclude: ['/tags/*', '/b'] } });
      expect((await synced.sync()).left_out).to.deep.equal({
        'left out by the pattern /tags/*': 3,
        'left out by the pattern /b': 1,
      });
      expect(await synced.urls()).to.deep.equal(['/', '/a']);
      expect(site.web.requests.map(({ path }) => path).filter((path) => /tags|b$/.test(path))).to.deep.equal([]);
      // A new time keeps them, another site does not; a crawl reads pages for their links alone.
      expect((await synced.set({ every_seconds: 3_600 }))?.exclude).to.deep.equal(['/tags/*', '/b']);
      await synced.set({ prune: true, filter: { include: ['/b'], exclude: [] } });
      await synced.sync();
      expect(await synced.urls())
        .to.include('/b')
        .and.not.include('/tags/1');
      expect((await synced.set({ source: `${site.web.origin}/a` }))?.include).to.deep.equal([]);
    });

  it('is synced at its time, and once when it was due several times', async () => {
    await synced.set({ every_seconds: 3_600 });
    await queueDueSyncs(synced.deps);
    await queueDueSyncs(synced.deps);
    const runs = () => synced.rows<{ run_id: string }>('select run_id from pathmend.sync_runs where project_id = $1');
    const [first] = await runs();
    expect(await synced.ended(first?.run_id ?? '')).to.include({ outcome: 'done', asked_by: 'schedule' });
    await queueDueSyncs(synced.deps);
    expect(await runs()).to.have.length(1);
    const next = (await readSource(synced.deps.db, synced.id))?.next_at?.getTime() ?? 0;
    expect(next - Date.now()).to.be.within(3_500_000, 3_600_000);
    await queueDueSyncs({ ...synced.deps, clock: { now: () => next + 5 * 3_600_000 } });
    const all = await runs();
    expect(all).to.have.length(2);
    // It would read the site of the next test.
    for (const { run_id } of all) await synced.ended(run_id);
  });

  it('says how far a sync is while it runs, and ends it when the source is removed', async () => {
    site.paths = Array.from({ length: 8 }, (_, n) => `/p${n}`);
    const release = hold('/p7');
    await synced.set();
    const runId = await synced.ask();
    expect(await synced.ask(), 'one at a time').to.equal(runId);
    await waitForRequest('/p7');
    expect((await synced.run(runId)).state).to.equal('running');
    await setSource(synced.deps, synced.id, null, PERSON);
    expect(await synced.run(runId)).to.include({ state: 'failed', problem: 'The source was removed.' });
    await until('the worker is done with it', async () => (await synced.jobs()) === 0);
    release();
    expect(await synced.urls(), 'nothing was stored after the end').to.deep.equal([]);
  });

  it('is never synced twice at once, not beside the command line either', async () => {
    const release = hold('/b');
    await synced.set();
    const runId = await synced.ask();
    await until('the sync runs', async () => (await synced.run(runId)).state === 'running');
    let isDone = false;
    const command = runInProcess(
      ['pages', 'sync', '--project', project.row.name, '-', '--json'],
      test.database.environment,
      `${JSON.stringify({ url: `${site.web.origin}/c`, content: 'C, from the command line.' })}\n`,
    ).finally(() => (isDone = true));
    await waitForRequest('/b');
    expect(isDone).to.equal(false);
    release();
    await synced.ended(runId);
    const { stdout, stderr } = await command;
    expect(JSON.parse(stdout)).to.include({ created: 1 });
    expect(stderr).to.include('Another sync of this project runs');
    expect(await synced.urls()).to.deep.equal(['/', '/a', '/b', '/c']);
  });

  it('is synced again once where the worker was killed, and not forever', async () => {
    await synced.set();
    const runId = await synced.ask();
    await synced.ended(runId);
    const killed = "ended_at = null, outcome = null, heard_at = now() - interval '2 minutes'";
    await synced.rows(`update pathmend.sync_runs set ${killed}, tries = 1 where project_id = $1`);
    await queueDueSyncs(synced.deps);
    expect(await synced.ended(runId)).to.include({ outcome: 'done', tries: 2 });
    await synced.rows(`update pathmend.sync_runs set ${killed} where project_id = $1`);
    await queueDueSyncs(synced.deps);
    expect(await synced.run(runId)).to.include({ state: 'failed', problem: 'It was cut off.', tries: 2 });
  });

  it('waits while another run has the turn, and is taken up afterwards', async () => {
    await synced.set();
    await synced.rows(
      `insert into pathmend.sync_runs (project_id, source, prune, dry_run, began_at, asked_by, heard_at)
       values ($1, 'x', false, false, now(), 'command line', now())`,
    );
    const runId = await synced.ask();
    await until('the worker has looked at it', async () => (await synced.jobs()) === 0);
    expect((await synced.run(runId)).state).to.equal('waiting');
    await synced.rows(`delete from pathmend.sync_runs where project_id = $1 and source = 'x'`);
    await queueDueSyncs(synced.deps);
    expect((await synced.ended(runId)).outcome).to.equal('done');
  });

  it('shows in a preview what it would bring, and stores nothing of it', async () => {
    site.paths = ['/', ...Array.from({ length: 6 }, (_, n) => `/p${n}`)];
    await synced.set();
    site.atPage = (path) => {
      if (path === '/p5') site.paths = site.paths.filter((sitePath) => sitePath !== '/p6');
      return undefined;
    };
    const run = await synced.sync(true);
    expect(run).to.include({ state: 'done', preview: true });
    expect(run.seen).to.deep.include({ pages: 7, redirects: 0, cut_off: null });
    expect(run.seen?.first).to.have.length(5);
    expect(run.seen?.first[0]?.title).to.equal('Page /');
    expect(run.seen?.first[0]?.text).to.include('What Page / says');
    expect(await synced.urls()).to.deep.equal([]);
  });

  it('names in a preview what is left out, with examples', async () => {
    await synced.set();
    site.atPage = (path) => {
      if (path === '/') site.paths = ['/', '/a'];
      return undefined;
    };
    const { seen } = await synced.sync(true);
    expect(seen?.left_out).to.deep.equal([
      { reason: 'the server answers 404', count: 1, first: [`${site.web.origin}/b`] },
    ]);
  });

  it('is never a path for a person, nor a time that is too short', async () => {
    const refused = async (choice: Partial<SourceChoice>): Promise<string> =>
      (await rejection(synced.set(choice), ApiError)).message;
    expect(await refused({ kind: 'path', source: '/etc' })).to.include('Give the url of a site');
    expect(await refused({ source: '/etc' })).to.include('not the url of a site');
    expect(await refused({ source: 'file:///etc/passwd' })).to.include('not the url of a site');
    expect(await refused({ source: 'https://user:secret@a.example/' })).to.include('not the url of a site');
    expect(await refused({ every_seconds: 60 })).to.include('every 15 minutes at most');
    expect(await refused({ kind: 'upload' })).to.equal('No file was uploaded yet.');
  });

  it('goes with its project, while it is synced too', async () => {
    const release = hold('/');
    await synced.set();
    await synced.ask();
    await waitForRequest('/');
    await deleteWholeProject(test.service.db, onCommandLine(), project.row);
    await until('the worker is done with it', async () => (await synced.jobs()) === 0);
    release();
    expect(await synced.rows('select from pathmend.project_sources where project_id = $1')).to.deep.equal([]);
  });
});

describe('the url of a source that a person named', function () {
  this.timeout(120_000);

  it('is asked at no private address, where the operator allows none', async () => {
    const test = await startTestService();
    const site = await startChangingSite();
    site.paths = ['/'];
    try {
      const synced = new SyncedProject(test, site, await test.newProject());
      await synced.set();
      const refused = await synced.sync(true);
      expect(refused.state).to.equal('failed');
      expect(refused.problem).to.include(
        'leads to 127.0.0.1, an address that is not public, which SITE_NETWORKS does not allow',
      );
      expect(site.web.requests).to.deep.equal([]);
      await synced.set({}, onCommandLine());
      expect((await synced.sync(true)).seen).to.include({ pages: 1 });
    } finally {
      await site.web.close();
      await test.stop();
    }
  });
});
