import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { linkedSearches, loggedSearches, storedClicks, storedNotFounds } from '../../support/stored-events.js';

const GOOD = '/help/shipping-times';
const NEARLY = '/help/shipping-time';
const BAD = '/qqqq-zzzz-wwww';
const COUNTED = ['searches', 'answered', 'clicked', 'redirected'];
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const ROBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('analytics views', () => {
  let project: TestProject;
  let other: TestProject;
  let second: TestProject;
  let testKey: string;

  before(async () => {
    const shared = sharedService();
    project = await shared.newProject();
    other = await shared.newProject();
    await query(shared.service, 'update pathmend.projects set redirect_above = 0.95 where project_id = $1', [
      project.row.project_id,
    ]);
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
    // One search redirects, one is not sure enough, and one has a test key.
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

    // pathmend's own 404 page is asked for a path that has a similar page, and for a path that has not.
    const page = await notFound(project, '/kb/shipping', BROWSER);
    await click(project, page.body.error.details.search_id as string, 1);
    await notFound(project, `${BAD}/none`, BROWSER);

    const { service } = shared;
    second = await shared.newProject();
    await query(service, 'update pathmend.projects set redirect_above = 0.7 where project_id = $1', [
      second.row.project_id,
    ]);
    await second.upsert({
      url: `https://shop.example${GOOD}`,
      content: 'Shipping takes three days by parcel service.',
    });
    await second.indexed();
    await visitSecond();

    await loggedSearches(service, project.row.project_id, 14);
    await storedClicks(service, project.row.project_id, 7);
    await storedClicks(service, other.row.project_id, 1);
    await storedNotFounds(service, project.row.project_id, 9);
    await linkedSearches(service);
  });

  function notFound(by: TestProject, url: string, userAgent: string): ReturnType<TestProject['call']> {
    const headers = { Accept: 'application/json', 'User-Agent': userAgent };
    return by.call('GET', `/v1/not-found?url=${url}`, undefined, headers);
  }

  /** People and a robot, with a threshold of the project's own. */
  async function visitSecond(): Promise<void> {
    const { service } = sharedService();
    expect((await notFound(second, '/kb/shipping', BROWSER)).status).to.equal(302);
    const shown = await notFound(second, '/kb/slow-parcel', BROWSER);
    expect(shown.status).to.equal(404);
    await click(second, shown.body.error.details.search_id as string, 1);
    for (const [agent, outcome] of [
      [BROWSER, 'redirected'],
      [ROBOT, 'suggested'],
      [null, null],
    ] as const) {
      const { body } = await second.post('/v1/suggest', { path: GOOD, options: { searchThreshold: 0 } });
      const event = { raw_path: GOOD, user_agent: agent, outcome, search_id: body.search_id as string };
      if (agent !== null) await second.post('/v1/events', event);
    }
    // A robot that runs the site's script.
    const query = { query: 'qqqq zzzz', options: { searchThreshold: 1 } };
    await second.call('POST', '/v1/semantic-search', query, { 'User-Agent': ROBOT });
    await loggedSearches(service, second.row.project_id, 6);
    await storedClicks(service, second.row.project_id, 1);
    await storedNotFounds(service, second.row.project_id, 4);
  }

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
    return of.query(`select * from analytics.${name} where project_id = $1`);
  }

  /** Sums the columns over all days, since a day may end while the test runs. */
  function sums(rows: Record<string, unknown>[], kind: string, columns: readonly string[]): number[] {
    return columns.map((column) =>
      rows.filter((row) => row['kind'] === kind).reduce((total, row) => total + Number(row[column]), 0),
    );
  }

  it('click_through_daily counts searches, answered and clicked ones and the best rank, by kind, without test keys', async () => {
    const rows = await view('click_through_daily');
    expect(sums(rows, 'suggest', ['searches', 'answered', 'clicked'])).to.deep.equal([6, 3, 2]);
    expect(sums(rows, 'semantic-search', ['searches', 'answered', 'clicked'])).to.deep.equal([1, 1, 0]);
    expect(rows[0]).to.include({ project: project.row.name });
    const suggest = rows.filter((row) => row['kind'] === 'suggest');
    if (suggest.length === 1) expect(suggest[0]).to.include({ click_through: '0.6667', average_rank: '1.50' });
  });

  it('click_through_daily counts redirects in a column of their own and nowhere else, and the others as shown', async () => {
    const rows = await view('click_through_daily');
    expect(sums(rows, 'proxy', COUNTED)).to.deep.equal([1, 0, 1, 1]);
    // One redirect, by a threshold of the project's own; one page that was shown, and clicked on.
    expect(sums(rows, 'not-found', COUNTED)).to.deep.equal([2, 1, 1, 0]);
    expect(sums(rows, 'suggest', ['redirected'])).to.deep.equal([0]);
  });

  it('count redirects by what happened: by the threshold of the project, and by what the site says', async () => {
    const rows = await view('click_through_daily', second);
    expect(sums(rows, 'not-found', COUNTED)).to.deep.equal([1, 1, 1, 1]);
    expect(sums(rows, 'suggest', COUNTED)).to.deep.equal([1, 1, 0, 1]);
    const shown = await view('click_through_positions', second);
    expect(sums(shown, 'suggest', ['shown', 'shown_all'])).to.deep.equal([1, 2]);
  });

  it('count people, and robots beside them where one asks', async () => {
    const all = ['searches_all', 'answered_all', 'clicked_all', 'redirected_all'];
    const rows = await view('click_through_daily', second);
    expect(sums(rows, 'suggest', all)).to.deep.equal([2, 2, 0, 1]);
    expect(sums(rows, 'semantic-search', ['searches', 'searches_all'])).to.deep.equal([0, 1]);
    const empty = await view('searches_without_results', second);
    expect(sums(empty, 'semantic-search', ['searches', 'searches_all'])).to.deep.equal([0, 1]);
    const latency = await view('latency_daily', second);
    expect(sums(latency, 'suggest', ['searches', 'searches_all'])).to.deep.equal([2, 3]);
    expect(latency.find((row) => row['kind'] === 'semantic-search')).to.include({ p50_ms: null });
    const scores = await view('calibration', second);
    expect(sums(scores, 'suggest', ['searches', 'searches_all'])).to.deep.equal([2, 3]);
    for (const name of ['recovery_daily', 'recovery_by_path']) {
      const total = (of: Record<string, unknown>[]): number => of.reduce((sum, row) => sum + Number(row['hits']), 0);
      expect([total(await view(name, second)), total(await view(`${name}_all`, second))], name).to.deep.equal([3, 4]);
    }
  });

  it('every view, column and function says what it means', async () => {
    const mute = await query<{ name: string }>(
      sharedService().service,
      `select c.relname || coalesce('.' || a.attname, '') as name
         from pg_class c
         left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relnamespace = 'analytics'::regnamespace
          and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)
       union all
       select proname from pg_proc where pronamespace = 'analytics'::regnamespace and obj_description(oid) is null`,
    );
    expect(mute).to.deep.equal([]);
  });

  it('what they do not know is said where analysts read it', async () => {
    const [comment] = await query<{ text: string }>(
      sharedService().service,
      `select obj_description('analytics.click_through_daily'::regclass) as text`,
    );
    expect(comment?.text)
      .to.contain('until its 404 or its own user agent shows otherwise')
      .and.to.contain('Without test keys');
  });

  it('a click links to searches of its own project only', async () => {
    expect(await view('click_through_daily', other)).to.deep.equal([]);
    // Counted for the third search, it would make three.
    const rows = await view('click_through_daily');
    expect(sums(rows, 'suggest', ['clicked'])).to.deep.equal([2]);
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
    expect(['suggest', 'proxy', 'not-found'].flatMap((kind) => sums(rows, kind, ['searches']))).to.deep.equal([
      2, 1, 1,
    ]);
    expect(rows.map((row) => row['kind'])).not.to.include('semantic-search');
    expect(rows.find((row) => row['kind'] === 'suggest')).to.include({ project: project.row.name, example_input: BAD });
  });
});
