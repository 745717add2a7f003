import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lookUpRedirects } from '#src/search/candidates/follow-rules.js';
import { indexVersionOf, pushPages, redirect, sectionsOf } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import { send, type TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { loggedSearches, storedClicks } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

describe('learning from clicks', () => {
  let project: TestProject;
  let pages: Map<string, string>;
  let searches = 0;
  let clicks = 0;

  beforeEach(async () => {
    project = await sharedService().newProject();
    pages = await pushPages(project, '/new/x', '/new/y', '/new/z', '/other/x', '/other/y');
    searches = 0;
    clicks = 0;
  });

  /** A search for a dead path, logged, so that a click links to it; everything is answered. */
  async function search(path: string, key = project.key, route = '/v1/suggest'): Promise<string> {
    const headers = { Authorization: `Bearer ${key}` };
    const options = { searchThreshold: 0 };
    const { body } =
      route === '/v1/semantic-search'
        ? await send(sharedService().service.url, 'POST', route, { query: path, limit: 10, options }, headers)
        : await send(sharedService().service.url, 'POST', route, { path, limit: 10, options }, headers);
    searches++;
    await loggedSearches(sharedService().service, project.row.project_id, searches);
    return String(body.search_id);
  }

  /** A click on an answer, recorded. */
  async function click(searchId: string, url: string, key = project.key): Promise<void> {
    const body = { search_id: searchId, clicked_url: url, clicked_rank: 1, raw_path: '/whatever' };
    await send(sharedService().service.url, 'POST', '/v1/events', body, { Authorization: `Bearer ${key}` });
    clicks++;
    await storedClicks(sharedService().service, project.row.project_id, clicks);
  }

  /** Clicks of two searches, which confirm a page for a path. */
  async function confirm(path: string, url: string): Promise<void> {
    for (let i = 0; i < 2; i++) await click(await search(path), url);
  }

  async function lookUp(path: string): Promise<Record<string, number>> {
    const { service } = sharedService();
    const indexVersion = await indexVersionOf(service, project);
    const foundRedirects = await lookUpRedirects(
      { ...service.deps.tenants.of(project.row.project_id), indexVersion },
      path,
    );
    const paths = new Map([...pages].map(([page, id]) => [id, page]));
    return Object.fromEntries(
      [...foundRedirects.moved].map(([id, value]) => [paths.get(id) ?? id, Number(value.toFixed(3))]),
    );
  }

  const sections = (): Promise<string[]> => sectionsOf(sharedService().service, project);
  const sectionsLearned = (...expected: string[]): Promise<void> =>
    until(`the sections are ${expected.join()}`, async () => (await sections()).join() === expected.join());

  /** Resolves when no learning of this project waits or runs. */
  const learningDone = (): Promise<void> =>
    until('learning is done', async () => {
      const open = await query(
        sharedService().service,
        `select from pgboss.job where name = 'learn-redirects' and singleton_key = $1 and state < 'completed'`,
        [project.row.project_id],
      );
      return open.length === 0;
    });

  it('two clicks on one page for a path confirm it; /old/y and /old/z follow', async () => {
    const first = await search('/old/x?utm_source=mail');
    await click(first, '/new/x');
    expect(await lookUp('/old/x'), 'one click is weak').to.deep.equal({});
    await click(await search('https://shop.example/Old/x.html'), 'https://shop.example/new/x?ref=404');
    await learningDone();
    expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 0.89 });
    expect(await sections(), 'one path is no section').to.deep.equal([]);
    await confirm('/old/y', '/new/y');
    await sectionsLearned('/old → /new');
    expect(await lookUp('/old/z')).to.deep.equal({ '/new/z': 0.86 });
  });

  it('a search counts once for a page, however often and in whatever form its visitor clicks', async () => {
    const id = await search('/old/x');
    for (const url of ['/new/x', '/new/x', 'https://shop.example/New/x.html?again', '/new/x/']) await click(id, url);
    await learningDone();
    expect(await lookUp('/old/x')).to.deep.equal({});
    await click(await search('/old/x'), '/new/x');
    expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 0.89 });
  });

  it('clicks that disagree confirm nothing, and take back what was confirmed', async () => {
    await confirm('/old/x', '/new/x');
    await confirm('/old/y', '/new/y');
    await sectionsLearned('/old → /new');
    await click(await search('/old/x'), '/other/x');
    expect(await lookUp('/old/x'), 'two of three').to.deep.equal({ '/new/x': 0.89 });
    await click(await search('/old/x'), '/other/x');
    await sectionsLearned();
    expect(await lookUp('/old/x'), 'two of four').to.deep.equal({});
  });

  const TEACHES_NOTHING: Record<string, () => Promise<void>> = {
    'on a page that was not among the answers': async () => click(await search('/old/x'), '/elsewhere'),
    'of a search that is unknown': () => click('00000000-0000-4000-8000-000000000000', '/new/x'),
    'on an answer to a question': async () =>
      click(await search('/old/x', project.key, '/v1/semantic-search'), '/new/x'),
    'with a test key': async () => click(await search('/old/x'), '/new/x', await project.newKey({ mode: 'test' })),
    'on an answer to a test key': async () =>
      click(await search('/old/x', await project.newKey({ mode: 'test' })), '/new/x'),
    "of another project's search": async () => {
      const other = await sharedService().newProject();
      const id = await search('/old/x');
      await other.post('/v1/events', { search_id: id, clicked_url: '/new/x', clicked_rank: 1, raw_path: '/old/x' });
      await storedClicks(sharedService().service, other.row.project_id, 1);
    },
  };
  for (const [name, act] of Object.entries(TEACHES_NOTHING)) {
    it(`a click ${name} teaches nothing`, async () => {
      await act();
      expect(
        await query(sharedService().service, 'select from pathmend.learned_redirects where project_id = $1', [
          project.row.project_id,
        ]),
      ).to.be.empty;
    });
  }

  it('the index version grows with what is learned, not with every click', async () => {
    const version = (): Promise<number> => indexVersionOf(sharedService().service, project);
    const start = await version();
    await click(await search('/old/x'), '/new/x');
    await learningDone();
    expect(await version(), 'one click').to.equal(start);
    await click(await search('/old/x'), '/new/x');
    await learningDone();
    const learned = await version();
    expect(learned, 'confirmed').to.be.above(start);
    for (let i = 0; i < 3; i++) await click(await search('/old/x'), '/new/x');
    await learningDone();
    expect(await version(), 'five clicks').to.equal(learned);
  });

  it('many clicks at once are all counted', async () => {
    const ids: string[] = [];
    while (ids.length < 8) ids.push(await search('/old/x'));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        project.post('/v1/events', {
          search_id: ids[i % 8],
          clicked_url: i % 4 === 0 ? '/other/x' : '/new/x',
          clicked_rank: 1,
          raw_path: '/old/x',
        }),
      ),
    );
    await storedClicks(sharedService().service, project.row.project_id, 40);
    const rows = await query<{ clicks: string }>(
      sharedService().service,
      'select clicks from pathmend.learned_redirects where project_id = $1 order by clicks',
      [project.row.project_id],
    );
    expect(
      rows.map((row) => row.clicks),
      'searches',
    ).to.deep.equal(['2', '6']);
    expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 0.89 });
  });

  it("the customer's redirect counts more than clicks", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-moves-'));
    try {
      await confirm('/old/x', '/other/x');
      await confirm('/old/y', '/other/y');
      await sectionsLearned('/old → /other');
      await redirect(sharedService().service, project, folder, '/old/x /new/x');
      expect(await lookUp('/old/x')).to.deep.equal({ '/new/x': 1 });
      expect(await sections()).to.deep.equal(['/old → /new']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a deleted project takes its moves along', async () => {
    await confirm('/old/x', '/new/x');
    await confirm('/old/y', '/new/y');
    await sectionsLearned('/old → /new');
    await query(sharedService().service, 'delete from pathmend.projects where project_id = $1', [
      project.row.project_id,
    ]);
    for (const table of ['learned_redirects', 'section_redirects', 'counted_clicks']) {
      expect(
        await query(sharedService().service, `select from pathmend.${table} where project_id = $1`, [
          project.row.project_id,
        ]),
        table,
      ).to.be.empty;
    }
  });
});
