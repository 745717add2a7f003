import { sql } from '#src/platform/database/sql.js';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { runInProcess } from '../../support/commands.js';
import { listen } from '../../support/listen.js';
import { runCli, type Finished } from '../../support/processes.js';
import { startTestService, type TestService } from '../../support/service.js';
import { startWebServer, webServerProgram } from '../../support/web-servers.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const PAGES: Record<string, string> = {
  '/docs/install': 'Install the program with the package manager of your system, then start the service.',
  '/docs/configure': 'Every setting is an environment variable. This page lists the settings and their defaults.',
  '/docs/backup': 'Back up the database every night, and try to restore the backup on another machine.',
  '/shop/grinder': 'A grinder for coffee beans with steel burrs, forty steps and a timer.',
  '/about-us': 'Who we are: a family of roasters in the hills, since 1987.',
};

const OLD = `url,title,hits
/manual/install.html,Installation,900
/manual/configure.html,Configuration,300
/manual/backup.html,,20
/products/grinder,"Coffee grinder, steel burrs",50
/zzz/qwertz-7731,,2
/docs/install,Installation,5
not-a-path,,1
`;

describe('docs/start/migrate.md, typed', function () {
  this.timeout(240_000);
  let test: TestService;
  const folder = temporaryFolder();
  let environment: Record<string, string>;

  before(async () => {
    test = await startTestService();
    for (const name of ['dist', 'node_modules']) await symlink(join(packageRoot(), name), join(folder, name));
    environment = { PATH: process.env['PATH'] ?? '', HOME: folder, ...test.database.environment };
    const project = await test.newProject();
    const { project_id: id } = project.row;
    await sql`update pathmend.projects set name = 'mysite' where project_id = ${id}`.execute(test.service.db);
    for (const [path, content] of Object.entries(PAGES))
      await project.upsert({ url: `https://new.example${path}`, content });
    await project.indexed();
    await writeFile(join(folder, 'old-urls.csv'), OLD);
  });

  after(async () => {
    await test.stop();
  });

  const type = async (block: string): Promise<Finished> => typeBlock(block, { cwd: folder, env: environment });

  it('an old list becomes a sheet, rules, and a site on which every old url ends on its page', async function () {
    if (webServerProgram('nginx') === undefined && process.env['CI'] !== 'true') this.skip();
    const [map = '', importing = '', exporting = '', verify = ''] = await shellBlocks(
      'docs/start/migrate.md',
      'Move a site to new URLs',
    );
    const mapped = await type(map);
    expect(mapped.code, mapped.stderr).to.equal(0);
    expect(mapped.stderr).to.include('1 are pages already').and.include('line 8: "not-a-path"');
    const sheet = await readFile(join(folder, 'sheet.csv'), 'utf8');
    const rows = sheet.trim().split('\n');
    expect(rows[0]).to.equal('old,new,score,action,second,second_score,hits,why');
    expect(rows.find((row) => row.startsWith('/manual/install.html,'))).to.include('https://new.example/docs/install');
    expect(rows.find((row) => row.startsWith('/products/grinder,'))).to.include('https://new.example/shop/grinder');
    expect(rows.find((row) => row.startsWith('/zzz/'))).to.match(/,(?:gone|review),/);

    // A person accepts every proposal in the sheet, and leaves the nonsense path undecided.
    const decided = rows.map((row) =>
      row.startsWith('/zzz/') ? row.replace(',gone,', ',review,') : row.replace(',review,', ',redirect,'),
    );
    await writeFile(join(folder, 'sheet.csv'), `${decided.join('\n')}\n`);
    const imported = await type(importing);
    expect(imported.code, imported.stderr).to.equal(0);
    expect(imported.stdout).to.include('4 redirects stored').and.include('0 lines refused');
    expect(imported.stderr).to.include('1 rows marked review are not stored');

    const exported = await type(exporting);
    expect(exported.code, exported.stderr).to.equal(0);
    const rules = await readFile(join(folder, 'redirects.conf'), 'utf8');
    const server = await startWebServer('nginx', rules, Object.keys(PAGES));
    try {
      const verified = await type(verify.replace('http://127.0.0.1:8080', server.url));
      expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
      expect(verified.stdout).to.include('4 of 4 old urls end on their page');
    } finally {
      await server.stop();
    }
    const bare = await startWebServer('nginx', '', Object.keys(PAGES));
    try {
      const missed = await type(verify.replace('http://127.0.0.1:8080', bare.url));
      expect(missed.code).to.equal(1);
      expect(missed.stdout).to.include('/manual/install.html: is 404, not on https://new.example/docs/install');
    } finally {
      await bare.stop();
    }
  });

  it('a packed access log or sitemap becomes a sheet, with the hits of the log', async () => {
    const request = (path: string, status: number): string =>
      `192.0.2.7 - - [10/Oct/2025:13:55:36 +0000] "GET ${path} HTTP/1.1" ${status} 12 "-" "Mozilla/5.0"\n`;
    const log = `${request('/manual/install.html', 404).repeat(3)}${request('/docs/backup', 404)}${request('/about-us', 200)}`;
    await writeFile(join(folder, 'access.log.gz'), gzipSync(log));
    const mapped = await runCli(
      ['redirects', 'map', '--project', 'mysite', '--json', join(folder, 'access.log.gz')],
      environment,
    );
    expect(mapped.code, mapped.stderr).to.equal(0);
    const { rows, ...counts } = JSON.parse(mapped.stdout) as { rows: { old: string; hits: number; new: string }[] };
    expect(counts).to.include({ urls: 1, live: 1, refused: 0 });
    expect(rows[0]).to.include({ old: '/manual/install.html', hits: 3, new: 'https://new.example/docs/install' });

    const sitemap = '<urlset><url><loc>https://old.example/manual/backup.html</loc></url></urlset>';
    await writeFile(join(folder, 'sitemap.xml.gz'), gzipSync(sitemap));
    const listed = await runCli(
      ['redirects', 'map', '--project', 'mysite', join(folder, 'sitemap.xml.gz')],
      environment,
    );
    expect(listed.stdout, listed.stderr).to.include(
      '\nhttps://old.example/manual/backup.html,https://new.example/docs/backup,',
    );
  });

  it('only what is surely nothing is gone: files and probes are left out by name, and what a page may answer is not', async () => {
    const file = join(folder, 'asked-for.txt');
    const files = `/robots.txt /ads.txt /favicon.ico /.well-known/security.txt /fonts/a.woff2 /wp-login.php`.split(
      /\s+/,
    );
    const doubtful = ['/old/backing-up-things', '/?id=7', '/12345'];
    await writeFile(file, [...files, ...doubtful, '/zzz/qqqq-xyzzy'].join('\n'));
    const mapped = await runInProcess(['redirects', 'map', '--project', 'mysite', '--json', file], environment);
    expect(mapped.code, mapped.stderr).to.equal(0);
    const { rows, left_out } = JSON.parse(mapped.stdout) as {
      rows: { old: string; action: string }[];
      left_out: string[];
    };
    expect(left_out).to.have.members(files);
    expect(mapped.stderr).to.include('6 left out').and.include('/ads.txt');
    expect(rows.map(({ old }) => old)).to.have.members([...doubtful, '/zzz/qqqq-xyzzy']);
    for (const { old, action } of rows) if (doubtful.includes(old)) expect(action, old).not.to.equal('gone');
  });

  it('the sitemaps of an index are read where the operator names their origin, by its url or with --allow', async () => {
    const served: Record<string, string> = {
      '/index.xml':
        '<sitemapindex><sitemap><loc>HOST/a.xml</loc></sitemap><sitemap><loc>HOST/none.xml</loc></sitemap><sitemap><loc>http://169.254.169.254/x.xml</loc></sitemap></sitemapindex>',
      '/a.xml': '<urlset><url><loc>https://old.example/manual/install.html</loc></url></urlset>',
    };
    const requestedPaths: string[] = [];
    const server = createServer((request, response) => {
      requestedPaths.push(request.url ?? '');
      const body = served[request.url ?? '']?.replaceAll('HOST', `http://${request.headers.host ?? ''}`);
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    const site = await listen(server);
    const origin = site.url;
    try {
      const map = (...args: string[]): Promise<Finished> =>
        runInProcess(['redirects', 'map', '--project', 'mysite', '--json', ...args], environment);
      const byUrl = await map(`${origin}/index.xml`);
      expect(byUrl.code, byUrl.stderr).to.equal(0);
      expect(JSON.parse(byUrl.stdout)).to.deep.include({ urls: 1, refused: 2 });
      expect(byUrl.stderr)
        .to.include('none.xml is a sitemap that cannot be read: the server answers 404')
        .and.include('http://169.254.169.254/x.xml is a sitemap of an origin that may not be requested');
      const file = join(folder, 'index.xml');
      await writeFile(file, (served['/index.xml'] ?? '').replaceAll('HOST', origin));
      requestedPaths.length = 0;
      const unnamed = await map(file);
      expect(JSON.parse(unnamed.stdout), 'nobody is asked whom only the file names').to.deep.include({
        urls: 0,
        refused: 3,
      });
      expect(requestedPaths).to.deep.equal([]);
      expect(JSON.parse((await map(file, '--allow', origin)).stdout)).to.deep.include({ urls: 1, refused: 2 });
    } finally {
      await site.stop();
    }
  });

  it('check names the pages of a build that the next one lacks without a redirect', async () => {
    const [check = ''] = await shellBlocks('docs/reference/formats.md', 'Check a build in CI');
    const [now, next] = [join(folder, 'site-now'), join(folder, 'site-next')];
    for (const file of ['index.html', 'a/index.html', 'b.html', 'old/x/index.html', 'ü ber.html', 'image.png']) {
      await mkdir(join(now, file, '..'), { recursive: true });
      await writeFile(join(now, file), file);
    }
    await cp(now, next, { recursive: true });
    expect((await type(check)).code).to.equal(0);
    for (const file of ['b.html', 'old', 'ü ber.html']) await rm(join(next, file), { recursive: true });
    await writeFile(join(next, '_redirects'), '/b /a/ 301\n/old/* /nowhere/:splat 301\n');
    const lost = await type(check);
    expect(lost.code).to.equal(1);
    expect(lost.stdout)
      .to.include('/%C3%BC%20ber.html vanishes: no redirect')
      .and.include('/old/x/ vanishes: redirects to /nowhere/x/, which is no page either')
      .and.not.include('/b.html');
    await writeFile(join(folder, 'more.csv'), 'from,to\n/ü ber.html,/a/\n/old/x/,https://elsewhere.example/\n');
    const { code, stdout } = await runInProcess(
      ['redirects', 'check', '--before', now, '--after', next, '--redirects', join(folder, 'more.csv'), '--json'],
      {},
    );
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, { pages_before: 5, pages_after: 2, redirects: 4, lost: [] }]);
  });
});
