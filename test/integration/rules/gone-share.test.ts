import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { rangeOf } from '#src/platform/database/project-range.js';
import { changeRules } from '#src/rules/change-rules.js';
import { maintainRules } from '#src/rules/learn-redirects-job.js';
import type { RuleChange } from '#src/rules/rule.js';
import { readGoneEvidence } from '#src/rules/store/gone-share.js';
import { judgeGuess } from '#src/search/judge-guess.js';
import { sampleGuesses } from '#src/search/store/judgements.js';
import { indexVersionOf, pushPages, redirect } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { loggedSearches } from '../../support/stored-events.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const GUESSED = '/faq/delivery';
const MANY_GONE = 'many missing paths of this site are gone';

describe('a project whose missing paths are mostly decided as gone', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/help/returns', '/help/delivery', '/gear/travel-rod', '/new/x', '/new/y', '/new/z');
  });

  const deps = () => ({ ...sharedService().service.deps, db: sharedService().service.db });

  async function decide(changes: RuleChange[]): Promise<void> {
    await changeRules(deps(), project.row.project_id, changes, onCommandLine('Ann'), 'console');
  }
  const gone = (from: number, to: number): RuleChange[] =>
    Array.from({ length: to - from }, (_, at) => ({ path: `/removed/page-${from + at}`, action: 'gone' }));

  async function maintain(): Promise<void> {
    await maintainRules(deps(), new Date(0), rangeOf({ projects: 1, pages: 1 }, 0));
  }

  async function best(path: string): Promise<{ url: string; score: number; explanation: { doubts?: string[] } }> {
    const options = { searchThreshold: 0, explain: true };
    return (await project.post('/v1/suggest', { path, limit: 1, options })).body.suggestions[0];
  }

  it('answers the same path with a lower score, and says why', async () => {
    const before = await best(GUESSED);
    await decide(gone(0, 29));
    await maintain();
    expect((await best(GUESSED)).score).to.equal(before.score);
    await decide(gone(29, 120));
    await maintain();
    const after = await best(GUESSED);
    expect(after.url).to.equal(before.url);
    expect(before.score).to.be.above(0.9);
    expect(after.score).to.be.below(0.9);
    expect(before.explanation.doubts ?? []).to.not.include(MANY_GONE);
    expect(after.explanation.doubts).to.include(MANY_GONE);
    expect((await project.call('GET', `/v1/proxy?url=${GUESSED}`)).status).to.equal(404);

    const version = await indexVersionOf(sharedService().service, project);
    await maintain();
    expect(await indexVersionOf(sharedService().service, project)).to.equal(version);
    await decide(gone(0, 120).map(({ path }) => ({ path, action: 'remove' })));
    await maintain();
    expect((await best(GUESSED)).score).to.equal(before.score);
  });

  it('still follows rules and what was learned from them', async () => {
    await redirect(sharedService().service, project, folder, '/old/x /new/x', '/old/y /new/y');
    const learned = await best('/old/z');
    expect(learned.score).to.be.within(0.9, 0.999);
    await decide([...gone(0, 120), { path: GUESSED, action: 'redirect', target: '/help/delivery' }]);
    await maintain();
    const ruled = await project.call('GET', `/v1/proxy?url=${GUESSED}`);
    expect([ruled.status, ruled.headers.get('location')]).to.deep.equal([301, 'https://shop.example/help/delivery']);
    expect(await best('/old/z')).to.deep.equal(learned);
  });

  it('counts what the inbox shows, what guesses redirected, and what was judged right', async () => {
    const id = project.row.project_id;
    const { db } = sharedService().service;
    const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };
    for (const path of ['/help/retruns', '/help/delivrey', '/nowhere/at-all', '/ruled'])
      await project.call('GET', `/v1/proxy?url=${path}`, undefined, headers);
    await decide([{ path: '/ruled', action: 'redirect', target: '/new/x' }, ...gone(0, 2)]);
    await decide([{ path: '/junk', action: 'ignore' }]);
    await loggedSearches(sharedService().service, id, 4);
    const [guess] = await sampleGuesses(db, id, 1);
    await judgeGuess(deps(), id, { searchId: guess?.search_id ?? '', isRight: true, by: 'Ann' });
    const expected = { gone: 2, accepted: 1, ignored: 1, shown: 2, redirected: 2, judgedRight: 1, share: null };
    await until('the 404s are counted', async () => {
      const { shown, redirected } = await readGoneEvidence(db, id);
      return shown + redirected === 4 && redirected > 0;
    });
    expect(await readGoneEvidence(db, id)).to.deep.equal(expected);
  });
});
