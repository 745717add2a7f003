import { expect } from 'chai';
import { jsonInProcess } from '../../../support/commands.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const RETURNS = 'https://shop.example/help/returns/return-an-item';
/** A slip of the finger: nearly certain, and a guess. */
const SLIP = '/help/returns/retrun-an-item';

describe('a project in trial', function () {
  this.timeout(120_000);
  let service: TestService;
  let project: TestProject;

  before(async () => {
    service = await startTestService();
    project = await service.newProject();
    await project.upsert({ url: RETURNS, content: 'Print the return label and hand the parcel in.' });
    await project.indexed();
    await cli('redirects', 'add', '--from', '/known', '--to', RETURNS);
  });
  after(() => service.stop());

  const cli = (command: string, action: string, ...args: string[]) =>
    jsonInProcess([command, action, '--project', project.row.project_id, ...args], service.database.environment);
  const trial = (how: 'on' | 'off') => cli('project', 'update', '--trial', how);
  const proxy = (url: string) => project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
  const notFound = (url: string) => project.call('GET', `/v1/not-found?url=${encodeURIComponent(url)}`);
  const suggest = () => project.post('/v1/suggest', { path: SLIP });
  const searches = () =>
    project.query<{ kind: string; redirected: boolean; would_redirect: boolean }>(
      'select kind, redirected, would_redirect from pathmend.searches where project_id = $1 order by searched_at',
    );

  it('redirects by no guess from the next request on, and by rules as before', async () => {
    expect([(await proxy(SLIP)).status, (await notFound(SLIP)).status]).to.deep.equal([302, 302]);
    expect((await suggest()).headers.get('x-pathmend-trial')).to.equal(null);
    expect(await trial('on')).to.include({ trial: true });
    expect(await cli('project', 'show')).to.include({ trial: true });

    const refused = await proxy(SLIP);
    expect(refused.status).to.equal(404);
    const { suggestions, search_id } = refused.body.error.details;
    expect(suggestions[0]).to.include({ url: '/help/returns/return-an-item' });
    expect(suggestions[0].score).to.be.within(0.9, 1);
    expect(search_id).to.be.a('string');
    const shown = await notFound(SLIP);
    expect([shown.status, shown.headers.get('location')]).to.deep.equal([404, null]);
    expect(shown.text).to.include('href="https://shop.example/help/returns/return-an-item"');
    // The answer was in the cache, from before the trial.
    expect((await suggest()).headers.get('x-pathmend-trial')).to.equal('on');
    for (const route of [proxy, notFound])
      expect((await route('/known')).headers.get('location'), route.name).to.equal(RETURNS);
    expect((await project.post('/v1/suggest', { path: '/known' })).headers.get('x-pathmend-code')).to.equal('301');

    await until('all are stored', async () => (await searches()).length === 9);
    const kept = (await searches()).map((row) => [row.kind, row.redirected, row.would_redirect]);
    expect(kept).to.deep.equal([
      ['proxy', true, false],
      ['not-found', true, false],
      ['suggest', false, false],
      ['proxy', false, true],
      ['not-found', false, true],
      ['suggest', false, true],
      ['proxy', true, false],
      ['not-found', true, false],
      ['suggest', false, false],
    ]);

    await trial('off');
    expect([(await proxy(SLIP)).status, (await notFound(SLIP)).status]).to.deep.equal([302, 302]);
    expect((await suggest()).headers.get('x-pathmend-trial')).to.equal(null);
  });

  it('is obeyed where paths are compared as texts, too', async () => {
    const textual = await startTestService({ SUGGEST_PATH_EVIDENCE: 'off' });
    try {
      const site = await textual.newProject();
      for (const [url, content] of [
        [RETURNS, 'Print the return label and hand the parcel in.'],
        ['https://shop.example/coffee', 'Coffee is ground before it is brewed.'],
        ['https://shop.example/jobs', 'We look for a baker who starts early.'],
      ] as const)
        await site.upsert({ url, content });
      await site.indexed();
      const update = (...args: string[]) =>
        jsonInProcess(['project', 'update', '--project', site.row.project_id, ...args], textual.database.environment);
      const path = '/print-the-return-label-and-hand-the-parcel-in';
      const ask = async () => [
        (await site.call('GET', `/v1/proxy?url=${path}`)).status,
        (await site.post('/v1/suggest', { path })).headers.get('x-pathmend-trial'),
      ];
      await update('--redirect-above', '0.5');
      expect(await ask()).to.deep.equal([302, null]);
      await update('--trial', 'on');
      expect(await ask()).to.deep.equal([404, 'on']);
    } finally {
      await textual.stop();
    }
  });
});
