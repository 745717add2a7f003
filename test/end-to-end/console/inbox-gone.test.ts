import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const NAMES = ['gitlab', 'slack', 'jira', 'notion', 'zapier'];
const SHOP = 'https://shop.example';

describe('paths that the inbox proposes as gone', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  const rules = (): Promise<object[]> =>
    project.query('select path, action, target from pathmend.rules where project_id = $1 order by path');
  const openInbox = async (page: Page): Promise<void> => {
    await page.goto(`${site.url}/p/${project.row.project_id}/inbox`);
    await page.locator('li.missing[data-ask]').first().waitFor({ state: 'detached' });
  };

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
    for (const name of NAMES)
      await project.upsert({
        url: `${SHOP}/integrations/${name}`,
        title: `Connect ${name}`,
        content: `How to connect ${name} to your workspace. Support answers on GitHub.`,
      });
    for (const [name, content] of [
      ['returns', 'Send an item back within thirty days.'],
      ['delivery', 'When your order comes.'],
      ['warranty', 'What we repair for free.'],
    ] as const)
      await project.upsert({ url: `${SHOP}/help/${name}`, content });
    await project.indexed();
    await project.call('DELETE', '/v1/pages/delete', { url: `${SHOP}/help/warranty` });
    await miss(
      site,
      project,
      { path: '/integrations/github', times: 5 },
      { path: '/help/warranty', times: 4 },
      { path: '/zzyzx-qwfp', times: 3 },
      { path: '/integrations/gitlba', times: 2 },
      { path: '/help' },
    );
  });

  it('have their reason, no page to accept, and become gone by one key', async () => {
    const { page, complaints, axe, close } = await editor.tab();
    await openInbox(page);
    const textOf = async (path: string): Promise<string> =>
      page.locator('li.missing', { has: page.getByText(path, { exact: true }) }).innerText();
    expect(await textOf('/integrations/github')).to.match(
      /Proposed as gone \(410\): pages of its folder are near, none is it\.\s+The closest is.*\/integrations\/gitlab score 0\.\d\d/s,
    );
    expect(await textOf('/help/warranty')).to.include('Proposed as gone (410): the page was here and was deleted.');
    expect(await textOf('/zzyzx-qwfp')).to.include('Proposed as gone (410): no page says this.');
    for (const path of ['/integrations/gitlba', '/help']) expect(await textOf(path)).to.not.include('Proposed as gone');
    expect(await page.getByRole('button', { name: /^Accept \// }).allInnerTexts()).to.have.length(2);
    expect(await axe()).to.deep.equal([]);
    expect(await page.locator('li.missing.current .path').innerText()).to.equal('/integrations/github');
    await page.keyboard.press('a');
    await page.getByText('No suggestion here. Press c to choose a page.').waitFor();
    expect(await rules()).to.deep.equal([]);
    await page.keyboard.press('g');
    await until('it is gone', async () => (await rules()).length > 0);
    expect(await rules()).to.deep.equal([{ path: '/integrations/github', action: 'gone', target: null }]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('are listed apart where all rows are accepted, and only their own choice makes them gone', async () => {
    const { page, complaints, axe, close } = await editor.tab();
    await openInbox(page);
    await page.getByLabel('Select all').check();
    await page.getByRole('button', { name: 'Accept…' }).click();
    await page.getByText('Nothing has changed yet.').waitFor();
    expect(await axe()).to.deep.equal([]);
    const rowsOf = (caption: string): Promise<string[]> =>
      page.getByRole('table', { name: caption }).locator('tbody tr').allInnerTexts();
    const redirects = await rowsOf('What would change');
    expect(redirects).to.have.length(1);
    expect(redirects[0]).to.match(
      /\/integrations\/gitlba.*Connect gitlab score 0\.\d\d.*to https:\/\/shop\.example\/integrations\/gitlab\s+Why: similar paths \(\d+%\)/s,
    );
    const gone = await rowsOf('Proposed as gone');
    expect(gone).to.have.length(3);
    expect(gone.join('\n')).to.match(/\/integrations\/github.*gone.*pages of its folder are near, none is it/s);
    expect(await page.locator('main').innerText()).to.include('Left in the inbox, without an answer of 0.7: 1 row.');
    const checked = page.locator('input[type=checkbox]:checked');
    expect(await checked.count()).to.equal(1);
    expect(await rules()).to.deep.equal([]);
    await page.getByLabel('/help/warranty').check();
    await page.getByRole('button', { name: 'Apply changes' }).click();
    await page.getByText('2 rules changed.').waitFor();
    expect(await rules()).to.deep.equal([
      { path: '/help/warranty', action: 'gone', target: null },
      { path: '/integrations/gitlba', action: 'redirect', target: `${SHOP}/integrations/gitlab` },
    ]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('are seen on a phone without scrolling past help', async () => {
    const { page, close } = await editor.tab({ width: 390 });
    await openInbox(page);
    const top = await page.evaluate<number>(
      'document.querySelector("li.missing").getBoundingClientRect().top + scrollY',
    );
    expect(top).to.be.below(700);
    await page.getByText('What the numbers and buttons mean').click();
    await page.getByText('the page was removed for good').waitFor();
    await close();
  });

  it('become no redirect whatever a form names as their page, and a doubtful page becomes none among many', async () => {
    const missing = await project.query<{ hash: string; path: string }>(
      `select encode(path_hash, 'hex') as hash, path from pathmend.missing_paths where project_id = $1`,
    );
    const inbox = `/p/${project.row.project_id}/inbox`;
    const send = async (...paths: string[]): Promise<string> => {
      const query = new URLSearchParams({ do: 'accept' });
      for (const { hash } of missing.filter(({ path }) => paths.includes(path))) {
        query.append('row', hash);
        query.append(`target:${hash}`, `${SHOP}/help/returns`);
      }
      return (await editor.get(`${inbox}/preview?${query.toString()}`)).text;
    };
    const all = await send('/integrations/github', '/help');
    expect(all).to.include('Proposed as gone').and.not.include('What would change');
    expect(all).to.not.match(/<input type="checkbox"[^>]* checked/);
    expect(await send('/help'))
      .to.include('Nothing to accept.')
      .and.not.include('Apply changes');
  });
});
