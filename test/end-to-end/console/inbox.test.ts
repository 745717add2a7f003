import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import type { Page } from 'playwright-core';
import { changeRules } from '#src/rules/change-rules.js';
import { learnSectionRedirects } from '#src/rules/learn-redirects-job.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { GOOGLEBOT, miss } from '../../support/missed.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { pushPages } from '../../support/learned-redirects.js';
import { loggedSearches } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('the inbox', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  const inbox = (path = ''): string => `/p/${project.row.project_id}/inbox${path}`;
  const paths = (page: Page): Promise<string[]> => page.locator('li.missing:not([hidden]) .path').allTextContents();
  const rules = (): Promise<{ path: string }[]> =>
    project.query("select path from pathmend.rules where project_id = $1 and action = 'redirect' order by 1");

  /** Opens it with all suggestions: script looks up what there was no time for, and a link does without script. */
  const openInbox = async (page: Page, script: boolean): Promise<void> => {
    await page.goto(site.url + inbox());
    const missing = page.locator('li.missing[data-ask]').first();
    if (script) await missing.waitFor({ state: 'detached' });
    else if (await missing.isVisible()) await page.getByRole('link', { name: 'Show them' }).click();
  };

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
  });

  for (const script of [true, false]) {
    it(`redirects, gives up, ignores and undoes a path, ${script ? 'with' : 'without'} script`, async () => {
      await pushPages(project, '/help/returns', '/help/delivery', '/coffee/grinders');
      await miss(
        site,
        project,
        { path: '/help/retrun', times: 4, referrer: 'https://shop.example/help' },
        { path: '/help/retrun', userAgent: GOOGLEBOT },
        { path: '/old-campaign', times: 3 },
        { path: '/quiz-2019', times: 2 },
      );
      const { page, complaints, axe, close } = await editor.tab({ script });
      await openInbox(page, script);
      expect(await paths(page)).to.have.members(['/help/retrun', '/old-campaign', '/quiz-2019']);
      if (script) expect(await axe()).to.deep.equal([]);
      const row = page.locator('li.missing', { hasText: '/help/retrun' });
      expect(await row.innerText()).to.match(/\/help\/returns.*score 0\.\d\d/s);
      expect(await row.innerText()).to.match(
        /4 requests by people, 1 robot.*https:\/\/shop\.example\/help \(your page, 4×\)/s,
      );
      expect(await row.innerText()).to.include('Why: ');

      await page.getByRole('button', { name: 'Accept /help/retrun' }).click();
      await until('it is redirected', async () => (await rules()).some(({ path }) => path === '/help/retrun'));
      await page.getByRole('button', { name: 'Gone /old-campaign' }).click();
      await page.getByRole('button', { name: 'Ignore /quiz-2019' }).click();
      await page.getByText('No missing path needs a decision.').waitFor();
      const answered = await project.post('/v1/suggest', { path: '/help/retrun' });
      expect(answered.body.suggestions[0]).to.include({ url: '/help/returns', score: 1 });

      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone: /quiz-2019.').waitFor();
      expect(await paths(page)).to.deep.equal(['/quiz-2019']);
      await page.getByRole('link', { name: 'History' }).click();
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByRole('button', { name: 'Undo change 1' }).click();
      await page.getByText('Change 1 undone.').waitFor();
      expect(await rules()).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it(`shows what a change of several paths would do before it is made, ${script ? 'with' : 'without'} script`, async () => {
      await pushPages(project, '/help/returns', '/help/delivery');
      await miss(site, project, { path: '/help/retruns', times: 2 }, { path: '/help/delivrey', times: 3 });
      const { page, complaints, axe, close } = await editor.tab({ script });
      await openInbox(page, script);
      if (script) await page.getByLabel('Select all').check();
      else for (const box of await page.getByRole('checkbox').all()) await box.check();
      await page.getByRole('button', { name: 'Accept…' }).click();
      await page.getByText('Nothing has changed yet.').waitFor();
      expect(await page.locator('tbody tr').allInnerTexts()).to.have.length(2);
      expect(await page.locator('tbody').innerText()).to.match(
        /\/help\/delivrey.*to https:\/\/shop\.example\/help\/delivery.*3 requests.*OK/s,
      );
      if (script) expect(await axe()).to.deep.equal([]);
      expect(await rules()).to.deep.equal([]);
      await page.getByRole('button', { name: 'Apply changes' }).click();
      await page.getByText('2 rules changed.').waitFor();
      expect((await rules()).map(({ path }) => path)).to.deep.equal(['/help/delivrey', '/help/retruns']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone').waitFor();
      expect(await rules()).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it(`finds another page by a search, ${script ? 'while one types' : 'without script'}`, async () => {
      await pushPages(project, '/help/returns', '/coffee/grinders');
      await miss(site, project, { path: '/spring-offer' });
      const { page, complaints, axe, close } = await editor.tab({ script });
      await page.goto(site.url + inbox());
      await page.getByRole('link', { name: 'Choose a page for /spring-offer' }).click();
      const search = page.getByLabel('Search your pages');
      if (script) {
        expect(await axe()).to.deep.equal([]);
        await search.pressSequentially('grin');
      } else {
        await search.fill('grin');
        await page.getByRole('button', { name: 'Search' }).click();
      }
      await page.locator('#choices li').first().filter({ hasText: '/coffee/grinders' }).waitFor();
      await page.getByRole('button', { name: 'Redirect there: /coffee/grinders' }).click();
      await page.getByText('/spring-offer now leads to https://shop.example/coffee/grinders.').waitFor();
      expect((await rules()).map(({ path }) => path)).to.deep.equal(['/spring-offer']);
      expect(complaints).to.deep.equal([]);
      await close();
    });
  }

  it('says what visitors chose where their clicks decided, and no score of it', async () => {
    const ids = await pushPages(project, '/help/returns', '/coffee/grinders');
    for (const [page, clicks] of [
      ['/help/returns', 17],
      ['/coffee/grinders', 3],
    ] as const)
      await project.query(
        `insert into pathmend.learned_redirects (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at)
         values ($1, $2, $3, '/qx/9', $4, now())`,
        pathKey('/qx/9'),
        ids.get(page),
        clicks,
      );
    await miss(site, project, { path: '/qx/9', times: 2 });
    const places = [
      '/inbox',
      `/inbox/choose?path=${encodeURIComponent('/qx/9')}`,
      `/try?kind=path&input=${encodeURIComponent('/qx/9')}`,
    ];
    for (const place of places) {
      const shown = async (): Promise<string> => (await editor.get(`/p/${project.row.project_id}${place}`)).text;
      await until(`${place} says what was chosen`, async () => (await shown()).includes('17 of 20 clicks'));
      expect(await shown(), place).not.to.match(/score 0\.89|>0\.89</);
    }
  });

  it('and a proposal says how often people saw links and clicked none', async () => {
    const ids = await pushPages(project, '/help/returns');
    await project.query(
      `insert into pathmend.learned_redirects (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at)
       values ($1, $2, $3, '/qx/9', 17, now())`,
      pathKey('/qx/9'),
      ids.get('/help/returns'),
    );
    for (let visit = 0; visit < 3; visit++)
      await project.post('/v1/suggest', { path: '/QX/9.html', options: { searchThreshold: 0 } });
    await site.service.deps.log.flush();
    const proposals = `/p/${project.row.project_id}/redirects/proposals`;
    await editor.post(`${proposals}/renew`);
    expect((await editor.get(proposals)).text).to.include(
      '17 of 17 clicks; in the last 90 days links were shown 3 times, and 3 times none was clicked',
    );
  });

  it('says which visitors chose so where the clicks on other paths of the section decided', async () => {
    const slugs = ['returns', 'delivery', 'refunds'];
    // By the path alone, each of the last two is as probable.
    const ids = await pushPages(project, ...slugs.map((slug) => `/help/${slug}`), '/cafe/returns', '/tea/returns');
    for (const slug of slugs.slice(1))
      await project.query(
        `insert into pathmend.learned_redirects (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at)
         values ($1, $2, $3, $4, 5, now())`,
        pathKey(`/qx/${slug}`),
        ids.get(`/help/${slug}`),
        `/qx/${slug}`,
      );
    await learnSectionRedirects(site.service.deps.tenants.of(project.row.project_id));
    await miss(site, project, { path: '/qx/returns', times: 2 });
    const shown = async (): Promise<string> => (await editor.get(inbox())).text;
    await until('it says who chose so', async () => (await shown()).includes('as visitors of /qx/… chose'));
    expect(await shown()).not.to.include('score 0.');
  });

  it('comes without suggestions while there is no room to search, says so, and has them later without being asked for', async () => {
    await pushPages(project, '/help/returns', '/help/delivery');
    await miss(site, project, { path: '/help/retruns' }, { path: '/help/delivrey' });
    const { searches } = site.service.deps.bulkheads;
    let letGo: (() => void) | undefined;
    const held = new Promise<void>((done) => (letGo = done));
    const holding: Promise<void>[] = [];
    while (searches.stats().waiting === 0) holding.push(searches.run(project.row.project_id, () => held));
    const { text } = await editor.get(inbox());
    expect(text).to.include('Suggestions for 2 paths are still being looked up.');
    expect(text.match(/data-ask=/g)).to.have.length(2);
    expect(text).not.to.include('score 0.');
    letGo?.();
    await Promise.all(holding);
    // The searches that waited behind them are done, though nobody looks at the inbox.
    await until('nothing is searched any more', () => searches.stats().running + searches.stats().waiting === 0);
    const again = (await editor.get(inbox())).text;
    expect(again.match(/score 0\.\d\d/g)).to.have.length(2);
    expect(again).not.to.include('still being looked up');
    expect(again).to.include('Why: ');
  });

  it('comes back to the row whose decision is undone, and says where Accept leads', async () => {
    await pushPages(project, '/help/returns');
    const names = ['/help/one', '/help/retrun', '/help/three'];
    await miss(site, project, ...names.map((path, at) => ({ path, times: 9 - at })));
    const { page, complaints, close } = await editor.tab({ script: true });
    await openInbox(page, true);
    await page.getByRole('button', { name: 'Accept /help/retrun → /help/returns' }).click();
    const status = page.locator('p[role=status]');
    await status.filter({ hasText: 'Accept /help/retrun → /help/returns' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await page.getByText('Undone: /help/retrun.').waitFor();
    expect(await page.locator('li.missing.current .path').innerText()).to.equal('/help/retrun');
    await page.getByRole('button', { name: 'Ignore /help/three' }).click();
    await status.filter({ hasText: 'Ignore /help/three' }).waitFor();
    expect(await page.getByText('Undone: /help/retrun.').count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  for (const script of [true, false])
    it(`lists under a filter by score what has such a score now, ${script ? 'with' : 'without'} script`, async () => {
      await pushPages(project, '/help/returns');
      await miss(site, project, { path: '/help/return', times: 9 }, { path: '/nowhere', times: 2 });
      await project.query(
        `update pathmend.missing_paths set best_url = '/old', best_score = 0.2, best_at = now() - interval '7 days' where project_id = $1`,
      );
      const { page, close } = await editor.tab({ script });
      const filtered = async (): Promise<string[]> => {
        await page.goto(`${site.url}${inbox()}?score=low`);
        return paths(page);
      };
      await until('both are looked up', async () => (await filtered()).length === 1);
      expect(await paths(page)).to.deep.equal(['/nowhere']);
      await page.goto(site.url + inbox());
      const row = page.locator('li.missing', { has: page.locator('.path', { hasText: '/help/return' }) });
      expect(await row.innerText(), 'requests, not people').to.include('9 requests by people');
      await close();
    });

  it('leaves out what has a rule or a page, counts nothing as a search, and puts many people and much doubt first', async () => {
    await pushPages(project, '/help/returns');
    await miss(
      site,
      project,
      { path: '/help/return', times: 3 },
      { path: '/nowhere', times: 2 },
      { path: '/rare' },
      { path: '/old/a', times: 9 },
    );
    await miss(site, project, { path: '/robots-only', userAgent: GOOGLEBOT });
    await miss(site, project, { path: '/help/returns', times: 5 });
    const first = await project.post('/v1/suggest', { path: '/help/return' });
    await project.post('/v1/events', {
      raw_path: '/help/return',
      user_agent: null,
      search_id: first.body.search_id,
      outcome: 'suggested',
    });
    await until('the search is linked', async () => {
      const rows = await project.query('select from pathmend.missing_paths where project_id = $1 and best_score > 0.7');
      return rows.length === 1;
    });
    const { page, close } = await editor.tab();
    await page.goto(site.url + inbox());
    expect(await paths(page)).to.deep.equal(['/old/a', '/nowhere', '/rare', '/help/return']);
    const { service } = site;
    const change = { path: '/old/*', action: 'redirect' as const, target: '/help/returns' };
    await changeRules({ ...service.deps, db: service.db }, project.row.project_id, [change], onCommandLine('a test'));
    await page.reload();
    expect(await paths(page)).to.deep.equal(['/nowhere', '/rare', '/help/return']);
    await page.goto(`${site.url}${inbox()}?section=/he&days=7&score=high`);
    expect(await paths(page)).to.deep.equal(['/help/return']);
    await loggedSearches(site.service, project.row.project_id, 1);
    expect(await project.query('select from pathmend.searches where project_id = $1')).to.have.length(1);
    await close();
  });

  it('makes no wildcard and no script of what visitors send', async () => {
    await pushPages(project, '/help/returns');
    const hostile = ['/"><img src=x onerror=alert(1)>', '/shop/*', '/a/:number/b', `/long/${'x'.repeat(1500)}`];
    await miss(
      site,
      project,
      ...hostile.map((path) => ({ path, referrer: 'https://evil.example/<script>alert(2)</script>' })),
    );
    const { page, complaints, axe, close } = await editor.tab({ width: 360 });
    await page.goto(site.url + inbox());
    expect(await paths(page)).to.have.members(hostile);
    expect(await axe()).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360);
    for (const path of hostile) await page.getByRole('button', { name: `Ignore ${path}`, exact: true }).click();
    await page.getByText('No missing path needs a decision.').waitFor();
    const kinds = await project.query<{ count: string }>(
      'select count(*) from pathmend.rules where project_id = $1 and prefix is not null',
    );
    expect(kinds[0]?.count).to.equal('0');
    await page.goto(
      `${site.url}${inbox('/choose')}?path=${encodeURIComponent('/<script>alert(1)</script>')}&q=${encodeURIComponent('<script>')}`,
    );
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('lets viewers look and not decide, and nobody decide about a path of another project', async () => {
    await miss(site, project, { path: '/secret-path' });
    const viewer = await site.newUser('viewer', project);
    const { text } = await viewer.get(inbox());
    expect(text).to.include('/secret-path');
    expect(text).not.to.include('name="one"');
    expect((await viewer.get(inbox('/choose?path=/secret-path'))).status).to.equal(403);
    expect((await viewer.post(inbox('/decide'), { one: `ignore ${'a'.repeat(64)}` })).status).to.equal(403);
    const [row] = await project.query<{ hash: string }>(
      `select encode(path_hash, 'hex') as hash from pathmend.missing_paths where project_id = $1`,
    );
    const other = await site.newProject();
    const owner = await site.newUser('editor', other);
    const answer = await owner.post(`/p/${other.row.project_id}/inbox/decide`, { one: `ignore ${row?.hash ?? ''}` });
    expect(answer.status).to.equal(400);
    expect(answer.text).to.include('This path is no longer listed. Reload the page.');
  });

  it('answers odd queries and forms with a page or a clear refusal', async () => {
    for (const query of [
      '?after=x',
      '?after=1e999_' + 'a'.repeat(64),
      '?score=__proto__&days=-1',
      '?section=%00%ff',
      '?section=' + 'y'.repeat(5_000),
    ])
      expect((await editor.get(inbox(query))).status, query).to.equal(200);
    for (const fields of [
      {},
      { one: 'accept' },
      { row: 'x', bulk: 'gone' },
      { row: 'a'.repeat(64), bulk: 'drop' },
    ] as Record<string, string>[])
      expect((await editor.post(inbox('/decide'), fields)).status, JSON.stringify(fields)).to.equal(400);
    expect((await editor.post(inbox('/undo'))).status).to.equal(400);
    expect((await editor.post(inbox('/choose/redirect'), { path: 'nothing', target: '/x' })).status).to.equal(400);
  });
});
