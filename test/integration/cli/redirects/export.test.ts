import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { listRuleRows } from '#src/rules/store/rules.js';
import { EXPORT_FORMATS } from '#src/rule-formats/write/formats.js';
import { pushPages } from '../../../support/learned-redirects.js';
import { runInProcess } from '../../../support/commands.js';
import { type Finished } from '../../../support/processes.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('redirects export, beside a running server', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/docs/install', '/docs/run', '/docs/a/b', '/about', '/shop/tea', '/news');
  });

  const run = (command: string, ...args: string[]): Promise<Finished> =>
    runInProcess(['redirects', command, '--project', project.row.name, ...args]);

  async function importText(text: string, ...args: string[]): Promise<Record<string, unknown>> {
    const file = join(folder, project.row.project_id);
    await writeFile(file, text);
    const { code, stdout, stderr } = await run('import', file, '--json', ...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it('writes an entry for each redirect, and takes no path that nobody decided', async () => {
    const rules = ['/manual/install /docs/install', '/manual/run /docs/run', '/tea/1 /shop/tea', '/tea/2 /shop/tea'];
    await importText(rules.join('\n'));
    const { code, stdout, stderr } = await run('export', '--format', 'netlify');
    expect(code, stderr).to.equal(0);
    expect(stdout.split('\n')).to.deep.equal(['# _redirects of Netlify', ...rules.map((rule) => `${rule} 301!`), '']);
    expect(stderr).to.include('4 redirects became 4 rules');
  });

  it('mends chains, and says what it leaves out: loops, dead targets, live pages', async () => {
    await importText('/a /b\n/b /about\n/x /nowhere\n/l /m\n/m /l\n/news /about\n/about /about\n');
    const { code, stdout, stderr } = await run('export', '--format', 'nginx');
    expect(code, stderr).to.equal(0);
    expect(stdout.match(/location .*/g)).to.deep.equal([
      'location = "/a" { return 301 "/about"; }',
      'location = "/b" { return 301 "/about"; }',
    ]);
    for (const line of [
      /^chain: \/a: over \/b to https:\/\/shop\.example\/about/m,
      /^dead target: \/x: \/nowhere is no indexed page/m,
      /^loop: \/l: leads round in a circle/m,
      /^live source: \/news: https:\/\/shop\.example\/news is a page/m,
      /^loop: \/about: leads to itself/m,
    ])
      expect(stderr).to.match(line);
  });

  it('names own pages by path, and with their host on demand or where the project has several', async () => {
    await importText('/who /about\n/tea /shop/tea\n');
    for (const format of EXPORT_FORMATS) {
      expect((await run('export', '--format', format)).stdout, format).to.not.include('shop.example');
      const { stdout } = await run('export', '--format', format, '--absolute');
      expect(stdout.replaceAll('\\', ''), format).to.include('https://shop.example/about');
    }
    await project.upsert({ url: 'https://docs.example/start', content: 'Where to start.' });
    expect((await run('export', '--format', 'csv')).stdout).to.include('/who,https://shop.example/about,301');
  });

  it('a folder is redirected with the slash at its end and without; a page or a rule of that name is left alone', async () => {
    await pushPages(project, '/taken');
    await importText(
      '/archetypes/ /about\n/taken/ /news\n/shop/tea/ /shop/tea\n/both/ /about\n/both /about\n/over/ 410\n/file /about\n',
    );
    const { stdout } = await run('export', '--format', 'nginx');
    expect(stdout.match(/location = .*/g)?.map((line) => line.replace('location = ', ''))).to.have.members([
      '"/archetypes/" { return 301 "/about"; }',
      '"/archetypes" { return 301 "/about"; }',
      '"/taken/" { return 301 "/news"; }',
      '"/shop/tea/" { return 301 "/shop/tea"; }',
      '"/both/" { return 301 "/about"; }',
      '"/both" { return 301 "/about"; }',
      '"/over/" { return 410; }',
      '"/over" { return 410; }',
      '"/file" { return 301 "/about"; }',
    ]);
    for (const format of ['netlify', 'json', 'csv'])
      expect((await run('export', '--format', format)).stdout, format).to.not.match(/\/archetypes[^/]/);
  });

  for (const format of ['json', 'csv'] as const)
    it(`in ${format} changes nothing when it is imported again: rules of all kinds, chains, loops, and spellings`, async () => {
      await importText(
        [
          ...['/manual/install /docs/install', '/Manual/Install /docs/install', '/guide/run.html /docs/run'],
          ...['/a /b', '/b /about', '/g /h', '/h 410', '/w/* /v/:splat', '/v/* /docs/:splat', '/x/* /a'],
          ...['/l /m', '/m /l', '/news /about', '/later /not-there-yet', '/dead/* /lost/:splat', '/lost/* 410'],
          ...['/a%20b"c /about', '/ü/ö?id=7 /news', '/blog/* /docs/:splat', '/p-:id.html /docs/:id', '/below /w/run'],
          ...['/issue/:number/:number/* /news', '/gone 410', '/Gone/Ü%20b 410', '/gone/:number/* 410', '/law 451'],
          ...[
            ['/old/%2Fslash', '/about'],
            ['/old/:colon', '/shop/tea'],
            ['/old/ü.html', 'https://partner.example/Ü?x=1#part'],
          ].map(([path, expected]) => JSON.stringify({ path, expected })),
          ...[
            { path: '/offer', host: 'old.example', query: { year: '2026' }, code: 302, valid_until: '2999-01-31' },
            { path: '/offer', pass_query: true, valid_from: '2020-01-31' },
            { path: '/p-:number.html', match: 'pattern', code: 308, host: 'old.example' },
          ].map((rule) => JSON.stringify({ target: '/docs/install#prices', ...rule })),
          ...['{"path": "/wp-login.php", "action": "ignore"}', '{"path": "/wp/*", "action": "ignore"}'],
        ].join('\n'),
      );
      const stored = (): Promise<unknown> =>
        listRuleRows(sharedService().service.db, project.row.project_id, {}, undefined, 1_000);
      const before = await stored();
      expect(before).to.have.length(33);
      const { code, stdout, stderr } = await run('export', '--format', format);
      expect(code, stderr).to.equal(0);
      expect(await importText(stdout, '--format', format)).to.deep.include({
        ...{ created: 0, updated: 0, gone: 0, ignored: 0, overwritten: 0, bad: 0 },
      });
      expect(await stored()).to.deep.equal(before);
    });

  it('says what does not fit the limits of a host, and ends with code 3', async () => {
    await importText(Array.from({ length: 2_001 }, (_, at) => `/old-${at} /about`).join('\n'));
    const { code, stdout, stderr } = await run('export', '--format', 'cloudflare');
    expect(code).to.equal(3);
    expect(stdout.split('\n')).to.have.length(2_002);
    expect(stderr)
      .to.match(/^left out: "\/old-\d+" to \/about: Cloudflare takes 2,000/m)
      .and.include('1 rule does not fit cloudflare');
  });

  it('names a wildcard that would hide pages, and ends with code 3: pathmend obeys it', async () => {
    await importText('/shop/* /about\n/manual/* /docs/:splat\n');
    const { code, stdout, stderr } = await run('export', '--format', 'netlify');
    expect([code, stdout]).to.deep.equal([3, '# _redirects of Netlify\n/manual/* /docs/:splat 301!\n']);
    expect(stderr)
      .to.include('shadows pages: /shop/*: https://shop.example/shop/tea is below it')
      .and.include('1 rule would hide pages, and was left out');
  });

  it('an imported wildcard answers suggest and proxy; a redirect of one path overrules it; delete forgets it', async () => {
    expect(await importText('/manual/* /docs/:splat\n/blog/* /news\n/manual/about /about\n')).to.include({
      created: 3,
      bad: 0,
    });
    const best = async (path: string): Promise<unknown[]> => {
      const { body } = await project.post('/v1/suggest', { path, limit: 1 });
      return [body.suggestions[0]?.url, body.suggestions[0]?.score > 0.9];
    };
    expect(await best('/manual/a/b')).to.deep.equal(['/docs/a/b', true]);
    expect(await best('/blog/2016/anything')).to.deep.equal(['/news', true]);
    expect(await best('/manual/about')).to.deep.equal(['/about', true]);
    const proxied = await project.call('GET', '/v1/proxy?url=/manual/run');
    expect([proxied.status, proxied.headers.get('location')]).to.deep.equal([301, 'https://shop.example/docs/run']);
    const listed = JSON.parse((await run('list', '--json')).stdout) as { path: string; url: string }[];
    expect(listed.map(({ path, url }) => `${path} ${url}`)).to.include.members([
      '/manual/* /docs/:splat',
      '/blog/* /news',
    ]);
    expect((await run('delete', '--path', '/blog/*')).code).to.equal(0);
    expect(await best('/blog/2016/anything')).not.to.deep.equal(['/news', true]);
  });
});
