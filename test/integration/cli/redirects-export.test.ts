import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pageUrls, readRedirects } from '#src/rules/known-redirects.js';
import { importRedirects, type RedirectReport } from '#src/moves/import-redirects.js';
import type { RedirectFormat } from '#src/moves/redirect-files/redirect-file.js';
import { compileRules } from '#src/moves/redirect-rules/compile.js';
import { EXPORT_FORMATS, writeFormat } from '#src/moves/redirect-rules/formats.js';
import { pushPages } from '../../support/moves.js';
import { runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

describe('redirects export, beside a running server', function () {
  this.timeout(180_000);
  let folder: string;
  let project: TestProject;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-export-'));
  });

  after(() => rm(folder, { recursive: true }));

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/docs/install', '/docs/run', '/docs/a/b', '/about', '/shop/tea', '/news');
  });

  const run = (command: string, ...args: string[]): Promise<Finished> =>
    runInProcess(['redirects', command, '--project', project.row.name, ...args], sharedService().database.environment);

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
      '/old/install https://shop.example/docs/install 301!',
      '/old/run https://shop.example/about 301!',
      '/shop/black-tea https://shop.example/shop/tea 301!',
      '/shop/green-tea https://shop.example/shop/tea 301!',
      '/who https://shop.example/about 301!',
      '/manual/* https://shop.example/docs/:splat 301!',
      '',
    ]);
    expect(stderr).to.include('8 redirects became 6 rules');
    const literal = await run('export', '--format', 'netlify', '--literal');
    expect(literal.stdout.split('\n')).to.have.length(10).and.include('/manual/run https://shop.example/docs/run 301!');
  });

  it('mends chains, and says what it leaves out: loops, dead targets, live pages', async () => {
    await importText('/a /b\n/b /about\n/x /nowhere\n/l /m\n/m /l\n/news /about\n/about /about\n');
    const { code, stdout, stderr } = await run('export', '--format', 'nginx');
    expect(code, stderr).to.equal(0);
    expect(stdout.match(/location .*/g)).to.deep.equal([
      'location = "/a" { return 301 "https://shop.example/about"; }',
      'location = "/b" { return 301 "https://shop.example/about"; }',
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

  it('changes nothing when it is imported again, in any format', async () => {
    const { service } = sharedService();
    const { db } = service;
    const id = project.row.project_id;
    const importFile = (text: string, format?: RedirectFormat): Promise<RedirectReport> =>
      writeFile(join(folder, id), text).then(() =>
        importRedirects({ db, clock: service.deps.clock }, id, join(folder, id), () => undefined, format),
      );
    await importFile(
      '/manual/install /docs/install\n/a%20b"c /about\n/ü/ö?id=7 /news\n/blog/* /docs/:splat\n/x/* /about\n',
    );
    for (const format of EXPORT_FORMATS) {
      const { known, wildcards } = await readRedirects(db, id);
      const { rules } = await compileRules(known, wildcards, pageUrls(db, id), { literal: true });
      const { text, unfit } = writeFormat(format, rules);
      expect(unfit, format).to.have.length(format === 'cloudflare' ? 1 : 0);
      expect(await importFile(text, format), format).to.deep.include({
        created: 0,
        updated: 0,
        bad: [],
        without_page: [],
        unchanged: 5 - unfit.length,
      });
    }
  });

  it('says what does not fit the limits of a host, and ends with code 3', async () => {
    await importText(Array.from({ length: 2_001 }, (_, at) => `/old-${at} /about`).join('\n'));
    const { code, stdout, stderr } = await run('export', '--format', 'cloudflare');
    expect(code).to.equal(3);
    expect(stdout.split('\n')).to.have.length(2_002);
    expect(stderr)
      .to.match(/^left out: "\/old-\d+" to https:\/\/shop\.example\/about: Cloudflare takes 2,000/m)
      .and.include('1 rules do not fit cloudflare');
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
    expect([proxied.status, proxied.headers.get('location')]).to.deep.equal([302, 'https://shop.example/docs/run']);
    const listed = JSON.parse((await run('list', '--json')).stdout) as { path: string; url: string }[];
    expect(listed.map(({ path, url }) => `${path} ${url}`)).to.include.members([
      '/manual/* /docs/:splat',
      '/blog/* /news',
    ]);
    expect((await run('delete', '--path', '/blog/*')).code).to.equal(0);
    expect(await best('/blog/2016/anything')).not.to.deep.equal(['/news', true]);
  });
});
