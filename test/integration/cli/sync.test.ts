import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { writeFiles } from '../../unit/sources/read-all.js';

const SITE = 'https://shop.example';
const NOTHING = {
  created: 0,
  updated_content: 0,
  updated_metadata: 0,
  unchanged: 0,
  gone: 0,
  refused: 0,
  redirects: 0,
};

describe('pages sync, beside a running server', function () {
  this.timeout(180_000);
  let folder: string;
  let project: TestProject;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-sync-'));
    project = await sharedService().newProject();
  });

  afterEach(() => rm(folder, { recursive: true }));

  const run = (source: string, args: string[] = [], input?: string): Promise<Finished> =>
    runInProcess(
      ['pages', 'sync', '--project', project.row.name, source, ...args, '--json'],
      sharedService().database.environment,
      input,
    );

  async function sync(source: string, args: string[] = [], input?: string): Promise<unknown> {
    const { code, stdout, stderr } = await run(source, args, input);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }

  const rows = (numbers: number[], more: object = {}): string =>
    numbers
      .map((n) => ({ url: `${SITE}/page-${n}`, title: `Page ${n}`, content: `All about number ${n}.`, ...more }))
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');

  const numbers = (count: number, from = 1): number[] => Array.from({ length: count }, (_, at) => from + at);

  const stored = (): Promise<{ url: string; title: string | null; content: string; metadata: unknown }[]> =>
    project.query(
      `select url, title, content, metadata from pathmend.pages where project_id = $1 order by url collate "C"`,
    );

  const jobs = async (): Promise<number> =>
    (await project.query(`select from pgboss.job where name = 'vectorize-page' and data->>'projectId' = $1`)).length;

  it('leaves out paths by pattern, names them, and with --prune deletes what was stored of them', async () => {
    await sync('-', [], rows(numbers(12)));
    const patterns = ['--exclude', '/page-1*', '/page-2', '--include', '/page-*', '--prune', '--force'];
    const { code, stderr } = await run('-', patterns, rows(numbers(12)));
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include('4 files left out: left out by the pattern /page-1*');
    const paths = (await stored()).map(({ url }) => url.replace(SITE, ''));
    expect(paths).to.deep.equal(numbers(7, 3).map((number) => `/page-${number}`));
    expect((await run('-', ['--exclude', 'page'], '')).stderr).to.include('page is no pattern of paths');
  });

  it('keeps the report of each run, how it ended, and no credentials', async () => {
    const kept = (): Promise<Record<string, unknown>[]> =>
      project.query(`select source, prune, dry_run, outcome, report, problem, refusals, ended_at is not null as ended
           from pathmend.sync_runs where project_id = $1 order by began_at desc`);
    await sync('-', ['--wait'], rows(numbers(3)));
    const [first] = await kept();
    expect(first).to.deep.equal({
      source: 'stdin',
      prune: false,
      dry_run: false,
      outcome: 'done',
      report: { ...NOTHING, created: 3 },
      problem: null,
      refusals: [],
      ended: true,
    });
    await run('-', ['--dry-run', '--prune'], rows([1], { content: '' }) + rows([2]));
    const [second] = await kept();
    expect(second).to.include({ dry_run: true, prune: true, outcome: 'incomplete' });
    expect(second?.['refusals']).to.have.length(1);
    expect(second?.['problem']).to.match(/^Nothing was deleted: /);
    const secret = 'http://user:hunter2@127.0.0.1:1/sitemap.xml?token=hunter2';
    expect((await run(secret)).code).to.equal(1);
    const [third] = await kept();
    expect(third).to.include({ source: 'http://127.0.0.1:1/sitemap.xml', outcome: 'failed', ended: true });
    expect(JSON.stringify(third)).not.to.include('hunter2');
  });

  it('keeps the last hundred runs of a project', async () => {
    await project.query(`insert into pathmend.sync_runs (project_id, source, prune, dry_run, asked_by, began_at, ended_at, outcome)
       select $1, 'run ' || n, false, false, 'a', now() - make_interval(hours => 200 - n), now(), 'done' from generate_series(1, 120) as n`);
    await sync('-', [], rows(numbers(1)));
    const left = await project.query<{ source: string }>(
      'select source from pathmend.sync_runs where project_id = $1 order by began_at',
    );
    expect(left).to.have.length(100);
    expect([left[0]?.source, left.at(-1)?.source]).to.deep.equal(['run 22', 'stdin']);
  });

  it('run twice changes nothing the second time, and queues no work', async () => {
    expect(await sync('-', ['--wait'], rows(numbers(120)))).to.deep.equal({ ...NOTHING, created: 120 });
    const before = await jobs();
    const updated = await project.query('select max(updated_at) from pathmend.pages where project_id = $1');
    expect(await sync('-', [], rows(numbers(120)))).to.deep.equal({ ...NOTHING, unchanged: 120 });
    expect(await jobs()).to.equal(before);
    expect(await project.query('select max(updated_at) from pathmend.pages where project_id = $1')).to.deep.equal(
      updated,
    );
  });

  it('tells new, changed and gone pages apart; what a row does not say any more is none', async () => {
    await sync('-', [], rows([1, 2, 3], { metadata: { kind: 'part' } }) + rows([4, 5, 6, 7, 8, 9, 10]));
    const changed =
      rows([1]) + rows([2], { content: 'Other words.', metadata: { kind: 'part' } }) + rows(numbers(6, 4)) + rows([11]);
    const expected = {
      ...NOTHING,
      created: 1,
      updated_content: 1,
      updated_metadata: 1,
      unchanged: 6,
      gone: 2,
    };
    expect(await sync('-', ['--dry-run', '--prune'], changed)).to.deep.equal(expected);
    expect((await stored()).map(({ url }) => url))
      .to.include(`${SITE}/page-3`)
      .and.not.include(`${SITE}/page-11`);
    expect(await sync('-', ['--prune'], changed)).to.deep.equal(expected);
    const pages = await stored();
    expect(pages.map(({ url }) => url)).to.not.include(`${SITE}/page-3`);
    expect(pages.find(({ url }) => url.endsWith('/page-1'))?.metadata).to.equal(null);
    expect(pages.find(({ url }) => url.endsWith('/page-2'))?.metadata).to.deep.equal({ kind: 'part' });
  });

  it('never deletes more than a fifth of the project without --force, and says how many it would be', async () => {
    await sync('-', [], rows(numbers(10)));
    const { code, stdout, stderr } = await run('-', ['--prune'], rows(numbers(7)));
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.equal({ ...NOTHING, unchanged: 7, gone: 3 });
    expect(stderr).to.include("3 of the project's 10 pages, more than a fifth").and.include('--force');
    expect(await stored()).to.have.length(10);
    expect(await sync('-', ['--prune', '--force'], rows(numbers(7)))).to.deep.equal({
      ...NOTHING,
      unchanged: 7,
      gone: 3,
    });
    expect(await stored()).to.have.length(7);
  });

  it('deletes more pages than go into one transaction, and no other', async () => {
    await sync('-', [], rows(numbers(50)));
    expect(await sync('-', ['--prune', '--force'], rows(numbers(5)))).to.deep.equal({
      ...NOTHING,
      unchanged: 5,
      gone: 45,
    });
    expect((await stored()).map(({ url }) => url)).to.deep.equal(numbers(5).map((n) => `${SITE}/page-${n}`));
    const tombstones = await project.query<{ n: number }>(
      'select count(*)::int as n from pathmend.tombstones where project_id = $1',
    );
    expect(tombstones[0]?.n).to.equal(45);
  });

  it('deletes nothing for an empty source, nor where a refused row may be one of the pages', async () => {
    await sync('-', [], rows(numbers(10)));
    const empty = await run('-', ['--prune', '--force'], '');
    expect(empty.code).to.equal(1);
    expect(empty.stderr).to.include('the source has no pages');
    const broken = await run('-', ['--prune'], `${rows(numbers(9))}{"url": "${SITE}/page-10", "conte`);
    expect(broken.code).to.equal(1);
    expect(JSON.parse(broken.stdout)).to.deep.equal({ ...NOTHING, unchanged: 9, gone: 1, refused: 1 });
    expect(broken.stderr).to.include('stdin:10: not valid JSON').and.include('could not be read');
    expect(await stored()).to.have.length(10);
  });

  it('a refused page whose url is known is not gone', async () => {
    await sync('-', [], rows(numbers(10)));
    const { stdout, stderr } = await run('-', ['--prune'], rows(numbers(9)) + rows([10], { content: 7 }));
    expect(JSON.parse(stdout)).to.deep.equal({ ...NOTHING, unchanged: 9, refused: 1 });
    expect(stderr).to.match(/stdin:10: content must be of type string/);
    expect(await stored()).to.have.length(10);
  });

  it('refuses a second page of one url, and names both what and where', async () => {
    const { code, stdout, stderr } = await run('-', [], rows([1, 2]) + rows([1], { content: 'Something else.' }));
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.equal({ ...NOTHING, created: 2, refused: 1 });
    expect(stderr).to.include(`stdin:3: the source has another page ${SITE}/page-1`);
  });

  it('reads a compressed table of a file, whose other columns are metadata', async () => {
    const file = join(folder, 'pages.csv.gz');
    const table = 'url,title,content,section\n/a,A,"One ""quoted"", and\ntwo lines",help\n/b,,Text,\n';
    await writeFile(file, gzipSync(table));
    expect(await sync(file, ['--base', SITE])).to.deep.equal({ ...NOTHING, created: 2 });
    expect(await stored()).to.deep.equal([
      { url: `${SITE}/a`, title: 'A', content: 'One "quoted", and\ntwo lines', metadata: { section: 'help' } },
      { url: `${SITE}/b`, title: null, content: 'Text', metadata: null },
    ]);
  });

  it('imports what a site says of its old paths, which then lead to their pages', async () => {
    await writeFiles(folder, {
      'care/descale/index.html': '<h1>Descaling</h1><p>Fill the tank with vinegar.',
      'care/clean/index.html': '<h1>Cleaning</h1><p>Wipe it with a soft cloth.',
      'k40/limescale/index.html': '<meta http-equiv="refresh" content="0; url=/care/descale/">',
      _redirects: '/washing /care/clean/ 301\n/news/* /care/:splat\n',
    });
    const { code, stdout, stderr } = await run(folder, ['--base', SITE, '--wait']);
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ ...NOTHING, created: 2, redirects: 3 });
    for (const [old, page] of [
      ['/news/descale', '/care/descale/'],
      ['/k40/limescale', '/care/descale/'],
      ['/washing', '/care/clean/'],
    ] as const) {
      const { body } = await project.post('/v1/suggest', { path: old });
      expect((body.suggestions as { url: string }[])[0]?.url).to.equal(page);
    }
    // The next sync does not undo rules that a person made for these paths.
    const rule = ['redirects', 'add', '--project', project.row.name, '--from'];
    await jsonInProcess([...rule, '/washing', '--to', '/care/descale/']);
    await jsonInProcess([...rule, '/news/*', '--ignore']);
    expect((await run(folder, ['--base', SITE])).code).to.equal(0);
    const rules = (await jsonInProcess(['redirects', 'list', '--project', project.row.name])) as {
      path: string;
      url: string | null;
      origin: string;
    }[];
    expect(rules.map(({ path, url, origin }) => [path, url, origin])).to.deep.equal([
      ['/k40/limescale/', `${SITE}/care/descale/`, 'sync'],
      ['/news/*', null, 'person'],
      ['/washing', `${SITE}/care/descale/`, 'person'],
    ]);
  });

  it('imports what the redirect files of hosts and web servers say, and what they call gone', async () => {
    await writeFiles(folder, {
      'care.html': '<link rel="canonical" href="/care"><p>Wipe it with a soft cloth.',
      _redirects:
        '/washing /care 301\n/closed 410\n/x/:id /care/:other\n/sales/* 410\n/p-:id 410\nno redirect at all, but words\n',
      'vercel.json': '{"cleanUrls": true, "redirects": [{"source": "/wash", "destination": "/care"}]}',
      'netlify.toml': `[build]\npublish = "."\n[[redirects]]\nfrom = "/wipe"\nto = "/care"\n
[[redirects]]\nfrom = "/shut"\nstatus = 410\n[[redirects]]\nfrom = "/*"\nto = "/index.html"\nstatus = 200\n
[[redirects]]\nfrom = "/mine"\nto = "/care"\nconditions = {Country = ["de"]}\n`,
      '.htaccess':
        'Options -Indexes\nRewriteEngine On\nRedirect 301 /cloth /care\nRedirect gone /over\nHeader set X-A "b"\n',
      'web.config': `<configuration><system.webServer><rewrite><rules>
<rule name="a"><match url="^soft$" /><action type="Redirect" url="/care" /></rule>
</rules></rewrite></system.webServer></configuration>`,
    });
    const { code, stdout, stderr } = await run(folder, ['--base', SITE, '--prune', '--wait']);
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ ...NOTHING, created: 1, redirects: 12, refused: 3 });
    expect(stderr)
      .to.contain('_redirects:3: a pattern')
      .and.contain('_redirects:6: neither a JSON object, nor')
      .and.match(/netlify\.toml:\d+: holds for some visitors only/);
    const answer = async (path: string): Promise<[number, string | null]> => {
      const { status, headers } = await project.call('GET', `/v1/not-found?url=${path}`);
      return [status, headers.get('location')];
    };
    for (const old of ['/washing', '/wipe', '/cloth', '/soft'])
      expect(await answer(old), old).to.deep.equal([301, `${SITE}/care`]);
    expect(await answer('/wash'), 'unless said, Vercel answers so').to.deep.equal([308, `${SITE}/care`]);
    for (const gone of ['/closed', '/shut', '/over', '/sales/2019', '/p-7'])
      expect(await answer(gone), gone).to.deep.equal([410, null]);
    await writeFiles(folder, { 'vercel.json': '{"cleanUrls": true}' });
    expect(await sync(folder, ['--base', SITE, '--prune'])).to.include({ redirects: 11, refused: 3 });
    // A file that cannot be read is reported; it does not count as a missing page.
    await writeFiles(folder, { 'vercel.json': '{"redirects": [' });
    const again = await run(folder, ['--base', SITE, '--prune']);
    expect([again.code, again.stderr]).to.satisfy(([a, b]: [number, string]) => a === 0 && b.includes('vercel.json'));
  });

  it('finds a page that was renamed in the folder: its old path leads to the new one', async () => {
    const topics = ['descaling', 'grinding', 'brewing', 'steaming', 'storing', 'roasting'];
    await writeFiles(
      folder,
      Object.fromEntries(
        topics.map((topic) => [
          `k40/${topic}.html`,
          `<h1>About ${topic}</h1><p>What we know of ${topic}, and why it matters.`,
        ]),
      ),
    );
    const args = ['--base', SITE, '--prune', '--wait'];
    expect(await sync(folder, args)).to.deep.equal({ ...NOTHING, created: 6 });
    await rename(join(folder, 'k40/descaling.html'), join(folder, 'support-limescale.html'));
    expect(await sync(folder, args)).to.deep.equal({ ...NOTHING, created: 1, unchanged: 5, gone: 1 });
    const { body } = await project.post('/v1/suggest', { path: '/k40/descaling.html' });
    const [best] = body.suggestions as { url: string; score: number }[];
    expect(best?.url).to.equal('/support-limescale.html');
    expect(best?.score).to.be.at.least(0.95);
  });

  it('says what is wrong with its arguments', async () => {
    await writeFiles(folder, { 'a.html': '<h1>A</h1>', 'sources/a.md': '# A\n' });
    for (const [source, args, message] of [
      [join(folder, 'nothing'), [], 'There is no file or folder'],
      ['www.example.com', [], 'Did you mean https://www.example.com?'],
      [folder, [], 'give --base'],
      [join(folder, 'sources'), ['--base', SITE], 'has sources of pages (a.md), but no HTML file'],
      [folder, ['--base', 'shop.example'], '--base must be the full url'],
      [folder, ['--base', SITE, '--format', 'csv'], 'is a folder'],
      ['-', ['--format', 'html'], 'needs a folder'],
      [SITE, ['--format', 'html'], 'not for a url'],
      ['-', ['--format', 'csv'], 'header'],
    ] as const) {
      const { code, stderr } = await run(source, [...args], 'x,y\n1,2\n');
      expect(code, stderr).to.equal(1);
      expect(stderr)
        .to.include(message)
        .and.not.match(/^\s+at /m);
    }
  });

  it('without --json says in words what it did', async () => {
    const { stdout, stderr } = await runInProcess(
      ['pages', 'sync', '--project', project.row.name, '-'],
      sharedService().database.environment,
      rows([1, 2]),
    );
    expect(stdout).to.equal(
      '2 pages created, 0 updated, 0 unchanged, 0 gone from the source and kept, 0 refused; 0 redirects.\n',
    );
    expect(stderr).to.match(/^Syncing +2\/2 in /);
    expect(await jsonInProcess(['pages', 'list', '--project', project.row.name])).to.have.length(2);
  });
});
