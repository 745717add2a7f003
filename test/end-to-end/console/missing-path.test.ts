import { expect } from 'chai';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { crawled } from '../../support/crawled.js';
import { GOOGLEBOT, miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import { loggedSearches } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('the page of a missing path', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
  });

  const buildPath = (end: string): string => `/p/${project.row.project_id}${end}`;
  const of = (path: string): string => buildPath(`/inbox/path?${new URLSearchParams({ path }).toString()}`);

  it('says who links to it, who asked, what was shown and clicked, what a rule does, and who decided that', async () => {
    await pushPages(project, '/help/returns', '/help/delivery');
    await miss(
      site,
      project,
      { path: '/help/retruns', times: 3, referrer: 'https://shop.example/help' },
      { path: '/help/retruns', userAgent: GOOGLEBOT },
    );
    await crawled(site, project, { 'https://shop.example/help/retruns?ref=nav': ['https://shop.example/about'] });
    const { body } = await project.post('/v1/suggest', { path: '/help/retruns?ref=nav' });
    // A click is learned of a search that is known.
    await loggedSearches(site.service, project.row.project_id, 1);
    const [{ url }] = body.suggestions;
    await project.post('/v1/events', {
      ...{ search_id: body.search_id, clicked_url: url, clicked_rank: 1, raw_path: '/help/retruns' },
    });
    await until('the click is learned', async () => {
      const rows = await project.query('select from pathmend.learned_redirects where project_id = $1');
      return rows.length === 1;
    });

    const { page, complaints, axe, close } = await editor.tab();
    await page.goto(site.url + buildPath('/inbox'));
    await page.getByRole('link', { name: '/help/retruns', exact: true }).click();
    const main = page.locator('main');
    await page.getByRole('heading', { name: 'Missing path' }).waitFor();
    const text = await main.innerText();
    expect(text).to.match(/Rule\s+none\s+Proposed rule\s+none\s+Requested\s+3 times by people, and 1 time by robots/);
    const rows = (name: string): Promise<string[]> =>
      page.getByRole('table', { name }).locator('tbody tr').allInnerTexts();
    expect((await rows('Suggested pages'))[0]).to.match(/\/help\/returns\s+1\s+1\s+[01]\.\d\d\s+1\s/);
    expect((await rows('Pages that link to it')).join('\n')).to.match(
      /shop\.example\/about\s+crawl: the server answers 404[^]*shop\.example\/help\s+your page\s+visitors\s+3/,
    );
    expect(await axe()).to.deep.equal([]);

    await page.getByRole('link', { name: 'Choose a page…' }).click();
    await page.getByRole('button', { name: 'Redirect there: /help/returns' }).click();
    await page.getByText('/help/retruns now leads to').waitFor();
    await page.goto(site.url + of('/help/retruns'));
    expect(await main.innerText()).to.match(/Rule\s+\/help\/retruns: to https:\/\/shop\.example\/help\/returns/);
    expect(await rows('Rule changes')).to.have.length(1);
    expect((await rows('Rule changes'))[0])
      .to.include(editor.email)
      .and.include('no rule');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('comes for any path, and says of one that nobody asked for that nothing is known', async () => {
    const hostile = [
      '/never',
      '/"><img src=x onerror=alert(1)>',
      `/${'x'.repeat(5_000)}`,
      '/a/:number/*',
      `/${'x'.repeat(2_046)}\u{1f41b}`,
    ];
    const { page, complaints, axe, close } = await editor.tab({ width: 360 });
    for (const path of hostile) {
      expect((await page.goto(site.url + of(path)))?.status(), path).to.equal(200);
      expect(await page.locator('main').innerText()).to.include('not within the stored 404s');
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.be.at.most(360);
    }
    expect(await axe()).to.deep.equal([]);
    for (const path of ['', 'x', '?path=%00'])
      expect((await editor.get(of(path))).text, path).to.include('A path begins with a slash.');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('offers a viewer no decision', async () => {
    await miss(site, project, { path: '/secret' });
    const viewer = await site.newUser('viewer', project);
    expect((await viewer.get(of('/secret'))).text)
      .to.include('1 time by people')
      .and.not.include('Make a rule');
  });
});
