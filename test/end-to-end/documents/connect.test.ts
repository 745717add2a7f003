import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { shellBlocks, typeBlock, UNTYPED_LINES } from '../../support/document.js';
import { cliJson, startServer, type ServerProcess } from '../../support/processes.js';
import { html, page, startSite, text } from '../../support/web-site.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const PRINTED = 'https://www.example.com';
const DOCUMENT = 'docs/start/connect.md';
/** The built sites of test/fixtures/built, in the order of the document. */
const GENERATORS = ['hugo', 'jekyll', 'eleventy', 'docusaurus', 'mkdocs', 'sphinx'];

/** Types docs/start/connect.md into a terminal beside a server that runs, from its beginning to its end. */
describe('docs/start/connect.md, typed', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let server: ServerProcess;
  const folder = temporaryFolder();
  let environment: Record<string, string>;

  before(async () => {
    database = await createTestDatabase({ migrated: true });
    server = await startServer({ ...database.environment });
    await linkProgram(folder);
    environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...database.environment };
    const [create = ''] = await shellBlocks(DOCUMENT, 'Connect a site');
    expect((await typeBlock(create, { cwd: folder, env: environment })).code).to.equal(0);
  });

  after(async () => {
    await server.end('SIGTERM');
    await database.drop();
  });

  async function linkProgram(place: string): Promise<void> {
    for (const name of ['dist', 'node_modules']) await symlink(join(packageRoot(), name), join(place, name));
  }

  /** Types the blocks below a heading, with another site in place of the printed one. @returns their stdout */
  async function type(heading: string, site = PRINTED): Promise<string> {
    const blocks = await shellBlocks(DOCUMENT, heading);
    const { code, stdout, stderr } = await typeBlock(blocks.join('\n').replaceAll(PRINTED, site), {
      cwd: folder,
      env: environment,
    });
    expect(code, stderr).to.equal(0);
    return stdout;
  }

  const list = async (command: string): Promise<Record<string, string>[]> =>
    (await cliJson([command, 'list', '--project', 'mysite'], database.environment)) as Record<string, string>[];

  it('syncs rows of a file, and the same pages from stdin, where only metadata is new', async () => {
    expect(await type('JSON lines or CSV'))
      .to.include('2 pages created, 0 updated, 0 unchanged')
      .and.include('0 pages created, 1 updated, 1 unchanged');
  });

  it('syncs the folder that each generator built, with its old paths; only the line that builds it is not typed', async () => {
    const blocks = await shellBlocks(DOCUMENT, 'A built folder');
    expect(blocks).to.have.length(GENERATORS.length);
    const untyped: string[] = [];
    for (const [at, block] of blocks.entries()) {
      const [build = '', sync = ''] = block.split('\n');
      untyped.push(build);
      const place = await mkdtemp(join(folder, 'site-'));
      await linkProgram(place);
      const built = sync.split(' ').at(-1) ?? '';
      await cp(join(packageRoot(), 'test/fixtures/built', GENERATORS[at] ?? ''), join(place, built), {
        recursive: true,
      });
      const { code, stdout, stderr } = await typeBlock(sync, { cwd: place, env: environment });
      expect(code, stderr).to.equal(0);
      expect(stdout, block).to.match(/0 refused; [12] redirects/);
    }
    expect(untyped).to.deep.equal(UNTYPED_LINES);
    const tyres = (await list('redirects')).filter(({ path }) => path?.startsWith('/old-tyres'));
    expect(tyres).to.have.length.above(0);
    for (const { url } of tyres) expect(url).to.include('flat-tyre');
  });

  it('syncs an export of WordPress', async () => {
    expect(await type('WordPress')).to.include('1 page created');
    expect((await list('pages')).map(({ url }) => url)).to.include('https://www.example.com/opening-hours/');
  });

  it('deletes what is gone, where it is told to', async () => {
    expect(await type('Removed pages: `--prune`'))
      .to.match(/1 page created.*\n(?:.*\n)*1 page created/)
      .and.match(/[1-9]\d* deleted/);
    expect((await list('pages')).map(({ url }) => url)).to.deep.equal(['https://www.example.com/help/send-back.html']);
  });

  it('syncs a site that is served, by its sitemap and link by link', async () => {
    const site = await startSite((path, response) => {
      if (path === '/') html(response, page('Home', ['/hours']));
      else if (path === '/hours') html(response, page('Opening hours'));
      else if (path === '/sitemap.xml')
        text(response, 200, `<urlset><url><loc>${site.origin}/hours</loc></url></urlset>`, {
          'content-type': 'text/xml',
        });
      else text(response, 404);
    });
    expect(await type('A site that is served', site.origin)).to.match(
      /1 page created.*\n(?:.*\n)*1 page created, 0 updated, 1 unchanged/,
    );
    await site.close();
  });

  it('sets the source that the worker syncs', async () => {
    const source = join(folder, 'shop');
    expect(await type('Keep it in step')).to.include(`It is synced from ${source}, every 12h.`);
    const project = await cliJson(['project', 'show', '--project', 'mysite'], database.environment);
    expect((project as { source: object }).source).to.include({ from: source, every: '12h', prune: false });
  });
});
