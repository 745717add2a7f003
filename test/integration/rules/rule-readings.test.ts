import { expect } from 'chai';
import { projectWithRules, SITE, type ProjectWithRules } from '../../support/project-with-rules.js';

describe('a rule is read, tried and answered in one way', () => {
  let project: ProjectWithRules['project'];
  let rules: ProjectWithRules['rules'];
  let add: ProjectWithRules['add'];
  let proxy: ProjectWithRules['proxy'];
  let setMatching: ProjectWithRules['setMatching'];

  beforeEach(async () => {
    ({ project, rules, add, proxy, setMatching } = await projectWithRules());
  });

  it('what is tried is what is answered: case, slash, section, query string, codes and chains', async () => {
    await add(
      { path: '/Old/Page', target: '/new#part' },
      { path: '/old/*', target: '/other' },
      { path: '/pass', target: '/new#part', pass_query: true },
      { path: '/chain', target: '/pass', code: 302 },
      { path: '/guide/start/*', target: '/other' },
      { path: '/go/:x', target: '/:x' },
      { path: '/away', target: 'https://cdn.example.net/f.pdf?v=1#page=2', pass_query: true },
      { path: '/closed/*', action: 'gone' },
      { path: '/ended', target: '/new', valid_until: '2020-01-01' },
    );
    const all = ['/Old/Page', '/old/page', '/old/page/', '/pass?a=1', '/chain?a=1', '/Guide/Start', '/guide/start/x']
      .concat(['/go/new', '/go/---', '/away?a=1', '/closed/x', '/ended'])
      .map((path) => `https://shop.example${path}`);
    for (const path_case of [null, 'matters'] as const) {
      await setMatching(path_case);
      const { body } = await rules('POST', '/try', { paths: all });
      for (const [at, path] of all.entries()) {
        const { rule, to } = body.answers[at] as { rule: { action: string } | null; to: string | null };
        const live = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(path)}`);
        const tried = to ?? (rule?.action === 'gone' ? 410 : 'none');
        const byRule = live.status === 302 && to === null ? null : live.headers.get('location');
        expect(tried, `${path} ${path_case}`).to.equal(byRule ?? (live.status === 410 ? 410 : 'none'));
      }
    }
    const long = await rules('POST', '/try', { paths: [`/pass?${'ä'.repeat(1_500)}`] });
    expect(long.body.answers[0]).to.include({ to: null });
    expect(await proxy(`/pass?${'ä'.repeat(1_500)}`)).to.equal('404');
  });

  it('a wildcard fills its numbers into the target; it is one rule with or without them', async () => {
    const made = await add({ path: '/blog/:number/*', target: '/shop/:number/' });
    const [{ id }] = made.rules as [{ id: string }];
    expect(await proxy('/blog/7/x')).to.equal('301 /shop/7/');
    expect((await rules('POST', '/try', { paths: ['/blog/8/x'] })).body.answers[0].to).to.equal(`${SITE}/shop/8/`);
    expect((await rules('PATCH', `/${id}`, { code: 308 })).body.rules[0]).to.include({ id, outcome: 'replaced' });
    expect(await proxy('/blog/8/x')).to.equal('308 /shop/8/');
    expect((await add({ path: '/blog/:number/*', target: '/new' })).rules[0]).to.include({ id, outcome: 'replaced' });
    expect(await proxy('/blog/8/y')).to.equal('301 /new');
    expect((await rules('DELETE', `/${id}`)).body.rules[0]).to.include({ id, outcome: 'removed' });
    expect((await rules('GET', '')).body.rules).to.deep.equal([]);
  });

  it('a date as an end is the whole day in UTC, by the API as in a file', async () => {
    await add({ path: '/today', target: '/new', valid_until: new Date().toISOString().slice(0, 10) });
    expect(await proxy('/today')).to.equal('301 /new');
    await add({ path: '/day', target: '/new', valid_from: '2026-01-31', valid_until: '2026-01-31' });
    const { body } = await rules('GET', '?search=day&status=ended');
    expect(body.rules[0]).to.include({ valid_from: '2026-01-31T00:00:00Z', valid_until: '2026-02-01T00:00:00Z' });
  });

  it('a dot behind a host is dropped; a path without letters has no rule, not even that of /', async () => {
    await add({ path: '/', target: '/new' }, { path: '/dot', host: 'Old.example.', target: '/other' });
    expect((await rules('GET', '?search=dot')).body.rules[0]).to.include({ host: 'old.example' });
    expect(await proxy('https://old.example./dot')).to.equal('301 /other');
    expect(await proxy('/?a=1')).to.equal('301 /new');
    for (const path of ['/---', '/%21%21', '/--/?a=1']) expect(await proxy(path), path).to.equal('404');
  });
});
