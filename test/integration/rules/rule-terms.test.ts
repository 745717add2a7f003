import { expect } from 'chai';
import { projectWithRules, SITE, type ProjectWithRules } from '../../support/project-with-rules.js';
import { sharedService } from '../../support/shared-service.js';

interface Made {
  rules: { outcome: string; rule: Record<string, unknown> | null }[];
}

describe('a rule says for which host and query it is, by what code it is answered, and when', () => {
  let project: ProjectWithRules['project'];
  let rules: ProjectWithRules['rules'];
  let add: ProjectWithRules['add'];
  let proxy: ProjectWithRules['proxy'];
  let setMatching: ProjectWithRules['setMatching'];

  beforeEach(async () => {
    ({ project, rules, add, proxy, setMatching } = await projectWithRules());
  });

  it('each code is answered by proxy and by not-found, and told by the list', async () => {
    const codes = [301, 302, 303, 307, 308];
    await add(
      ...codes.map((code) => ({ path: `/to-${code}`, target: '/new', code })),
      { path: '/gone', action: 'gone' },
      { path: '/law/*', action: 'gone', code: 451 },
    );
    for (const code of codes) {
      expect(await proxy(`/to-${code}`)).to.equal(`${code} /new`);
      const answer = await project.call('GET', `/v1/not-found?url=/to-${code}`);
      expect(answer.status).to.equal(code);
    }
    expect(await proxy('/gone')).to.equal('410');
    expect(await proxy('/law/x')).to.equal('451');
    expect((await project.call('GET', '/v1/not-found?url=/law/x')).status).to.equal(451);
    const { body } = await rules('GET', '?limit=100');
    expect((body.rules as { path: string; code: number }[]).map(({ path, code }) => `${path} ${code}`)).to.deep.equal([
      '/gone 410',
      '/law/* 451',
      ...codes.map((code) => `/to-${code} ${code}`),
    ]);
  });

  it('suggest says in headers what a rule asks for, and for which host', async () => {
    await add(
      { path: '/moved', target: '/new#part', code: 308 },
      { path: '/away', target: 'https://other.example/ü', pass_query: true },
      { path: '/away', host: 'old.example', target: '/other', code: 302 },
      { path: '/gone', action: 'gone', code: 451 },
      { path: '/waits', target: '/not-there' },
    );
    const suggest = async (path: string, host?: string): Promise<(string | null)[]> => {
      const answer = await fetch(`${sharedService().service.url}/v1/suggest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${project.key}`, ...(host === undefined ? {} : { 'X-Original-Host': host }) },
        body: JSON.stringify({ path }),
      });
      return ['x-pathmend-code', 'x-pathmend-location'].map((name) => answer.headers.get(name));
    };
    expect(await suggest('/moved')).to.deep.equal(['308', '/new#part']);
    expect(await suggest('/away?a=1', 'third.example')).to.deep.equal(['301', 'https://other.example/%C3%BC?a=1']);
    expect(await suggest('/away', 'www.old.example')).to.deep.equal(['302', '/other']);
    expect(await suggest('https://old.example/away')).to.deep.equal(['302', '/other']);
    expect(await suggest('/away', 'user@old.example/x')).to.include('https://other.example/%C3%BC');
    expect(await suggest('/gone')).to.deep.equal(['451', null]);
    expect(await suggest('/waits')).to.deep.equal([null, null]);
    expect(await suggest('/nothing-of-the-kind')).to.deep.equal([null, null]);
    const proxied = await project.call('GET', '/v1/not-found?url=/away', undefined, {
      'X-Original-Host': 'old.example',
    });
    expect(proxied.headers.get('location')).to.equal(`${SITE}/other`);
    expect(proxied.headers.get('vary')).to.equal(
      'Accept, Authorization, X-Original-Host, X-Pathmend-Click, X-Pathmend-Search',
    );
  });

  it('a host comes before any host; another host has none of its rules; www. is no other host', async () => {
    await add(
      { path: '/a', target: '/new' },
      { path: '/a', host: 'old.example', target: '/other', code: 302 },
      { path: 'https://OLD.example/b', target: '/other' },
      { path: '/c/*', host: 'old.example', target: '/shop/:splat' },
    );
    expect(await proxy('https://old.example/a')).to.equal('302 /other');
    expect(await proxy('https://www.old.example/a')).to.equal('302 /other');
    expect(await proxy('https://third.example/a')).to.equal('301 /new');
    expect(await proxy('/a')).to.equal('301 /new');
    expect(await proxy('https://old.example/b')).to.equal('301 /other');
    expect(await proxy('https://third.example/b')).to.equal('404');
    expect(await proxy('/b'), 'the host is not known').to.equal('301 /other');
    expect(await proxy('https://old.example/c/7/')).to.equal('301 /shop/7/');
    expect(await proxy('https://third.example/c/7/')).to.not.include('301');
    const { body } = await rules('GET', '?host=old.example');
    expect(body.rules).to.have.length(3);
    expect((await rules('GET', '?host=')).body.rules).to.have.length(1);
  });

  it('named parameters are found in any order, among others; tracking never matters', async () => {
    await add(
      { path: '/p', query: { id: '7', lang: 'de' }, target: '/shop/7/' },
      { path: '/p?id=8', target: '/shop/8/' },
      { path: '/p', target: '/new' },
    );
    for (const [url, answer] of [
      ['/p?lang=de&id=7', '301 /shop/7/'],
      ['/p?x=1&id=7&utm_source=mail&lang=de', '301 /shop/7/'],
      ['/p?id=7', '301 /new'],
      ['/p?page=2&id=8', '301 /shop/8/'],
      ['/p?utm_campaign=x', '301 /new'],
    ] as const)
      expect(await proxy(url), url).to.equal(answer);
  });

  it('a query string is dropped, or passed on before the section', async () => {
    await add(
      { path: '/drop', target: '/new#part' },
      { path: '/pass', target: '/new#part', pass_query: true },
      { path: '/away', target: 'https://cdn.example.net/f.pdf?v=1#page=2', pass_query: true },
    );
    expect(await proxy('/drop?a=1')).to.equal('301 /new#part');
    expect(await proxy('/pass?a=1&b=%C3%A4')).to.equal('301 /new?a=1&b=%C3%A4#part');
    expect(await proxy('/away?a=1')).to.equal('301 https://cdn.example.net/f.pdf?v=1&a=1#page=2');
    const { body } = await project.post('/v1/suggest', { path: '/drop' });
    expect(body.suggestions[0].url).to.equal('/new#part');
  });

  it('a pattern names what it matches, and the target uses it; a longer rule comes first', async () => {
    await add(
      { path: '/p-:id.html', target: '/shop/:id/' },
      { path: '/handbook/*.php', target: '/guide/:splat' },
      { path: '/:number/x/:name', target: '/shop/:number/' },
      { path: '/handbook/closed.php', action: 'gone' },
      { path: '/old-:kind/*', target: '/new' },
    );
    for (const [url, answer] of [
      ['/p-7.html', '301 /shop/7/'],
      ['/P-8.HTML?a=1', '301 /shop/8/'],
      ['/handbook/start.php', '301 /guide/start'],
      ['/handbook/closed.php', '410'],
      ['/7/x/anything', '301 /shop/7/'],
      ['/old-stuff/a/b', '301 /new'],
    ] as const)
      expect(await proxy(url), url).to.equal(answer);
    expect(await proxy('/p-7/more.html')).to.not.include('/shop/7/');
  });

  it('a prefix may be written without its star, and a wildcard as a pattern', async () => {
    const answer = await add(
      { path: '/store/', target: '/shop/:splat', match: 'prefix' },
      { path: '/closed', action: 'gone', match: 'prefix' },
      { path: '/manual/*', target: '/guide/:splat', match: 'pattern' },
    );
    const made = (answer.rules as { rule: Record<string, unknown> }[]).map(({ rule }) => [rule['path'], rule['match']]);
    expect(made).to.deep.equal([
      ['/store/*', 'prefix'],
      ['/closed/*', 'prefix'],
      ['/manual/*', 'prefix'],
    ]);
    expect(await proxy('/store/7/')).to.equal('301 /shop/7/');
    expect(await proxy('/closed/x')).to.equal('410');
    expect(await proxy('/manual/start')).to.equal('301 /guide/start');
  });

  it('a date begins and ends it: before and after it there is no rule, and the list says so', async () => {
    await add(
      { path: '/soon', target: '/new', valid_from: '2999-01-01' },
      { path: '/over', target: '/new', valid_until: '2020-01-01' },
      { path: '/now', target: '/new', valid_from: '2020-01-01', valid_until: '2999-01-01T00:00:00+02:00' },
    );
    expect(await proxy('/soon')).to.equal('404');
    expect(await proxy('/over')).to.equal('404');
    expect(await proxy('/now')).to.equal('301 /new');
    const of = async (status: string): Promise<string[]> =>
      ((await rules('GET', `?status=${status}`)).body.rules as { path: string }[]).map(({ path }) => path);
    expect([await of('not%20yet'), await of('ended'), await of('active')]).to.deep.equal([
      ['/soon'],
      ['/over'],
      ['/now'],
    ]);
  });

  it('a rule that begins in a moment is obeyed then, whatever was answered before', async () => {
    const begins = new Date(Date.now() + 2_500);
    const valid_from = begins.toISOString();
    await add({ path: '/moment', target: '/new', valid_from }, { path: '/on-:n', target: '/shop/:n/', valid_from });
    expect([await proxy('/moment'), await proxy('/on-7')]).to.deep.equal(['404', '404']);
    for (let answer = ''; answer !== '301 /new'; answer = await proxy('/moment'))
      expect(Date.now()).to.be.below(begins.getTime() + 20_000);
    expect(Date.now()).to.be.at.least(begins.getTime() - 1_000);
    expect(await proxy('/on-7')).to.equal('301 /shop/7/');
  });

  it('case and a slash at the end count where the project says so', async () => {
    const like = { path: '/Like-:n', target: '/shop/:n/' };
    await add({ path: '/Old/Page', target: '/new' }, { path: '/Sub/*', target: '/shop/:splat' }, like);
    expect(await proxy('/old/page/')).to.equal('301 /new');
    await setMatching('matters');
    expect(await proxy('/old/page/')).to.not.include('301');
    expect(await proxy('/Old/Page/')).to.not.include('301');
    expect(await proxy('/Old/Page')).to.equal('301 /new');
    expect(await proxy('/Sub/7/')).to.equal('301 /shop/7/');
    expect(await proxy('/sub/7/')).to.not.include('301');
    expect(await proxy('/like-7')).to.not.include('301');
    expect(await proxy('/Like-7')).to.equal('301 /shop/7/');
  });

  it('is changed, tried, removed and restored by its id', async () => {
    const made = await add({ path: '/a', target: '/new', code: 302, valid_until: '2999-01-01' });
    const [{ id, outcome }] = made.rules as [{ id: string; outcome: string }];
    expect(outcome).to.equal('created');
    const again = await add({ path: '/a', target: '/new', code: 302, valid_until: '2999-01-01' });
    expect(again).to.deep.include({ change_id: null });
    expect(again.rules[0].outcome).to.equal('unchanged');
    const replaced = await add({ path: '/A/', target: '/other' });
    expect(replaced.rules[0]).to.deep.include({ id, outcome: 'replaced' });
    expect(replaced.rules[0].replaced).to.deep.include({
      target: `${SITE}/new`,
      code: 302,
      valid_until: '2999-01-02T00:00:00Z',
    });
    const tried = await rules('POST', '/try', { paths: ['/a', '/q'], rules: [{ path: '/q', target: '/new' }] });
    expect((tried.body.answers as { to: string }[]).map(({ to }) => to)).to.deep.equal([
      `${SITE}/other`,
      `${SITE}/new`,
    ]);
    const patched = await rules('PATCH', `/${id}`, { code: 307, pass_query: true });
    expect((patched.body as Made).rules.at(-1)?.rule).to.deep.include({
      code: 307,
      pass_query: true,
      target: `${SITE}/other`,
    });
    const moved = await rules('PATCH', `/${id}`, { host: 'old.example' });
    expect((moved.body as Made).rules.map(({ outcome }) => outcome)).to.deep.equal(['removed', 'created']);
    const other = moved.body.rules[1].id as string;
    expect((await rules('DELETE', `/${id}`)).status).to.equal(404);
    const removed = await rules('DELETE', `/${other}`);
    expect(removed.body.rules[0].outcome).to.equal('removed');
    expect(await proxy('https://old.example/a')).to.equal('404');
    expect((await rules('POST', '/undo', { change_id: removed.body.change_id })).status).to.equal(200);
    expect(await proxy('https://old.example/a?x=1')).to.equal('307 /other?x=1');
    const history = await rules('GET', '/history');
    expect(history.body.changes[0]).to.deep.include({ kind: 'undo', undoes: removed.body.change_id });
    expect(history.body.changes[0].changed_by).to.match(/^API key /);
  });

  it('leads by no part of a path to another host, to parameters of its own, or to the home page', async () => {
    await add(
      { path: '/go/:x', target: '/:x' },
      { path: '/dl/*.php', target: '/:splat' },
      { path: '/s/:q', target: 'https://other.example/s?q=:q' },
      { path: '/cjk', target: '/new#中 文' },
    );
    for (const url of ['/go/%2Fevil.com', '/dl/%2Fevil.com.php', '/go/%5Cevil.com', '/go/!!!', '/go/%FF%FE', '/go/---'])
      expect(await proxy(url), url).to.match(/^404/);
    expect(await proxy('/go/new')).to.equal('301 /new');
    expect(await proxy('/s/a%26admin=1')).to.equal('301 https://other.example/s?q=a%26admin%3D1');
    expect(await proxy('/cjk')).to.equal('301 /new#%E4%B8%AD%20%E6%96%87');
  });

  it('of a host that is gone is not undone by one of any host; among patterns the more literal comes first', async () => {
    await add(
      { path: '/zx/*', host: 'one.example', action: 'gone' },
      { path: '/zx/y', target: '/new' },
      { path: '/o/:averyveryverylongname', target: '/new' },
      { path: '/o/p-:id.html', target: '/other' },
    );
    expect(await proxy('https://one.example/zx/y')).to.equal('410');
    expect(await proxy('https://two.example/zx/y')).to.equal('301 /new');
    expect(await proxy('/o/p-3.html')).to.equal('301 /other');
  });

  it('keeps what a change does not name', async () => {
    const made = await add(
      { path: '/a?x=1&x=2', target: '/new', pass_query: true },
      { path: '/b', host: 'one.example', target: '/new' },
    );
    const [a, b] = (made.rules as { id: string }[]).map(({ id }) => id);
    const same = await rules('PATCH', `/${a}`, { action: 'redirect', code: 308 });
    expect(same.body.rules).to.have.length(1);
    expect(same.body.rules[0]).to.deep.include({ id: a, outcome: 'replaced' });
    expect(same.body.rules[0].rule).to.include({ pass_query: true, code: 308 });
    const moved = await rules('PATCH', `/${b}`, { path: 'https://two.example/b?y=1' });
    expect((moved.body as Made).rules.at(-1)?.rule).to.deep.include({ host: 'two.example', query: { y: '1' } });
  });

  it('keeps what each of several changes at once names', async () => {
    const [{ id }] = (await add({ path: '/a', target: '/new' })).rules as [{ id: string }];
    const changes = [{ code: 307 }, { pass_query: true }, { valid_from: '2020-01-01' }, { valid_until: '2999-01-01' }];
    const answers = await Promise.all([...changes, { target: '/other' }].map((body) => rules('PATCH', `/${id}`, body)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    const [rule] = (await rules('GET', '')).body.rules as [Record<string, unknown>];
    expect(rule).to.include({ code: 307, pass_query: true, target: `${SITE}/other` });
    expect([rule['valid_from'], rule['valid_until']]).to.not.include(null);
    const removed = await Promise.all([1, 2].map(() => rules('DELETE', `/${id}`)));
    expect(removed.map(({ status }) => status)).to.have.members([200, 404]);
  });

  it('takes any letters in a pattern, a path that is asked, and a host that is looked for', async () => {
    const faces = '😀'.repeat(155);
    await add(
      { path: `/a%00b/${encodeURIComponent(faces)}/:id`, target: '/shop/:id/' },
      { path: `/${faces}/*.php`, target: '/new' },
    );
    expect(await proxy(`/A%00b/${encodeURIComponent(faces)}/7`)).to.equal('301 /shop/7/');
    expect(await proxy(`/${encodeURIComponent(faces)}/x.php`)).to.equal('301 /new');
    for (const path of ['/%00', '/%ED%A0%80/x', '/a\u0000', `/${'😀'.repeat(151)}/x`])
      expect((await project.post('/v1/suggest', { path })).status, path).to.be.oneOf([200, 400]);
    expect((await rules('GET', '?host=%00')).status).to.equal(400);
    await add({ path: '/x', host: 'münchen.example', target: '/new' });
    expect((await rules('GET', `?host=${encodeURIComponent('München.example')}`)).body.rules).to.have.length(1);
    expect((await rules('POST', '/try', { paths: ['/%00', '/%ED%A0%80/x'] })).status).to.equal(200);
  });

  it('is refused with the field that is wrong; another scope, method and project are kept out', async () => {
    for (const [body, param] of [
      [{}, 'path'],
      [{ path: '/a' }, 'target'],
      [{ path: '/a', target: '/b', code: 200 }, 'code'],
      [{ path: '/a', target: '/b', code: 410 }, 'code'],
      [{ path: '/a', target: '/b', valid_from: 'x' }, 'valid_from'],
      [{ path: '/:x', target: '/:y' }, 'target'],
      [{ path: '/a', target: '/b', match: 'prefix' }, 'target'],
      [{ path: '/a?b=c', target: '/b', match: 'prefix' }, 'match'],
      [{ path: '/a', target: '/b', match: 'pattern' }, 'match'],
      [{ rules: [] }, 'rules'],
      [{ path: '/a', target: '/b', valid_from: '0000-01-01' }, 'valid_from'],
      [{ path: '/a', target: '/b', valid_until: '2026-02-30' }, 'valid_until'],
      [{ path: '/a', target: '/b', host: '*.example.com' }, 'host'],
      [{ path: 'https://a.example/a', target: '/b', host: 'b.example' }, 'host'],
      [{ path: 'https://u:p@example.com/x/:id', target: '/b' }, 'path'],
      [{ path: 'https:///x', target: '/b' }, 'path'],
      [{ path: '/a//:id', target: '/b' }, 'path'],
      [{ path: '/a', target: '/b', query: { utm_source: 'mail' } }, 'query'],
      [{ path: '/a', target: '/b', query: { id: 7 } }, 'query.id'],
      [{ path: '/a', target: '/b', query: 'keep' }, 'query'],
      [{ path: '/p-:id.html', target: '/b', match: 'prefix' }, 'match'],
      [{ path: '/---', target: '/b' }, 'path'],
      [{ path: '/a', target: '/b/:id' }, 'target'],
      [{ path: '/a/*', target: '/b/:id/:splat' }, 'target'],
      [{ path: '/a/:number/*', target: '/b/:year/:splat' }, 'target'],
      [{ path: '/a/:number/*', target: '/b/:number/:year' }, 'target'],
      [
        {
          rules: [
            { path: '/a', target: '/b' },
            { path: '/A/', target: '/c' },
          ],
        },
        'rules.1.path',
      ],
      [{ path: '/a', target: '/b', rules: [{ path: '/c', target: '/d' }] }, 'path'],
      [{ rules: [{ path: '/a', target: '/b' }, { path: 'a' }] }, 'rules.1.path'],
    ] as const) {
      const answer = await rules('POST', '', body);
      expect([answer.status, answer.body.error.param], answer.text).to.deep.equal([400, param]);
    }
    const reader = await sharedService().newProject();
    const forbidden = await reader.call('GET', '/v1/rules');
    expect([forbidden.status, forbidden.body.error.message]).to.deep.equal([
      403,
      'This API key lacks the scope rules.',
    ]);
    const put = await rules('PUT', '', {});
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, POST']);
    const [{ id }] = (await add({ path: '/mine', target: '/new' })).rules as [{ id: string }];
    const stranger = await sharedService().newProject({ scopes: ['rules'] });
    expect((await stranger.call('PATCH', `/v1/rules/${id}`, { code: 302 })).status).to.equal(404);
    expect((await stranger.call('DELETE', `/v1/rules/${id}`)).status).to.equal(404);
    expect((await stranger.call('DELETE', '/v1/rules/x')).status).to.equal(404);
  });
});
