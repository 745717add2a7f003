import { expect } from 'chai';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';

describe('a list of old urls in the console', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  const at = (path: string): string => `/p/${project.row.project_id}${path}`;
  const list = (...urls: string[]): { name: string; mimeType: string; buffer: Buffer } => ({
    name: 'Table.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['URL,Last crawled', ...urls.map((url) => `${url},2026-11-28`)].join('\n')),
  });

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
    await pushPages(project, '/help/returns', '/help/delivery', '/coffee/grinders');
  });

  it("has the site's own urls as paths, takes one action for a page of it but for some, and names the next step", async () => {
    const { page, complaints, close } = await editor.tab();
    await page.goto(site.url + at('/redirects'));
    await clickThrough(page.getByRole('link', { name: 'map a list of old urls' }));
    const urls = ['https://shop.example/zzz/a', 'http://www.shop.example/zzz/b/', 'https://old.example/zzz/c'];
    await page.getByLabel('File').setInputFiles(list(...urls, 'https://shop.example/zzz/a?'));
    await clickThrough(page.getByRole('button', { name: 'Upload and look up' }));
    await page.getByRole('heading', { name: 'Review old urls' }).waitFor();
    const paths = await page.locator('li.missing .path').allInnerTexts();
    expect(paths.sort()).to.deep.equal(['/zzz/a', '/zzz/b/', 'https://old.example/zzz/c']);
    await page.getByLabel('All rows of this page').selectOption('Gone (410)');
    expect(await page.getByLabel('Action for /zzz/a').inputValue()).to.equal('gone');
    await page.getByLabel('Action for /zzz/a').selectOption('Ignore');
    await clickThrough(page.getByRole('button', { name: 'Save all decided rows as rules' }));
    expect(await page.getByRole('status').first().innerText()).to.match(/3 rules were created.*Import and export/);
    const rules = await project.query<{ rule: string }>(
      `select coalesce(host, '*') || path || ' ' || action as rule from pathmend.rules where project_id = $1 order by 1`,
    );
    expect(rules.map(({ rule }) => rule)).to.deep.equal(['*/zzz/a ignore', '*/zzz/b/ gone', 'old.example/zzz/c gone']);

    await page.goto(site.url + at('/redirects/transfer?show=nginx'));
    const shown = await page.locator('main').innerText();
    expect(/The file for nginx.*/.exec(shown)?.[0]).to.equal(
      'The file for nginx has 3 rules, made from your 2. Download',
    );
    expect(shown).to.include('Its first line tells where it belongs.');
    expect(shown).to.match(/redirects verify --project .+ --site https:/);
    const { text } = await editor.get(at('/redirects/transfer?format=nginx'));
    expect(text).to.match(/^# .*include this file.*\n/);
    expect(text).to.include('location = "/zzz/b/" { return 410; }');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('is looked up when the pages of a new site are indexed', async () => {
    const setStatus = (status: string): Promise<unknown> =>
      project.query(`update pathmend.pages set status = '${status}' where project_id = $1 and url like '%/help/%'`);
    await setStatus('PROCESSING');
    const { page, complaints, close } = await editor.tab();
    await page.goto(site.url + at('/redirects/map'));
    await page.getByLabel('File').setInputFiles(list('https://shop.example/help/retruns'));
    await clickThrough(page.getByRole('button', { name: 'Upload and look up' }));
    await page.getByText('2 pages of the site are indexed first.').waitFor();
    // The page has asked again: nothing was looked up meanwhile.
    await page.waitForEvent('load');
    await page.getByText('0 of 1 old url looked up so far. 2 pages').waitFor();
    await setStatus('INDEXED');
    await page.getByRole('heading', { name: 'Review old urls' }).waitFor();
    expect(await page.locator('li.missing').innerText()).to.include('/help/returns');
    expect(complaints).to.deep.equal([]);
    await close();
  });
});
