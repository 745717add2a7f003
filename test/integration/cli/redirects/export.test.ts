import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { listRuleRows } from '#src/rules/store/rules.js';
import type { RedirectReport } from '#src/rules/import-export/redirect-report.js';
import { exportRules } from '#src/rules/import-export/export-rules.js';
import { importRules } from '#src/rules/import-export/import-redirects.js';
import type { RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { EXPORT_FORMATS, EXPRESSION_FORMATS } from '#src/rule-formats/write/formats.js';
import { pushPages } from '../../../support/moves.js';
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

  it('makes a wildcard of what moved together, and of nothing that another case or a live page contradicts', async () => {
    await importText(
      [
        '/manual/install /docs/install',
        '/manual/run /docs/run',
        '/manual/a/b /docs/a/b',
        '/shop/green-tea /shop/tea',
        '/shop/black-tea /shop/tea',
        '/who /about',
        '/old/install /docs/install',
        '/old/run /about',
      ].join('\n'),
    );
    const { code, stdout, stderr } = await run('export', '--format', 'netlify');
    expect(code, stderr).to.equal(0);
    expect(stdout.split('\n')).to.deep.equal([
      '# _redirects of Netlify',
      '/old/install /docs/install 301!',
      '/old/run /about 301!',
      '/shop/black-tea /shop/tea 301!',
      '/shop/green-tea /shop/tea 301!',
      '/who /about 301!',
      '/manual/* /docs/:splat 301!',
      '',
    ]);
    expect(stderr).to.include('8 redirects became 6 rules');
    const literal = await run('export', '--format', 'netlify', '--literal');
    expect(literal.stdout.split('\n')).to.have.length(10).and.include('/manual/run /docs/run 301!');
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

  it('changes nothing when it is imported again where rules lead over others; another end does', async () => {
    const chains = [
      ...['/a /b', '/b /about', '/g /h', '/h 410', '/w/* /v/:splat', '/v/* /docs/:splat'],
      ...['/x/* /a', '/dead/* /lost/:splat', '/lost/* 410', '/below /w/run'],
    ];
    await importText(chains.join('\n'));
    for (const format of ['nginx', 'caddy', 'json', 'csv']) {
      const { stdout } = await run('export', '--format', format);
      expect(await importText(stdout, '--format', format === 'json' ? 'jsonl' : format), format).to.deep.include({
        ...{ created: 0, updated: 0, gone: 0, bad: 0 },
      });
    }
    const rows = async (): Promise<unknown> =>
      (await listRuleRows(sharedService().service.db, project.row.project_id, {}, undefined, 100)).map(
        ({ path, target }) => `${path} ${target ?? '410'}`,
      );
    expect(await rows()).to.include.members(['/a /b', '/w/* /v/:splat', '/x/* /a', '/dead/* /lost/:splat']);
    expect(await importText('/a /news\n/b /about\n')).to.deep.include({ created: 0, updated: 1, unchanged: 1 });
    expect(await importText('/b /news\n/below /docs/run\n')).to.deep.include({ updated: 1, unchanged: 1 });
    expect(await rows()).to.include.members(['/a https://shop.example/news', '/below /w/run']);
  });

  for (const literal of [true, false])
    it(`changes nothing when it is imported again, in any format${literal ? ', one rule each' : ', with the wildcards and rewritings that it made'}`, async () => {
      const { service } = sharedService();
      const { db } = service;
      const id = project.row.project_id;
      await pushPages(project, '/posts/a', '/posts/b');
      const importFile = (text: string, format?: RedirectFormat): Promise<RedirectReport> =>
        writeFile(join(folder, id), text).then(() =>
          importRules({ db, clock: service.deps.clock }, id, join(folder, id), () => undefined, format),
        );
      await importFile(
        [
          ...['/manual/install /docs/install', '/manual/run /docs/run', '/manual/a/b /docs/a/b'],
          ...['/tea/1 /shop/tea', '/tea/2 /shop/tea', '/tea/3 /shop/tea', '/tea/x/4 /shop/tea'],
          ...['/guide/install.html /docs/install', '/guide/run.html /docs/run', '/guide/ /about'],
          ...['/2016/12/14/a /posts/a', '/2017/01/02/b /posts/b'],
          ...['/a%20b"c /about', '/ü/ö?id=7 /news', '/later /not-there-yet'],
          ...['/blog/* /docs/:splat', '/x/* /about', '/issue/:number/:number/* /news', '/n/:number/* /docs/:splat'],
          ...[
            ['/old/%2Fslash', '/about'],
            ['/old/%20enc', '/news'],
            ['/old/:colon', '/shop/tea'],
            ['/old/ü.html', '/about'],
          ].map(([path, expected]) => JSON.stringify({ path, expected })),
          ...['/gone 410', '/Gone/Ü%20b 410', '/lost/* 410', '/lost/:number/* 410'],
          ...['{"path": "/wp-login.php", "action": "ignore"}', '{"path": "/wp/*", "action": "ignore"}'],
        ].join('\n'),
      );
      // As they are spelt; who made a wildcard, and when, stays, too.
      const stored = async (): Promise<unknown> =>
        (await listRuleRows(db, id, {}, undefined, 1_000))
          .map(({ made_at, ...rule }) => ({ ...rule, made_at: rule.kind === 'exact' ? null : made_at }))
          .sort((a, b) => a.key.localeCompare(b.key));
      const before = await stored();
      expect(before).to.have.length(29);
      for (const format of EXPORT_FORMATS) {
        const { text, rules, left } = await exportRules(db, id, format, literal);
        const isExpression = EXPRESSION_FORMATS.some((one) => one === format);
        const isDecoded = format === 'apache' || format === 'iis';
        if (isExpression)
          expect(rules, format).to.equal((literal ? 23 : 16) + (format === 'traefik' ? 0 : 4) - (isDecoded ? 1 : 0));
        expect(left.filter(({ path }) => path === '/old/%2Fslash')).to.have.length(isDecoded ? 1 : 0);
        const report = await importFile(text, format);
        expect(report, format).to.deep.include({
          created: 0,
          updated: 0,
          gone: 0,
          ignored: 0,
          bad: [],
          overwritten: [],
        });
        expect(report.compiled, format).to.equal(literal ? 0 : isExpression ? 4 : 2);
        expect(await stored(), format).to.deep.equal(before);
      }
    });

  it('an exported wildcard is no new rule when the site has changed since; one that a person wrote is', async () => {
    await importText('/manual/install /docs/install\n/manual/run /docs/run\n');
    const exported = (await run('export', '--format', 'nginx')).stdout;
    expect(exported).to.include('location ^~ "/manual/"');
    // A page below the wildcard: the next export will not make it.
    await pushPages(project, '/manual/new');
    expect(await importText(exported)).to.include({ created: 0, updated: 0, unchanged: 1, compiled: 1 });
    const written = '/manual/install /docs/install\n/manual/run /docs/run\n/manual/* /docs/:splat\n';
    expect(await importText(written)).to.include({ created: 1, unchanged: 2, compiled: 0 });
    // It is a rule now, and can be changed.
    expect(await importText('/manual/* /about\n')).to.include({ updated: 1, compiled: 0 });
  });

  it('a rewriting that the redirects do not show is a pattern', async () => {
    await importText('/guide/install.html /docs/install\n/guide/run.html /docs/run\n');
    const exported = (await run('export', '--format', 'apache')).stdout;
    expect(exported.match(/^RewriteRule/gm)).to.have.length(1);
    await importText('/guide/a.html /about\n');
    const file = join(folder, 'apache');
    await writeFile(file, exported);
    const { code, stderr } = await run('import', file, '--format', 'apache');
    expect(code, stderr).to.equal(0);
    const rules = JSON.parse((await run('list', '--kind', 'pattern', '--json')).stdout) as {
      path: string;
      url: string;
    }[];
    expect(rules.map(({ path, url }) => `${path} ${url}`)).to.deep.equal(['/guide/*.html /docs/:splat']);
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
