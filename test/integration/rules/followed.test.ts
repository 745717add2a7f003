import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../support/guides.js';

describe('rules lead where their owner wrote', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-followed-'));
  });

  after(() => rm(folder, { recursive: true }));

  it('a chain is one hop, over wildcards too, and ends with what is gone; exports do the same', async () => {
    const site = await GuidesSite.open(folder);
    await site.import(
      '/d /b',
      '/b /guides/brakes',
      '/c /guides/brakes',
      '/e /c',
      '/a1 /store/brakes',
      '/store/* /guides/:splat',
      '/older/* /store/:splat',
      '/g1 /g2',
      '/g2 410',
    );
    for (const path of ['/d', '/e', '/a1', '/b', '/store/brakes', '/older/brakes'])
      for (const answer of [await site.proxy(path), await site.notFound(path)])
        expect(answer, path).to.equal(`301 ${GUIDES}/guides/brakes`);
    expect(await site.notFound('/g1')).to.equal('410');
    expect(await site.proxy('/g1')).to.equal('410');
    const { code, stdout, stderr } = await site.run('export', '--format', 'nginx');
    expect(code, stderr).to.equal(0);
    for (const path of ['/d', '/e', '/a1', '/b'])
      expect(stdout).to.match(new RegExp(`location = "${path}" \\{ return 301 ".*/guides/brakes"; \\}`));
    for (const path of ['/g1', '/g2']) expect(stdout).to.include(`location = "${path}" { return 410; }`);
    const tried = await site.run('try', '--json', '--from', '/d2', '--to', '/d');
    expect(tried.stdout).to.include('chain');
  });

  it('a redirect to a path with a query string goes on by the rule of the path, live and in exports', async () => {
    const site = await GuidesSite.open(folder);
    await site.import('/z1 /z2?x=1', '/z2 /guides/chain', '/z3 /z4?x=1', '/z4 410');
    expect(await site.proxy('/z1')).to.equal(`301 ${GUIDES}/guides/chain`);
    expect(await site.notFound('/z3')).to.equal('410');
    const { stdout, stderr } = await site.run('export', '--format', 'nginx');
    expect(stdout).to.include('location = "/z1" { return 301 "/guides/chain"; }');
    expect(stdout).to.include('location = "/z3" { return 410; }');
    expect(stderr).to.not.include('dead target');
  });

  it('a wildcard holds for its folder, too, live as in exports; another spelling of a page leads to the page', async () => {
    const site = await GuidesSite.open(folder);
    await site.import(
      '/dead/* 410',
      '/to-dead /dead/',
      '/blog/:number/* /guides/chain',
      '/to-blog /blog/2019/',
      '/spokes/* /guides/:splat',
      '/guides/brakes/* 410',
      '/shop/opening-hours/* /guides/chain',
    );
    for (const path of ['/dead/', '/dead', '/Dead/x', '/to-dead', '/guides/brakes/x'])
      expect(await site.notFound(path), path).to.equal('410');
    for (const path of ['/blog/2019/', '/blog/2019', '/blog/2019/05/x', '/to-blog', '/shop/opening-hours/x'])
      expect(await site.notFound(path), path).to.equal(`301 ${GUIDES}/guides/chain`);
    expect(await site.notFound('/guides/Brakes/')).to.equal(`302 ${GUIDES}/guides/brakes`);
    expect(await site.notFound('/Shop/opening-hours')).to.equal(`302 ${GUIDES}/shop/opening-hours`);
    expect(await site.notFound('/spokes/')).to.equal('404');
    const { stdout } = await site.run('export', '--format', 'nginx');
    expect(stdout).to.include('location = "/to-dead" { return 410; }');
    expect(stdout).to.include('location = "/to-blog" { return 301 "/guides/chain"; }');
    const tried = await site.run('try', '--from', '/dead/*', '--gone', '--json');
    expect(tried.code, tried.stderr).to.equal(0);
  });

  it('a loop answers as if there were no rule; a chain of ten is followed', async () => {
    const site = await GuidesSite.open(folder);
    const steps = Array.from({ length: 9 }, (_, at) => `/step-${at} /step-${at + 1}`);
    await site.import(
      '/round /again',
      '/again /round',
      '/brakes /self',
      '/self /brakes',
      ...steps,
      '/step-9 /guides/chain',
    );
    expect(await site.proxy('/round')).to.equal('404');
    expect(await site.proxy('/step-0')).to.equal(`301 ${GUIDES}/guides/chain`);
    const { stderr } = await site.run('export', '--format', 'nginx');
    expect(stderr).to.include('loop: /round: ');
  });

  it('a target on another host is answered and exported with exactly the address in the file, and by no guess', async () => {
    const site = await GuidesSite.open(folder);
    const rules: [string, string, string?][] = [
      ['/p', '//cdn.example.net/guides/chain', 'https://cdn.example.net/guides/chain'],
      ['/guides/wheel', 'https://docs.partner.example/guides/wheel'],
      ['/b', 'https://other.example/c'],
      ['/docs/x', 'https://docs.example.com/docs/x'],
      ['/plan', 'https://docs.partner.example/plan.pdf'],
      ['/anchor', 'http://other.example:8080/A/Page.html?x=1&y=2#part'],
    ];
    const { code, stderr } = await site.import(
      ...rules.map(([from, to]) => `${from} ${to}`),
      '/c /guides/brakes',
      '/to-b /b',
      '/manual/* https://docs.partner.example/manual/:splat',
    );
    expect(code, stderr).to.equal(0);
    expect(stderr)
      .to.include('line 8: the project has no page /b')
      .and.not.match(/line (?!8:)/);
    for (const [from, to, written = to] of rules)
      for (const answer of [await site.proxy(from), await site.notFound(from)])
        expect(answer, from).to.equal(`301 ${written}`);
    expect(await site.proxy('/to-b')).to.equal('301 https://other.example/c');
    expect(await site.proxy('/manual/a%20b/c/?x=1')).to.equal('301 https://docs.partner.example/manual/a%20b/c/');
    expect(await site.proxy('/manual//evil.example/x')).to.match(/^301 https:\/\/docs\.partner\.example\/manual\//);
    expect(await site.proxy('https://other.example/c'), 'a url of the site again').to.not.equal(
      '301 https://other.example/c',
    );
    for (const format of 'nginx apache caddy traefik haproxy iis netlify vercel cloudflare json csv'.split(' ')) {
      const exported = await site.run('export', '--format', format);
      expect(exported.code, `${format}: ${exported.stderr}`).to.equal(0);
      for (const address of [
        'https://cdn.example.net/guides/chain',
        'https://docs.partner.example/guides/wheel',
        'https://docs.partner.example/plan.pdf',
        'https://docs.example.com/docs/x',
        'https://other.example/c',
      ])
        expect(exported.stdout.replaceAll('\\', ''), format).to.include(address);
      expect(exported.stdout, format).to.not.match(/example\.com\/(?:c|docs\/x|plan|guides\/wheel)\b.*example\.com/);
    }
    const listed = await site.run('list', '--json');
    expect(listed.stdout).to.include('https://docs.partner.example/plan.pdf');
    const added = await site.run('add', '--from', '/away', '--to', '//cdn.example.net/away', '--json');
    expect(JSON.parse(added.stdout)).to.deep.include({ changed: 1, problems: [] });
    expect(await site.proxy('/away')).to.equal('301 https://cdn.example.net/away');
  });

  it('no guess stands in for a redirect that waits for its page', async () => {
    const site = await GuidesSite.open(folder);
    await site.import('/guides/flat-tyres /guides/coming-soon');
    expect(await site.proxy('/guides/flat-tyres')).to.equal('404');
    expect(await site.proxy('/guides/flat-tyre-s')).to.equal(`302 ${GUIDES}/guides/flat-tyre`);
  });
});
