import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { ApiError } from '#src/base/errors.js';
import { changeRules, undoChange } from '#src/rules/change-rules.js';
import { listRules } from '#src/rules/list-rules.js';
import { previewChanges, type PreviewedChange } from '#src/rules/preview/preview-changes.js';
import { confirmProposals, listProposals, rejectProposals, type Proposal } from '#src/rules/proposals/proposals.js';
import { proposeRules, proposeRulesJob } from '#src/rules/proposals/propose-rules-job.js';
import type { RuleChange } from '#src/rules/rule.js';
import { findRules, tryRules } from '#src/rules/preview/try-rules.js';
import { rejection } from '../../embedding/rejection.js';
import { pushPages, redirect } from '../../../support/learned-redirects.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SITE = 'https://shop.example';

describe('proposed rules', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const id = (): string => project.row.project_id;
  const deps = () => ({ ...sharedService().service.deps, db: sharedService().service.db });
  const know = (...lines: string[]) => redirect(sharedService().service, project, folder, ...lines);
  const preview = async (...changes: RuleChange[]): Promise<PreviewedChange[]> =>
    (await previewChanges(deps(), id(), changes)).changes;

  /** 404s as they are stored, some days old. */
  async function met(path: string, times: number, days = 1): Promise<void> {
    await query(sharedService().service, `select pathmend.ensure_weeks(now() - make_interval(days => $1), now())`, [
      days,
    ]);
    for (let i = 0; i < times; i++)
      await query(
        sharedService().service,
        `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
         values ($1, $2, now() - make_interval(days => $3), $4, false)`,
        [id(), randomUUID(), days, path],
      );
  }

  async function proposed(): Promise<Proposal[]> {
    await proposeRules(deps(), id());
    return (await listProposals(deps(), id(), {})).proposals;
  }

  it('are wildcards that all redirects agree on, moved sections, and what clicks confirm; each with its evidence and the paths that it takes besides', async () => {
    await pushPages(project, '/docs/a', '/docs/b', '/docs/c', '/docs/d', '/news/one', '/news/two', '/about-us');
    await know('/manual/a /docs/a', '/manual/b /docs/b');
    await know('/blog/2016/05/one.html /news/one', '/blog/2017/06/two.html /news/two', '/press/a /docs/a');
    for (let visit = 0; visit < 5; visit++) {
      const { body } = await project.post('/v1/suggest', {
        path: '/who-we-are/about',
        options: { searchThreshold: 0 },
      });
      await sharedService().service.deps.log.flush();
      if (visit >= 3) continue;
      await project.post('/v1/events', {
        clicked_url: `${SITE}/about-us`,
        clicked_rank: 1,
        raw_path: '/who-we-are/about',
        search_id: body.search_id,
      });
    }
    await until('the clicks are learned', async () => {
      const rows = await query(
        sharedService().service,
        `select from pathmend.learned_redirects where project_id = $1 and clicks = 3
          and (select count(*) from pathmend.searches s where s.project_id = $1 and s.clicked_rank is not null) = 3`,
        [id()],
      );
      return rows.length === 1;
    });
    await met('/manual/c', 3);
    await met('/manual/zzz', 9);
    await met('/who-we-are/about', 2);
    await met('/manual/d', 5, 40);
    const all = await proposed();
    const byPath = new Map(all.map((proposal) => [proposal.path, proposal]));
    expect(byPath.get('/manual/*')).to.deep.include({
      kind: 'prefix',
      target: `${SITE}/docs/:splat`,
      source: 'redirects',
      support: 2,
      contradictions: 0,
      confidence: 0.86,
      evidence: [
        { from: '/manual/a', to: `${SITE}/docs/a` },
        { from: '/manual/b', to: `${SITE}/docs/b` },
      ],
      answers: { paths: 1, requests: 3, examples: [{ path: '/manual/c', requests: 3, to: `${SITE}/docs/c` }] },
      missing: [{ path: '/manual/zzz', requests: 9 }],
    });
    expect(byPath.get('/blog/:number/:number/*')).to.deep.include({
      kind: 'pattern',
      target: `${SITE}/news/:splat`,
      source: 'sections',
      support: 2,
    });
    expect(byPath.get('/blog/:number/:number/*')?.evidence).to.have.deep.members([
      { from: '/blog/2016/05/one.html', to: `${SITE}/news/one` },
      { from: '/blog/2017/06/two.html', to: `${SITE}/news/two` },
    ]);
    expect([...byPath.keys()], 'of one redirect').to.not.include('/press/*');
    expect(byPath.get('/who-we-are/about')).to.deep.include({
      kind: 'exact',
      target: `${SITE}/about-us`,
      source: 'clicks',
      support: 3,
      evidence: [{ from: '/who-we-are/about', to: `${SITE}/about-us`, shown: 5, unclicked: 2 }],
      answers: {
        paths: 1,
        requests: 2,
        examples: [{ path: '/who-we-are/about', requests: 2, to: `${SITE}/about-us` }],
      },
    });
    expect(all.map(({ answers }) => answers.requests)).to.deep.equal(
      all.map(({ answers }) => answers.requests).sort((a, b) => b - a),
    );
  });

  it('shadow no live page, and leave alone what redirects contradict', async () => {
    await pushPages(project, '/docs/a', '/docs/b', '/elsewhere/c', '/manual/live', '/docs/x');
    await know('/manual/a /docs/a', '/manual/b /docs/b', '/old/a /docs/a', '/old/b /docs/b', '/old/c /elsewhere/c');
    const sources = (await proposed()).filter(({ source }) => source === 'redirects');
    expect(sources).to.deep.equal([]);
  });

  it('become rules by a confirmation, which is undone like any change; an answer obeys them at once', async () => {
    await pushPages(project, '/docs/a', '/docs/b', '/docs/c');
    await know('/manual/a /docs/a', '/manual/b /docs/b');
    const [proposal] = await proposed();
    const confirmed = await confirmProposals(deps(), id(), [proposal?.proposal_id ?? ''], onCommandLine('Ann'));
    expect(confirmed).to.include({ changed: 1 });
    const { body } = await project.post('/v1/suggest', { path: '/manual/c', options: { explain: true } });
    expect(body.suggestions[0]).to.deep.include({ url: '/docs/c', score: 1 });
    expect(body.suggestions[0].explanation.rule).to.equal('A redirect of all paths below /manual/.');
    const { rules } = await listRules(deps(), id(), { kinds: ['prefix'] });
    expect(rules[0]).to.include({ path: '/manual/*', origin: 'learned', made_by: 'Ann' });
    expect(await proposed()).to.deep.equal([]);
    const again = await rejection(
      confirmProposals(deps(), id(), [proposal?.proposal_id ?? ''], onCommandLine('Ann')),
      ApiError,
    );
    expect(again.code).to.equal('not_found');
    await undoChange(deps(), id(), confirmed.change_id ?? 0, onCommandLine('Ann'));
    expect((await proposed()).map(({ path }) => path)).to.deep.equal(['/manual/*']);
  });

  it('are not proposed again once they are rejected', async () => {
    await pushPages(project, '/docs/a', '/docs/b');
    await know('/manual/a /docs/a', '/manual/b /docs/b');
    const [proposal] = await proposed();
    expect(await rejectProposals(deps(), id(), [proposal?.proposal_id ?? ''], onCommandLine('Ann'))).to.deep.equal({
      rejected: 1,
    });
    expect(await proposed()).to.deep.equal([]);
    const { proposals } = await listProposals(deps(), id(), { rejected: true });
    expect(proposals.map(({ path, rejected_by }) => [path, rejected_by])).to.deep.equal([['/manual/*', 'Ann']]);
    expect((await rejection(rejectProposals(deps(), id(), ['x'], onCommandLine('Ann')), ApiError)).param).to.equal(
      'proposal_ids',
    );
  });

  it('are learned by a job for each project with redirects, and are that project’s alone', async function () {
    // The projects of other tests have their turns, too.
    this.timeout(150_000);
    const { queue } = sharedService().service;
    await pushPages(project, '/docs/a', '/docs/b');
    await know('/manual/a /docs/a', '/manual/b /docs/b');
    await queue.enqueueNow(proposeRulesJob, [{}]);
    await until(
      'the rule is proposed',
      async () => {
        // The job of all projects, then that of this one.
        queue.wake(proposeRulesJob);
        return (await listProposals(deps(), id(), {})).proposals.length === 1;
      },
      120_000,
    );
    const [proposal] = (await listProposals(deps(), id(), {})).proposals;
    project = await sharedService().newProject();
    expect((await listProposals(deps(), id(), {})).proposals).to.deep.equal([]);
    expect(
      (await rejection(confirmProposals(deps(), id(), [proposal?.proposal_id ?? ''], onCommandLine('Ann')), ApiError))
        .code,
    ).to.equal('not_found');
  });

  it('and others are tried on the stored 404s before they are made: what each would answer, and by which rule', async () => {
    await pushPages(project, '/docs/a', '/docs/b', '/about');
    await changeRules(
      deps(),
      id(),
      [
        { path: '/manual/*', action: 'redirect', target: '/docs/:splat' },
        { path: '/junk', action: 'ignore' },
      ],
      onCommandLine('Ann'),
    );
    await met('/manual/a.html?utm=1', 2);
    await met('/manual/zzz', 4);
    await met('/who', 3);
    await met('/junk', 1);
    await met('/manual/b', 1, 40);
    const tried = await tryRules(deps(), id(), { changes: [{ path: '/who', action: 'gone' }] });
    expect(tried).to.deep.equal({
      stored: { days: 30, paths: 4, requests: 10, cut: false },
      answered: { paths: 2, requests: 5 },
      rules: [
        { path: '/who', action: 'gone', target: null, paths: 1, requests: 3 },
        { path: '/manual/*', action: 'redirect', target: '/docs/:splat', paths: 1, requests: 2 },
      ],
      rows: [
        { path: '/who', requests: 3, rule: '/who', action: 'gone', to: null },
        { path: '/manual/a.html?utm=1', requests: 2, rule: '/manual/*', action: 'redirect', to: `${SITE}/docs/a` },
      ],
    });
    expect((await tryRules(deps(), id(), { days: 50 })).answered).to.deep.equal({ paths: 2, requests: 3 });
    const foundRules = await findRules(deps(), id(), ['/manual/zzz', '/junk', '/who']);
    expect(foundRules.map((rule) => rule && `${rule.path} ${rule.action}`)).to.deep.equal([
      '/manual/* redirect',
      '/junk ignore',
      undefined,
    ]);
    expect((await rejection(tryRules(deps(), id(), { days: 0 }), ApiError)).param).to.equal('days');
  });

  it('and others are shown with what is wrong with them, and with what they replace', async () => {
    await pushPages(project, '/docs/a', '/docs/b', '/live/1', '/live/2');
    await know('/x /docs/a', '/y /z');
    await met('/x', 2);
    const shown = await preview(
      { path: '/x', action: 'redirect', target: '/docs/b' },
      { path: '/docs/a', action: 'gone' },
      { path: '/live/*', action: 'redirect', target: '/nowhere' },
      { path: '/same', action: 'redirect', target: '/Same.html' },
      { path: '/z', action: 'redirect', target: '/y' },
      { path: '/w', action: 'redirect', target: '/x' },
      { path: '/deep/*', action: 'redirect', target: '/deep/er/:splat' },
      { path: '/none', action: 'remove' },
    );
    expect(shown.map(({ path, problems }) => [path, problems.map(({ kind }) => kind).join()])).to.deep.equal([
      ['/x', ''],
      ['/docs/a', 'source is a page'],
      ['/live/*', 'shadows pages,target is no page'],
      ['/same', 'loop'],
      ['/z', 'target is no page,loop'],
      ['/w', 'target is no page,chain'],
      ['/deep/*', 'loop'],
      ['/none', 'no rule'],
    ]);
    expect(shown[0]?.replaces).to.include({ action: 'redirect', target: `${SITE}/docs/a`, origin: 'import' });
    expect(shown[0]?.answers).to.deep.equal({
      paths: 1,
      requests: 2,
      examples: [{ path: '/x', requests: 2, to: `${SITE}/docs/b` }],
    });
    expect((await listRules(deps(), id(), {})).rules, 'nothing was changed').to.have.length(2);
  });

  it('and wildcards and patterns with all stored 404s that they take, and whether these find a page where they lead', async () => {
    await pushPages(project, '/docs/a', '/shop/7');
    await met('/manual/a', 2);
    await met('/manual/lost', 6);
    await met('/p-7.html', 1);
    await met('/p-8.html', 3);
    const shown = await preview(
      { path: '/manual/*', action: 'redirect', target: '/docs/:splat' },
      { path: '/p-:id.html', action: 'redirect', target: '/shop/:id' },
      { path: '/quiet/*', action: 'redirect', target: '/nothing/:splat' },
      { path: '/calm/*', action: 'redirect', target: '/docs/:splat' },
      { path: '/q-:id', action: 'redirect', target: '/shop/:id' },
      { path: '/over/*', action: 'redirect', target: '/manual/:splat' },
    );
    const [manual, pattern, ...unvisited] = shown;
    expect(manual?.answers).to.include({ paths: 1, requests: 2 });
    expect(manual?.misses).to.deep.equal({
      paths: 1,
      requests: 6,
      examples: [{ path: '/manual/lost', requests: 6, to: '/docs/lost' }],
    });
    expect(manual?.problems).to.deep.equal([
      {
        kind: 'target is no page',
        detail: '1 of 2 stored paths would lead to no page, such as /manual/lost to /docs/lost',
      },
    ]);
    expect(pattern?.misses.examples).to.deep.equal([{ path: '/p-8.html', requests: 3, to: '/shop/8' }]);
    expect(unvisited.map(({ path, problems }) => [path, ...problems.map(({ detail }) => detail)])).to.deep.equal([
      ['/quiet/*', 'no page of the project is below /nothing/'],
      ['/calm/*'],
      ['/q-:id'],
      ['/over/*'],
    ]);
  });

  it('and so is how many pages a rule would hide, in any case, with numbers, below long paths', async () => {
    const long = `/${'é'.repeat(300)}`;
    await pushPages(project, '/Docs/a', '/docs/b', '/docs', '/docs-old/c', '/docs/2024/d', '/docs/x24/e', `${long}/f`);
    const hidden = async (path: string): Promise<string | undefined> =>
      (await preview({ path, action: 'gone' }))[0]?.problems[0]?.detail;
    expect(await hidden('/docs/*')).to.match(/^4 pages/);
    expect(await hidden('/DOCS/*')).to.match(/^4 pages/);
    expect(await hidden('/docs/:number/*')).to.match(/^1 page /);
    expect(await hidden(`${long}/*`)).to.match(/^1 page /);
    expect(await hidden(`${long}s/*`)).to.equal(undefined);
    expect(await hidden('/doc/*')).to.equal(undefined);
  });
});
