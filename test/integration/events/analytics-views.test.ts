import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { linkedSearches, loggedSearches, storedClicks, storedNotFounds } from '../../support/stored-events.js';

const GOOD = '/help/shipping-times';
const NEARLY = '/help/shipping-time';
const BAD = '/qqqq-zzzz-wwww';

describe('analytics views', () => {
  let project: TestProject;
  let other: TestProject;
  let testKey: string;

  before(async () => {
    const shared = sharedService();
    project = await shared.newProject();
    other = await shared.newProject();
    testKey = await project.newKey({ mode: 'test' });
    await project.upsert({
      url: `https://shop.example${GOOD}`,
      content: 'Shipping takes three days by parcel service.',
    });
    await project.indexed();

    const searched = [await suggest(GOOD), await suggest(GOOD), await suggest(GOOD)] as const;
    await suggest(BAD);
    await suggest(`${BAD}?again`);
    await project.post('/v1/suggest', { path: BAD, options: { filters: { lang: 'en' } } });
    await project.post('/v1/semantic-search', { query: 'shipping parcel days', options: { searchThreshold: 0 } });
    // One redirect by itself, and one that was not sure enough; and a test key's.
    expect((await project.call('GET', `/v1/proxy?url=${NEARLY}`)).status).to.equal(302);
    const unsure = await project.call('GET', `/v1/proxy?url=${BAD}`);
    expect(unsure.status).to.equal(404);
    await click(project, unsure.body.error.details.search_id as string, 1);
    await project.call('GET', `/v1/proxy?url=${NEARLY}`, undefined, { Authorization: `Bearer ${testKey}` });
    await asTest('/v1/suggest', { path: GOOD });
    await asTest('/v1/suggest', { path: BAD });

    // Two clicks on one search: it counts once, with its best rank.
    await click(project, searched[0], 3);
    await click(project, searched[0], 1);
    await click(project, searched[1], 2);
    // Neither a test key's click nor another project's links to the third search.
    await asTest('/v1/events', clickOn(searched[2], 1));
    await click(other, searched[2], 1);
    await click(project, '00000000-0000-4000-8000-000000000000', 1);

    for (const [path, ip, referrer] of [
      ['/old?utm=1', '192.0.2.1', 'https://a.example/'],
      ['/old#top', '192.0.2.200', 'https://a.example/'],
      ['/old', '198.51.100.1', 'https://b.example/'],
      ['/older', '192.0.2.1', undefined],
    ] as const) {
      await project.post('/v1/events', { raw_path: path, user_ip: ip, referrer });
    }
    await asTest('/v1/events', { raw_path: '/old', user_ip: '203.0.113.1' });

    const { service } = shared;
    await loggedSearches(service, project.row.project_id, 12);
    await storedClicks(service, project.row.project_id, 6);
    await storedClicks(service, other.row.project_id, 1);
    await storedNotFounds(service, project.row.project_id, 7);
    await linkedSearches(service);
  });

  async function suggest(path: string): Promise<string> {
    const { body } = await project.post('/v1/suggest', { path });
    return body.search_id as string;
  }

  async function asTest(path: string, body: unknown): Promise<void> {
    const { status } = await project.call('POST', path, body, { Authorization: `Bearer ${testKey}` });
    expect(status).to.be.below(300);
  }

  function clickOn(searchId: string, rank: number): object {
    return { clicked_url: GOOD, clicked_rank: rank, raw_path: GOOD, search_id: searchId };
  }

  async function click(by: TestProject, searchId: string, rank: number): Promise<void> {
    expect((await by.post('/v1/events', clickOn(searchId, rank))).status).to.equal(204);
  }

  function view(name: string, of = project): Promise<Record<string, unknown>[]> {
    return query(sharedService().service, `select * from analytics.${name} where project_id = $1`, [of.row.project_id]);
  }

  it('click_through_daily counts searches, answered and clicked ones and the best rank, by kind, without test keys', async () => {
    const rows = await view('click_through_daily');
    // The day may change while the test runs: the numbers are those of all days.
    const sum = (kind: string, column: string): number =>
      rows.filter((row) => row['kind'] === kind).reduce((total, row) => total + Number(row[column]), 0);
    expect(['searches', 'answered', 'clicked'].map((column) => sum('suggest', column))).to.deep.equal([6, 3, 2]);
    expect(['searches', 'answered', 'clicked'].map((column) => sum('semantic-search', column))).to.deep.equal([
      1, 1, 0,
    ]);
    expect(rows[0]).to.include({ project: project.row.name });
    if (rows.length === 2) {
      const suggest = rows.find((row) => row['kind'] === 'suggest');
      expect(suggest).to.include({ click_through: '0.6667', average_rank: '1.50' });
    }
  });

  it('click_through_daily counts what proxy redirected in a column of its own, and nowhere else', async () => {
    const rows = await view('click_through_daily');
    const sum = (of: (row: Record<string, unknown>) => boolean, column: string): number =>
      rows.filter(of).reduce((total, row) => total + Number(row[column]), 0);
    const isProxy = (row: Record<string, unknown>): boolean => row['kind'] === 'proxy';
    expect(['searches', 'answered', 'clicked', 'redirected'].map((column) => sum(isProxy, column))).to.deep.equal([
      0, 0, 0, 1,
    ]);
    expect(sum((row) => !isProxy(row), 'redirected')).to.equal(0);
    for (const row of rows.filter(isProxy)) expect(row).to.include({ click_through: null, average_rank: null });
  });

  it('every view and every column says what it means', async () => {
    const mute = await query<{ name: string }>(
      sharedService().service,
      `select c.relname || coalesce('.' || a.attname, '') as name
         from pg_class c
         left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relnamespace = 'analytics'::regnamespace
          and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)`,
    );
    expect(mute).to.deep.equal([]);
  });

  it('what they do not know is said where analysts read it', async () => {
    const [said] = await query<{ text: string }>(
      sharedService().service,
      `select obj_description('analytics.click_through_daily'::regclass) as text`,
    );
    expect(said?.text).to.contain('Robots are counted').and.to.contain('Test keys left out');
  });

  it('a click links to searches of its own project only', async () => {
    expect(await view('click_through_daily', other)).to.deep.equal([]);
    // Counted for the third search, it would make three.
    const rows = await view('click_through_daily');
    expect(rows.reduce((total, row) => total + Number(row['clicked']), 0)).to.equal(2);
  });

  it('not_founds_daily counts the 404s that proxy was asked about, too', async () => {
    const rows = await view('not_founds_daily');
    const hits = (path: string): number =>
      rows.filter((row) => row['path'] === path).reduce((sum, row) => sum + Number(row['hits']), 0);
    expect([hits(NEARLY), hits(BAD)]).to.deep.equal([1, 1]);
  });

  it('not_founds_daily counts hits, addresses and the commonest referrer by path without its query, without test keys', async () => {
    const rows = (await view('not_founds_daily')).sort((a, b) => String(a['path']).localeCompare(String(b['path'])));
    expect(rows.map((row) => row['path'])).to.include.members(['/old', '/older']);
    const old = rows.filter((row) => row['path'] === '/old');
    expect(old.reduce((hits, row) => hits + Number(row['hits']), 0)).to.equal(3);
    // Two of the three addresses share a /24.
    if (old.length === 1)
      expect(old[0]).to.include({ visitor_ips: '2', top_referrer: 'https://a.example/', project: project.row.name });
  });

  it('searches_without_results lists what found nothing, without filtered searches and test keys', async () => {
    const rows = await view('searches_without_results');
    expect(rows.reduce((total, row) => total + Number(row['searches']), 0)).to.equal(3);
    expect(new Set(rows.map((row) => row['kind']))).to.deep.equal(new Set(['suggest', 'proxy']));
    expect(rows.find((row) => row['kind'] === 'suggest')).to.include({ project: project.row.name, example_input: BAD });
  });
});
