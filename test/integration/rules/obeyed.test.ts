import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { createRuleHits } from '#src/rules/rule-hits.js';
import { changeRules } from '#src/rules/change-rules.js';
import { listRules } from '#src/rules/list-rules.js';
import type { RuleChange } from '#src/rules/rule.js';
import { pushPages } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

interface Suggestion {
  url: string;
  score: number;
  explanation: { rule?: string };
}

describe('rules are obeyed first', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/new/x', '/new/y', '/special', '/old/x-like');
  });

  const deps = () => ({ ...sharedService().service.deps, db: sharedService().service.db });
  const change = (...changes: RuleChange[]) =>
    changeRules(deps(), project.row.project_id, changes, onCommandLine('Ann'));
  const redirect = (path: string, target: string): RuleChange => ({ path, action: 'redirect', target });

  async function best(path: string, options = {}): Promise<Suggestion | undefined> {
    const { body } = await project.post('/v1/suggest', { path, options: { explain: true, ...options } });
    return (body.suggestions as Suggestion[])[0];
  }
  const proxy = (path: string) => project.call('GET', `/v1/proxy?url=${encodeURIComponent(path)}`);
  const notFound = (path: string) => project.call('GET', `/v1/not-found?url=${encodeURIComponent(path)}`);

  it('the exact one, then the longest prefix, then a pattern; each names its page with a score of 1', async () => {
    await change(
      redirect('/old/*', '/new/:splat'),
      redirect('/old/deep/*', '/special'),
      redirect('/:number/:number/*', '/new/:splat'),
      redirect('/2016/*', '/special'),
    );
    for (const [path, page, rule] of [
      ['/old/x', '/new/x', 'A redirect of all paths below /old/.'],
      ['/old/deep/x', '/special', 'A redirect of all paths below /old/deep/.'],
      ['/2015/03/y.html', '/new/y', 'A redirect of all paths below /:number/:number/.'],
      ['/2016/03/y', '/special', 'A redirect of all paths below /2016/.'],
    ] as const) {
      const suggestion = await best(path);
      expect(suggestion, path).to.deep.include({ url: page, score: 1 });
      expect(suggestion?.explanation.rule, path).to.equal(rule);
      expect((await proxy(path)).headers.get('location'), path).to.equal(`https://shop.example${page}`);
    }
    await change(redirect('/old/x', '/special'));
    expect(await best('/old/x')).to.deep.include({ url: '/special', score: 1 });
    expect((await best('/old/x'))?.explanation.rule).to.equal('A redirect of this path.');
  });

  it('a wildcard whose page is not there leaves the answer to the next rule', async () => {
    await change(
      redirect('/old/*', '/nowhere/:splat'),
      redirect('/:number/old/*', '/new/:splat'),
      redirect('/a/*', '/b'),
    );
    expect((await best('/old/x'))?.explanation.rule).to.equal(undefined);
    await change(redirect('/7/*', '/nowhere/:splat'));
    expect(await best('/7/old/y')).to.deep.include({ url: '/new/y', score: 1 });
  });

  it('what is gone is answered with 410 and never redirected, below a wildcard, too, and without a word to search', async () => {
    await change(
      { path: '/old/x-likes', action: 'gone' },
      { path: '/index.php?id=7', action: 'gone' },
      { path: '/closed/*', action: 'gone' },
      redirect('/closed/new/*', '/new/:splat'),
    );
    for (const path of ['/old/x-likes', '/index.php?id=7', '/closed/shop/new']) {
      expect((await notFound(path)).status, path).to.equal(410);
      expect((await proxy(path)).status, path).to.equal(410);
    }
    expect((await notFound('/index.php?id=8')).status).to.equal(404);
    expect((await notFound('/closed/new/x')).status, 'a longer rule').to.equal(301);
    expect((await notFound('/closed/new/z')).status, 'its page is not there').to.equal(410);
  });

  it('a redirect that waits for its page is not gone, whatever is said of its folder', async () => {
    await change({ path: '/closed/*', action: 'gone' }, redirect('/closed/soon', '/soon'));
    expect((await notFound('/closed/soon')).status).to.equal(404);
    await pushPages(project, '/soon');
    expect((await notFound('/closed/soon')).status).to.equal(301);
  });

  it('what is ignored changes no answer', async () => {
    const before = await best('/old/x-likes', { searchThreshold: 0 });
    await change({ path: '/old/x-likes', action: 'ignore' }, { path: '/old/*', action: 'ignore' });
    expect(await best('/old/x-likes', { searchThreshold: 0 })).to.deep.equal(before);
    expect((await notFound('/old/zebra-crossing')).status).to.equal(404);
  });

  it('hits are counted with the time of the last one, from the cache too, by two instances, without test keys', async () => {
    const { service } = sharedService();
    await change(redirect('/old/*', '/new/:splat'), { path: '/gone', action: 'gone' }, redirect('/unused', '/new/x'));
    for (const path of ['/old/x', '/old/x', '/old/y']) await best(path);
    await proxy('/old/x');
    await notFound('/gone');
    await best('/old/x', { excludeUrls: ['/new/x'] });
    const test = await project.newKey({ mode: 'test' });
    await project.call('POST', '/v1/suggest', { path: '/old/x' }, { Authorization: `Bearer ${test}` });
    // Another instance on the same database.
    const other = createRuleHits(service.db, service.deps.logger);
    const { rules } = await listRules(deps(), project.row.project_id, { kinds: ['prefix'] });
    const key = Buffer.from(rules[0]?.key ?? '', 'hex');
    const at = Date.now();
    for (let i = 0; i < 100; i++) {
      other.add(project.row.project_id, key, at);
      service.deps.ruleHits.add(project.row.project_id, key, at - 1_000);
    }
    await Promise.all([other.stop(), service.deps.ruleHits.flush()]);
    const after = (await listRules(deps(), project.row.project_id, {})).rules;
    expect(after.map(({ path, hits }) => [path, hits])).to.deep.equal([
      ['/gone', 1],
      ['/old/*', 204],
      ['/unused', 0],
    ]);
    expect(after.map(({ last_hit_at }) => last_hit_at?.getTime() ?? null).slice(1)).to.deep.equal([at, null]);
  });
});
