import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { registerModel } from '#src/pages/store/models.js';
import { changeRules } from '#src/rules/change-rules.js';
import { clickThrough } from '../../support/browser.js';
import { crawled } from '../../support/crawled.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { GOOGLEBOT, miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';
import { sql } from '#src/platform/database/sql.js';
import { until } from '../../support/until.js';

describe('analytics in the console', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let viewer: TestUser;

  before(async () => {
    site = await startTestConsole();
    project = await site.newProject();
    viewer = await site.newUser('viewer', project);
    await pushPages(project, '/help/returns', '/coffee/grinders');
    await miss(
      site,
      project,
      { path: '/help/return', times: 3, referrer: 'https://shop.example/help' },
      { path: '/zzyzx-brochure', times: 2, referrer: 'https://other.example/list' },
      { path: '/help/return', times: 4, userAgent: GOOGLEBOT },
      { path: '/=cmd|calc', times: 1 },
    );
    await crawled(site, project, {
      'https://shop.example/help/return': ['https://shop.example/help'],
      'https://shop.example/never-asked-for': ['https://shop.example/help?page=2', 'https://shop.example/about'],
    });
    await project.post('/v1/events', { raw_path: '/elsewhere', user_agent: null, origin: 'https://second.example' });
    const { body } = await project.post('/v1/suggest', { path: '/help/return', options: { searchThreshold: 0 } });
    expect(body.suggestions).to.have.length.above(0);
    const notFoundEvent = {
      raw_path: '/help/return',
      user_agent: null,
      origin: 'https://shop.example',
      search_id: body.search_id,
    };
    await project.post('/v1/events', { ...notFoundEvent, outcome: 'suggested' });
    await project.post('/v1/events', {
      search_id: body.search_id,
      clicked_url: body.suggestions[0].url,
      clicked_rank: 1,
      raw_path: '/help/return',
    });
    await project.post('/v1/semantic-search', { query: '=HYPERLINK("x") nothing', options: { searchThreshold: 1 } });
    await until('all of it is counted', async () => {
      const [row] = await project.query<{
        ready: boolean;
      }>(`select (select sum(hits) from pathmend.not_found_days where project_id = $1) = 12
            and (select sum(clicked) from pathmend.position_days where project_id = $1) = 1
            and exists (select from pathmend.missing_paths where project_id = $1 and best_url is not null)
            and exists (select from pathmend.empty_search_days where project_id = $1) as ready`);
      return row?.ready === true;
    });
  });
  after(() => site.stop());

  const path = (end = ''): string => `/p/${project.row.project_id}/analytics${end}`;

  async function csv(end: string): Promise<string[]> {
    const { status, headers, text } = await viewer.get(path(end));
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.match(
      /^attachment; filename="?[a-z-]+(?:-\d{4}-\d\d-\d\d){2}\.csv"?$/,
    );
    return text.trimEnd().split('\r\n');
  }

  for (const script of [true, false])
    it(`shows pictures and tables of 404s, links, searches and speed, ${script ? 'with' : 'without'} script`, async () => {
      const { page, complaints, axe, close } = await viewer.tab({ script, width: script ? 360 : 1280 });
      await page.goto(site.url + path());
      expect(await page.locator('#visitors ~ .scroll').first().innerText()).to.match(
        /People\s+6\s[^]*Search engines\s+4\s/,
      );
      await page.getByText('Pale: today so far').first().waitFor();
      expect(await page.locator('#missing-paths ~ .scroll').first().innerText()).to.match(/\/help\/return\s+4\s/);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('Origin of the 404s').selectOption('https://second.example');
      await clickThrough(page.getByRole('button', { name: 'Show' }));
      expect(await page.locator('#visitors ~ .scroll').first().innerText()).to.match(/Unknown[^\n]*\s+1\s/);
      await clickThrough(page.getByRole('link', { name: 'Links and gaps' }));
      const links = await page.locator('main').innerText();
      expect(links).to.match(/https:\/\/shop\.example\/help\s+\/help\/return\s+\/help\/returns/);
      expect(links).to.match(/https:\/\/other\.example\/list\s+1\s+\/zzyzx-brochure\s+2/);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByRole('link', { name: 'Searches', exact: true }).click();
      expect(await page.locator('#positions ~ .scroll').first().innerText()).to.match(/\n1\s+1\s+1\s+100%/);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByRole('link', { name: 'Speed and usage' }).click();
      expect(await page.locator('#latency-by-kind ~ .scroll').first().innerText()).to.match(/suggest\s+1\s/);
      if (script) {
        expect(await axe()).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360);
      }
      expect(complaints).to.deep.equal([]);
      await close();
    });

  it('has every table as CSV, in which no cell is a formula', async () => {
    const paths = await csv('?csv=missing-paths&days=7');
    expect(paths[0]).to.equal('Path,Requests,Before,Recovered,Last suggestion,Last score,Answered on,Last seen');
    expect(paths[1]).to.match(/^\/help\/return,4,0,0(\.\d+)?,\/help\/returns,/);
    const days = await csv('?csv=outcomes');
    expect(days.at(-1)).to.match(/^\d{4}-\d\d-\d\d,8,/);
    const [, empty] = await csv('/searches?csv=searches-without-results');
    expect(empty).to.match(/^"'=/);
    for (const end of [
      '/links?csv=broken-links',
      '/links?csv=referrers',
      '/usage?csv=usage',
      '/searches?csv=calibration',
    ])
      expect(await csv(end)).to.have.length.above(1);
  });

  it('has every table as JSON lines with the same rows, named by their columns', async () => {
    const { headers, text } = await viewer.get(path('?jsonl=missing-paths&days=7'));
    expect(headers.get('content-type')).to.match(/^application\/x-ndjson/);
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows[0]).to.include({ Path: '/help/return', Requests: 4 });
    expect(rows).to.have.length((await csv('?csv=missing-paths&days=7')).length - 1);
  });

  it('takes days from and to, says how many are whole, and compares them with as many before', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { page, complaints, axe, close } = await viewer.tab();
    await page.goto(site.url + path());
    await page.getByLabel('From (UTC)').fill(today);
    await clickThrough(page.getByRole('button', { name: 'Show' }));
    const main = (): Promise<string> => page.locator('main').innerText();
    expect(await main())
      .to.include('1 day, 0 of them whole: today is not over. Compared with')
      .and.include('404s: 8 (before: 0)');
    // Every page keeps them.
    for (const tab of ['Redirects', 'Links and gaps', 'Searches', 'Speed and usage', 'Missing pages']) {
      await clickThrough(
        page.getByRole('navigation', { name: 'Analytics' }).getByRole('link', { name: tab, exact: true }),
      );
      expect(await page.getByLabel('From (UTC)').inputValue(), tab).to.equal(today);
    }
    await clickThrough(page.getByRole('link', { name: 'Last 7 days' }));
    expect(await main()).to.include('7 days, 6 of them whole');
    await page.goto(`${site.url}${path('?from=2026-01-01&to=2026-01-07')}`);
    expect(await main())
      .to.include('No 404s from these visitors in this period.')
      .and.include('404s: 0 (before: 0)');
    await page.goto(`${site.url}${path('?from=2026-02-30')}`);
    expect(await page.locator('.problem').innerText()).to.equal('from must be a day such as 2026-11-24.');
    expect(await axe()).to.deep.equal([]);
    expect((await viewer.get(path('?csv=outcomes&from=2026-02-30'))).status, 'no file of other days').to.equal(400);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('lists links of the site that visitors followed or a crawl met, until they have a rule', async () => {
    const rows = async (): Promise<string[]> =>
      (await csv('/links?csv=broken-links')).slice(1).map((line) => line.split(',').slice(0, 2).join(' '));
    const crawledAlone = ['https://shop.example/about', 'https://shop.example/help'].map(
      (page) => `${page} /never-asked-for`,
    );
    expect(await rows()).to.have.members(['https://shop.example/help /help/return', ...crawledAlone]);
    const { text } = await viewer.get(path('/links'));
    expect(text).to.include('the server answers 404');
    const { db, deps } = site.service;
    const change = { path: '/help/return', action: 'gone' as const };
    const by = onCommandLine('a test');
    await changeRules({ ...deps, db }, project.row.project_id, [change], by);
    expect(await rows()).to.have.members(crawledAlone);
    await changeRules({ ...deps, db }, project.row.project_id, [{ ...change, action: 'remove' }], by);
  });

  it('says of a page what leads to it, of the rules what they answer, and of the model how far its change is', async () => {
    const { db, deps } = site.service;
    const { project_id: id } = project.row;
    const changes = [{ path: '/zzyzx-brochure', action: 'redirect' as const, target: '/coffee/grinders' }];
    await changeRules({ ...deps, db }, id, changes, onCommandLine('a test'));
    const { page, complaints, close } = await viewer.tab();
    const table = page.getByRole('table', { name: 'Missing paths that lead here' });
    for (const [title, row] of [
      ['/help/returns', /\/help\/return\s+first suggestion\s+4\s/],
      ['/coffee/grinders', /\/zzyzx-brochure\s+redirect\s+2\s/],
    ] as const) {
      await page.goto(`${site.url}/p/${id}/pages?url=${title}`);
      await page.locator('tbody a').first().click();
      expect(await table.innerText()).to.match(row);
    }
    await page.goto(`${site.url}/p/${id}/redirects/dry-run`);
    expect(await page.locator('main').innerText()).to.match(/match a current rule: 2 requests to 1 of 4 paths/);
    const other = { fingerprint: 'f', name: 'another-model', location: 'another-model', dimensions: 3 };
    const wanted = await registerModel(db, other);
    await sql`insert into pathmend.model_names values ('another-model')`.execute(db);
    await sql`update pathmend.projects set model_choice = 'another-model' where project_id = ${id}`.execute(db);
    await page.goto(`${site.url}/p/${id}/settings`);
    expect(await page.locator('main').innerText()).to.match(/Changing to\s+another-model\s+Pages done\s+0 of 2 \(0%\)/);
    await sql`update pathmend.projects set model_choice = null where project_id = ${id}`.execute(db);
    await sql`delete from pathmend.models where model_id = ${wanted}`.execute(db);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('answers odd queries with the page', async () => {
    for (const queryString of [
      '?days=x',
      '?days=__proto__',
      '?from=%00&to=__proto__',
      '?origin=%00%ff',
      `?origin=${'x'.repeat(5_000)}`,
      '?csv=nothing',
    ])
      expect((await viewer.get(path(queryString))).status, queryString).to.equal(200);
  });

  it('are narrowed to kinds of visitors and to paths, and the files are, too', async () => {
    const analyticsPath = `/p/${project.row.project_id}/analytics`;
    const hits = async (visitors: string): Promise<number> => {
      const { text } = await viewer.get(`${analyticsPath}?csv=outcomes&visitors=${visitors}`);
      return text
        .trim()
        .split('\r\n')
        .slice(1)
        .reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
    };
    expect(await hits('people')).to.equal(8);
    expect(await hits('engines')).to.equal(4);
    expect(await hits('all')).to.equal(12);
    expect(await hits('__proto__')).to.equal(8);
    const { text } = await viewer.get(`${analyticsPath}?csv=missing-paths&prefix=/zz`);
    expect(text.split('\r\n').slice(1, -1)).to.have.length(1);
    expect(text).to.include('/zzyzx-brochure');
    expect((await viewer.get(`${analyticsPath}?prefix=/zz`)).text)
      .to.include('csv=missing-paths')
      .and.include('prefix=%2Fzz');
  });

  it('say which redirects are worth adding, which answered nobody, and how the index and clicks by score are', async () => {
    const analyticsPath = `/p/${project.row.project_id}/analytics`;
    await changeRules(
      { ...site.service.deps, db: site.service.db },
      project.row.project_id,
      [{ path: '/never-met', action: 'redirect', target: '/coffee/grinders' }],
      onCommandLine('test'),
    );
    const { page, complaints, axe, close } = await viewer.tab();
    await page.goto(`${site.url}${analyticsPath}/redirects`);
    const worth = page.getByRole('region', { name: 'Redirects worth adding' });
    // The stored score is that of a past answer, with its day.
    expect(await worth.innerText()).to.match(
      /\/help\/return\s.*\/help\/returns\s+1 of 1 clicks\s+0\.\d\d\s+on \d{4}-\d\d-\d\d\s/,
    );
    expect(await worth.innerText()).not.to.include('%');
    expect(await page.getByRole('region', { name: 'Unused redirects' }).innerText()).to.include('/never-met');
    expect(await axe()).to.deep.equal([]);
    expect(await worth.getByRole('link', { name: 'Accept' }).count(), 'a viewer decides nothing').to.equal(0);
    const editor = await site.newUser('editor', project);
    const deciding = await editor.tab();
    await deciding.page.setViewportSize({ width: 390, height: 800 });
    await deciding.page.goto(`${site.url}${analyticsPath}/redirects`);
    const accept = deciding.page.getByRole('link', { name: 'Accept /help/return →' });
    expect(await deciding.axe()).to.deep.equal([]);
    const { x = 0, width = 0 } = (await accept.boundingBox()) ?? {};
    expect(x + width, 'on a narrow screen').to.be.within(1, 390);
    await accept.click();
    await deciding.page.getByText('Nothing has changed yet.').waitFor();
    expect(await deciding.page.locator('tbody').innerText()).to.include('/help/return');
    await deciding.page.goBack();
    await deciding.page.getByLabel('Select all').check();
    await deciding.page.getByRole('button', { name: 'Accept selected…' }).click();
    await deciding.page.getByText('Nothing has changed yet.').waitFor();
    expect(await deciding.page.locator('tbody').innerText()).to.include('/help/return');
    await deciding.close();
    await page.goto(`${site.url}${analyticsPath}/redirects?prefix=/other`);
    await page.getByText('No unused rules.').waitFor();
    await page.goto(`${site.url}${analyticsPath}/searches`);
    expect(await page.getByRole('region', { name: 'Clicks by score' }).locator('tbody tr').count()).to.be.above(0);
    await page.goto(`${site.url}${analyticsPath}/usage`);
    expect(await page.getByRole('region', { name: 'Index status' }).innerText()).to.match(/\n2\s+0\s+0/);
    await page.getByText('All data of this period was stored.').waitFor();
    await project.query(`insert into pathmend.history_days (project_id, day, what, stored, not_kept, bytes) values ($1, (now() at time zone 'UTC')::date, 'searches', 5, 7, 1)
       on conflict (project_id, day, what) do update set not_kept = 7`);
    await page.reload();
    expect(await page.getByRole('region', { name: 'Data not stored' }).innerText()).to.match(/searches\s+\d+\s+7/);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('say for redirects worth adding what is answered now, as the inbox does', async () => {
    const old = `update pathmend.missing_paths set best_url = '/last-week', best_score = 0.5, best_at = now() - interval '7 days'
                  where project_id = $1 and path = '/help/return'`;
    await project.query(old);
    const today = new Date().toISOString().slice(0, 10);
    const { page, close } = await viewer.tab();
    const row = page.getByRole('row', { name: /\/help\/return/ });
    await until('it was looked up', async () => {
      await page.goto(site.url + path('/redirects'));
      return (await row.innerText()).includes(`on ${today}`);
    });
    expect(await row.innerText())
      .to.match(/\/help\/returns/)
      .and.not.to.include('/last-week');
    await close();
  });

  it('counts no outcomes of robots, and says so', async () => {
    await miss(site, project, { path: '/wp-login.php', times: 2, userAgent: 'sqlmap/1.7' });
    const { page, close } = await viewer.tab();
    await page.goto(`${site.url}${path()}`);
    const row = page.getByRole('row', { name: /outcomes not counted/ });
    expect(await row.innerText()).to.match(/2\s*$/);
    await row.getByRole('link', { name: '2' }).click();
    await page.getByText('Robots: outcome not counted').first().waitFor();
    expect(await page.getByText('Recovery rate').count()).to.equal(0);
    await close();
  });
});
