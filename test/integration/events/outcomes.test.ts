import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer, TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const DAY = 86_400_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('what becomes of a 404', function () {
  this.timeout(120_000);
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: 'https://shop.example/help/returns',
      content: 'Send an item back within thirty days.',
    });
    await project.indexed();
  });

  const suggest = async (path: string): Promise<string> =>
    (await project.post('/v1/suggest', { path, options: { searchThreshold: 0.01 } })).body.search_id as string;
  const missed = (raw_path: string, more: object = {}): Promise<Answer> =>
    project.post('/v1/events', { raw_path, user_agent: BROWSER, ...more });
  const clicked = (search_id: string, clicked_rank = 1): Promise<unknown> =>
    project.post('/v1/events', { clicked_url: '/help/returns', clicked_rank, raw_path: '/x', search_id });

  /** Outcomes of a path's hits, once they are these. */
  async function becomes(path: string, outcomes: Record<string, number>): Promise<void> {
    let row: Record<string, unknown> | undefined;
    await until(`${path} has ${JSON.stringify(outcomes)}`, async () => {
      [row] = await project.query('select * from pathmend.missing_paths where project_id = $1 and path = $2', path);
      return row !== undefined && Object.entries(outcomes).every(([name, hits]) => Number(row?.[name]) === hits);
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(row)}`);
    });
  }

  it('is suggested where its search had results, and clicked when a click follows, however late', async () => {
    const search = await suggest('/help/return');
    await missed('/help/return', { search_id: search });
    await becomes('/help/return', { suggested: 1, clicked: 0, people: 1 });
    await clicked(search);
    await becomes('/help/return', { suggested: 0, clicked: 1, people: 1 });
    const [best] = await project.query(
      'select best_url, best_score > 0 as scored from pathmend.missing_paths where project_id = $1',
    );
    expect(best).to.deep.equal({ best_url: '/help/returns', scored: true });
    // The click counts for its search, too.
    const [days] = await project.query(
      'select sum(searches)::int as searches, sum(clicked)::int as clicked from pathmend.search_days where project_id = $1',
    );
    expect(days).to.deep.equal({ searches: 1, clicked: 1 });
  });

  it('is clicked also where the click comes before it', async () => {
    const search = await suggest('/help/return');
    await clicked(search);
    await missed('/help/return', { search_id: search });
    await becomes('/help/return', { clicked: 1 });
  });

  it('is what the site says; nothing, where a search had no result; and unlinked without a search that is known', async () => {
    await missed('/told', { search_id: await suggest('/help/return'), outcome: 'redirected' });
    await becomes('/told', { redirected: 1 });
    const { body } = await project.post('/v1/suggest', { path: '/qqqq-zzzz' });
    await missed('/qqqq-zzzz', { search_id: body.search_id as string });
    await becomes('/qqqq-zzzz', { nothing: 1 });
    await missed('/alone');
    await missed('/unknown', { search_id: randomUUID() });
    await becomes('/alone', { unlinked: 1 });
    await becomes('/unknown', { unlinked: 1 });
  });

  it('is recorded by proxy; an event that names its search is about the same 404', async () => {
    const agent = { 'User-Agent': BROWSER };
    expect((await project.call('GET', '/v1/proxy?url=/help/return', undefined, agent)).status).to.equal(302);
    await becomes('/help/return', { redirected: 1, people: 1 });
    const { body } = await project.call('GET', '/v1/proxy?url=/qqqq-zzzz', undefined, { 'User-Agent': 'node' });
    await missed('/qqqq-zzzz', { search_id: body.error.details.search_id as string });
    await missed('/last');
    await becomes('/last', { unlinked: 1 });
    // Who asks in a program's name says nothing about the visitor.
    await becomes('/qqqq-zzzz', { nothing: 1, unknown: 1, people: 0, robots: 0 });
  });

  it('is a robot’s, a scanner’s, an assistant’s or a search engine’s by its user agent and path', async () => {
    await missed('/r', { user_agent: 'curl/8.5.0' });
    await missed('/r', { user_agent: 'ChatGPT-User/1.0; +https://openai.com/bot' });
    await missed('/r', { user_agent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' });
    await missed('/r', { user_agent: null });
    await missed('/blog/wp-login.php');
    await becomes('/r', { robots: 1, assistants: 1, search_engines: 1, unknown: 1, people: 0, unlinked: 1 });
    await becomes('/blog/wp-login.php', { scanners: 1, people: 0, unlinked: 0 });
  });

  it('is a scanner’s, where one visitor asks for fifty dead paths in minutes; others of its browser stay people', async () => {
    for (let i = 0; i < 60; i++) await missed(`/try-${i}`, { user_ip: '198.51.100.7' });
    await missed('/person', { user_ip: '203.0.113.7' });
    await becomes('/try-59', { scanners: 1, people: 0 });
    await becomes('/try-0', { scanners: 0, people: 1 });
    await becomes('/person', { people: 1 });
  });

  it('is a person’s behind a proxy whose private address all visitors have', async () => {
    for (let i = 0; i < 60; i++) await missed(`/proxied-${i}`, { user_ip: '10.0.0.5' });
    await becomes('/proxied-59', { scanners: 0, people: 1 });
  });

  it('counts for the day and week of its own time, which is neither of the future nor older than what is kept', async () => {
    const at = new Date(Date.now() - 40 * DAY);
    await missed('/past', {
      timestamp: at.toISOString(),
      referrer: 'https://shop.example/from?x=1',
      origin: 'https://shop.example',
    });
    const [row] = await storedNotFounds(sharedService().service, project.row.project_id, 1);
    expect(row?.received_at.toISOString()).to.equal(at.toISOString());
    const days = await project.query(
      'select day::text, visitor, outcome, origin, hits::int from pathmend.not_found_days where project_id = $1',
    );
    expect(days).to.deep.equal([
      {
        day: at.toISOString().slice(0, 10),
        visitor: 'person',
        outcome: 'unlinked',
        origin: 'https://shop.example',
        hits: 1,
      },
    ]);
    const links = await project.query(
      `select referrer, own, human::int, (week <= $2::date and week > $2::date - 7) as in_week from pathmend.referrer_weeks where project_id = $1`,
      at.toISOString().slice(0, 10),
    );
    expect(links).to.deep.equal([{ referrer: 'https://shop.example/from', own: true, human: 1, in_week: true }]);
    for (const wrong of [new Date(Date.now() + 3_600_000).toISOString(), '2001-01-01', 'yesterday', 5]) {
      const { status, body } = await missed('/x', { timestamp: wrong });
      expect([status, body.error.param]).to.deep.equal([400, 'timestamp']);
    }
  });

  it('may carry its search and its time, and nothing else', async () => {
    const at = new Date(Date.now() - 3_600_000);
    const search_id = await suggest('/help/return');
    const body = { raw_path: '/help/return', search_id, timestamp: at.toISOString() };
    expect((await project.post('/v1/events', body)).status).to.equal(204);
    await becomes('/help/return', { suggested: 1 });
    const [row] = await storedNotFounds(sharedService().service, project.row.project_id, 1);
    expect(row?.received_at.toISOString()).to.equal(at.toISOString());
  });

  it('is told from a click that lost its clicked_url by a field beside its search_id, and no clicked_rank', async () => {
    const search_id = randomUUID();
    const now = new Date().toISOString();
    for (const [more, param] of [
      [{}, undefined],
      [{ origin: 'https://x.example' }, undefined],
      [{ clicked_rank: 1 }, 'clicked_url'],
      [{ clicked_rank: 1, timestamp: now }, 'clicked_url'],
      [{ clicked_rank: 1, user_agent: BROWSER }, 'clicked_url'],
    ] as const) {
      const { status, body } = await project.post('/v1/events', { raw_path: '/x', search_id, ...more });
      expect([status, body.error.param]).to.deep.equal([400, param]);
    }
    for (const more of [
      { referrer: null },
      { user_agent: null },
      { user_ip: null },
      { outcome: 'gone' },
      { timestamp: null },
    ])
      expect((await project.post('/v1/events', { raw_path: '/x', search_id: randomUUID(), ...more })).status).to.equal(
        204,
      );
    for (const [name, value] of [
      ['search_id', 'abc'],
      ['outcome', 'clicked'],
      ['outcome', 5],
    ] as const)
      expect((await missed('/x', { [name]: value })).body.error.param).to.equal(name);
  });

  it('is in no sum when it came with a test key', async () => {
    const headers = { Authorization: `Bearer ${await project.newKey({ mode: 'test' })}` };
    await project.call('POST', '/v1/events', { raw_path: '/test', user_agent: BROWSER }, headers);
    await project.call('GET', '/v1/proxy?url=/test', undefined, headers);
    await missed('/live');
    await storedNotFounds(sharedService().service, project.row.project_id, 3);
    await becomes('/live', { people: 1 });
    const paths = await project.query('select path from pathmend.missing_paths where project_id = $1');
    expect(paths).to.deep.equal([{ path: '/live' }]);
  });
});
