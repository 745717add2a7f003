import { expect } from 'chai';
import { jsonInProcess } from '../../support/commands.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { linkedSearches, loggedSearches, storedClicks, storedNotFounds } from '../../support/stored-events.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const ROBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const PAGE = '/help/shipping-times';
const ADDRESS = '203.0.113.77';

type Row = Record<string, unknown>;

describe('the rows that analysts read', function () {
  this.timeout(60_000);
  let project: TestProject;
  let shop: string;
  let searchId: string;
  let score: number;
  const began = new Date();
  const anHourAgo = new Date(began.getTime() - 3_600_000);

  before(async () => {
    const { service } = sharedService();
    project = await sharedService().newProject();
    await project.upsert({ url: `https://www.shop.example${PAGE}`, content: 'Shipping takes three days by parcel.' });
    await project.upsert({ url: 'https://blog.shop.example/news', content: 'The newest kettles of this year.' });
    await project.indexed();
    const name = ['--project', project.row.name, '--name', 'web shop'];
    shop = ((await jsonInProcess(['key', 'create', '--mode', 'live', ...name])) as { key: string }).key;
    const test = ((await jsonInProcess(['key', 'create', '--mode', 'test', ...name])) as { key: string }).key;
    const { search_id, suggestions } = await send(shop, '/v1/suggest', { path: PAGE });
    searchId = search_id as string;
    score = (suggestions as { score: number }[])[0]?.score ?? 0;
    for (const key of [shop, test]) await send(key, '/v1/suggest', { path: PAGE });
    for (const key of [shop, test]) {
      await send(key, '/v1/events', {
        raw_path: `/de/help/shipping-time?id=7&utm_source=news&utm_medium=email&utm_campaign=Spring+sale%20%C3%A9#top`,
        origin: 'https://www.shop.example:8443',
        referrer: 'https://blog.shop.example/news?from=a',
        user_agent: BROWSER,
        user_ip: ADDRESS,
        ...(key === shop ? { search_id: searchId, outcome: 'suggested' } : {}),
        timestamp: anHourAgo.toISOString(),
      });
      const click = { clicked_url: PAGE, clicked_rank: 1, raw_path: `${PAGE}?utm_source=news`, search_id: searchId };
      await send(key, '/v1/events', { ...click, timestamp: anHourAgo.toISOString() });
    }
    const headers = { 'User-Agent': ROBOT, Referer: 'https://www.google.co.uk/', 'X-Original-Host': 'm.shop.example' };
    await project.call('GET', `/v1/not-found?url=/kb/shipping-times`, undefined, headers);
    const rule = ['--from', '/press', '--to', 'https://press.example/kit'];
    await jsonInProcess(['redirects', 'add', '--project', project.row.name, ...rule]);
    await project.call('GET', '/v1/not-found?url=/press', undefined, { 'User-Agent': BROWSER });
    await loggedSearches(service, project.row.project_id, 5);
    await storedNotFounds(service, project.row.project_id, 4);
    await storedClicks(service, project.row.project_id, 2);
    await linkedSearches(service);
  });

  async function send(key: string, path: string, body: object): Promise<Row> {
    const answer = await project.call('POST', path, body, { Authorization: `Bearer ${key}` });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.body as Row;
  }

  const rows = (view: string): Promise<Row[]> =>
    project.query(`select * from analytics.${view} where project_id = $1 order by at`);

  it('not_founds has each 404 as it was sent, with campaign, language, kind of referrer, key and answer', async () => {
    const [sent, ...more] = await rows('not_founds');
    expect(more).to.have.length(2);
    expect({ ...sent, day: undefined }).to.deep.equal({
      project_id: project.row.project_id,
      project: project.row.name,
      at: anHourAgo,
      host: 'www.shop.example',
      path: '/de/help/shipping-time',
      section: 'help',
      language: 'de',
      referrer: 'https://blog.shop.example/news?from=a',
      referrer_kind: 'own',
      utm_source: 'news',
      utm_medium: 'email',
      utm_campaign: 'Spring sale é',
      is_robot: false,
      outcome: 'clicked',
      answered_url: PAGE,
      score: score.toFixed(4),
      key_name: 'web shop',
      day: undefined,
      visitor: 'person',
      search_id: searchId,
    });
  });

  it('not_founds tells robots, hosts that a header names, and search engines; a key without a name has none', async () => {
    const [, robot] = await rows('not_founds');
    expect(robot).to.include({
      host: 'm.shop.example',
      path: '/kb/shipping-times',
      section: null,
      language: null,
      referrer: 'https://www.google.co.uk/',
      referrer_kind: 'search_engine',
      utm_source: null,
      is_robot: true,
      visitor: 'search_engine',
      answered_url: PAGE,
      key_name: null,
    });
  });

  it('not_founds names the address on another site to which a rule led', async () => {
    const [, , press] = await rows('not_founds');
    const answer = { outcome: 'redirected', answered_url: 'https://press.example/kit', score: null };
    expect(press).to.include({ path: '/press', referrer_kind: 'none', ...answer });
  });

  it('searches has each search with its answer, and says which were cached and which a robot made', async () => {
    const searches = await rows('searches');
    expect(
      searches.map(({ kind, input, cached, is_robot, key_name }) => [kind, input, cached, is_robot, key_name]),
    ).to.deep.equal([
      ['suggest', PAGE, false, false, 'web shop'],
      ['suggest', PAGE, true, false, 'web shop'],
      ['not-found', '/kb/shipping-times', false, true, null],
      ['not-found', '/press', false, false, null],
    ]);
    const [first] = searches;
    expect(first).to.include({
      search_id: searchId,
      best_score: score.toFixed(4),
      clicked_position: '1',
      project: project.row.name,
    });
    expect(first?.['understood']).to.equal('help shipping times');
    expect(first?.['results']).to.have.length(1);
    expect((first?.['results'] as Row[])[0]).to.include({ url: PAGE });
    expect(first?.['took_ms']).to.be.above(0);
    expect(first?.['at']).to.be.within(began, new Date());
  });

  it('clicks has each click with the score of what was clicked, at the time of its arrival', async () => {
    const [click, ...more] = await rows('clicks');
    expect(more).to.be.empty;
    expect(click).to.include({ search_id: searchId, path: PAGE, position: '1', url: PAGE, score: score.toFixed(4) });
    expect(click).to.include({ project_id: project.row.project_id, project: project.row.name });
    expect(click?.['at']).to.be.within(began, new Date());
    expect(click?.['occurred_at']).to.deep.equal(anHourAgo);
  });

  it('no row has an address or a user agent', async () => {
    for (const view of ['not_founds', 'searches', 'clicks']) {
      const text = JSON.stringify(await rows(view));
      expect(text, view).not.to.include(ADDRESS.slice(0, 9)).and.not.to.include('Firefox');
    }
  });
});
