import { expect } from 'chai';
import { clickThrough, tabTo } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';

describe('the redirects in the console', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  const redirects = (path = ''): string => `/p/${project.row.project_id}/redirects${path}`;
  const stored = (): Promise<{ path: string }[]> =>
    project.query('select path from pathmend.rules where project_id = $1 order by 1');
  const paths = async (): Promise<string[]> => (await stored()).map(({ path }) => path);

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
    await pushPages(project, '/help/returns', '/help/delivery', '/help/sizes');
  });

  for (const script of [true, false]) {
    it(`are added after a look at what they would do, changed and removed, ${script ? 'with' : 'without'} script`, async () => {
      await miss(site, project, { path: '/support/returns', times: 3 }, { path: '/support/sizes' });
      const { page, complaints, axe, close } = await editor.tab({ script });
      await page.goto(site.url + redirects());
      await page.getByText('No rules yet.').waitFor();
      await page.getByRole('link', { name: 'Add rule' }).click();
      await page.getByLabel('Missing path').fill('/support/*');
      await page.getByLabel('Target').fill('/help/:splat');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('4 requests to 2 paths').waitFor();
      if (script) expect(await axe()).to.deep.equal([]);
      expect(await paths()).to.deep.equal([]);
      await page.getByRole('button', { name: 'Save rule' }).click();
      await page.getByText('/support/* now leads to /help/:splat.').waitFor();
      expect(await paths()).to.deep.equal(['/support/*']);
      if (script) expect(await axe()).to.deep.equal([]);

      await page.getByRole('link', { name: 'Edit /support/*' }).click();
      await page.getByLabel('Target').fill('/help/:other');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page
        .getByText(/^Target names :other, which the path does not have/)
        .first()
        .waitFor();
      await page.goBack();
      await page.goto(site.url + redirects('?search=SUPPORT&kind=prefix'));
      await page.getByRole('button', { name: 'Remove /support/*' }).click();
      await page.getByText('The rule for /support/* was removed.').waitFor();
      expect(await paths()).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await close();
    });
  }

  it('of a path with a star stay rules of that path when they are edited', async () => {
    const starProject = await site.newProject({ scopes: ['read', 'write', 'rules'] });
    const user = await site.newUser('editor', starProject);
    const page = `/p/${starProject.row.project_id}/redirects`;
    await starProject.call('POST', '/v1/rules', { path: '/c*', match: 'path', action: 'gone' });
    const href = /href="([^"]*\/edit\?[^"]*)"/.exec((await user.get(page)).text)?.[1] ?? '';
    const fields = new URL(href.replaceAll('&amp;', '&'), site.url).searchParams;
    await user.post(`${page}/edit/save`, { ...Object.fromEntries(fields), action: 'ignore' });
    const { body } = await starProject.call('GET', '/v1/rules');
    expect((body.rules as object[]).length).to.equal(1);
    expect(body.rules[0]).to.include({ match: 'path', action: 'ignore' });
  });

  it('are imported from text, with what was refused, and exported in every format', async () => {
    const { page, complaints, axe, close } = await editor.tab();
    await page.goto(site.url + redirects('/transfer'));
    expect(await axe()).to.deep.equal([]);
    await page.getByText('Or paste text').click();
    await page
      .getByLabel('Redirects to import')
      .fill('/a /help/returns\n/b /help/delivery 301\n/waits /not-there\nnonsense\n');
    await page.getByRole('button', { name: 'Import text' }).click();
    await page.getByText('2 new redirects').waitFor();
    expect(await page.locator('.notice').innerText()).to.match(
      /1 redirect to pages that are not indexed yet.*1 line was refused\. Line 4: /s,
    );
    expect(await paths()).to.deep.equal(['/a', '/b', '/waits']);
    const answered = await project.post('/v1/suggest', { path: '/a' });
    expect(answered.body.suggestions[0].url).to.equal('/help/returns');
    for (const format of ['nginx', 'apache', 'caddy', 'netlify', 'csv', 'json']) {
      const { status, headers, text } = await editor.get(redirects(`/transfer?format=${format}`));
      expect([status, headers.get('content-disposition')], format).to.deep.equal([
        200,
        `attachment; filename=redirects-${format}.${format === 'csv' || format === 'json' ? format : 'txt'}`,
      ]);
      expect(text, format).to.include('/help/returns');
    }
    await page.goto(site.url + redirects('/check'));
    expect(await page.locator('tbody').innerText()).to.match(/\/waits\s+target page is missing/);
    expect(await axe()).to.deep.equal([]);
    const wrong = await editor.post(redirects('/transfer/import'), { text: 'nonsense', format: '' });
    expect([wrong.status, wrong.text.includes('No line could be read. Line 1: ')]).to.deep.equal([400, true]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('name before the download what a server will not do: what is left out, and an end that it does not know', async () => {
    const dated = await site.newProject({ scopes: ['read', 'write', 'rules'] });
    await pushPages(dated, '/help/returns', '/shop/tea');
    for (const rule of [
      { path: '/sale', target: '/shop/tea', valid_until: '2999-01-31T00:00:00Z' },
      { path: '/shop/*', target: '/help/returns' },
      { path: '/old', target: '/help/returns' },
    ])
      expect((await dated.call('POST', '/v1/rules', rule)).status).to.equal(200);
    const { page, complaints, axe, close } = await (await site.newUser('viewer', dated)).tab({ width: 390 });
    await page.goto(`${site.url}/p/${dated.row.project_id}/redirects/transfer`);
    await page.getByLabel('Export format').selectOption('nginx');
    await clickThrough(page.getByRole('button', { name: 'Show the export' }));
    await page.getByText('The file for nginx has 2 rules, made from your 3.').waitFor();
    const remarks = (await page.locator('tbody tr').allInnerTexts()).map((row) => row.replace(/\s+/g, ' '));
    expect(remarks[0]).to.match(/^\/shop\/\* .*left out .*hides pages/);
    expect(remarks[1]).to.match(/^\/sale .*yes, but .*ends on 2999-01-31T00:00:00.*export again then/);
    expect(await axe()).to.deep.equal([]);
    const href = (await page.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? '';
    const file = await (await site.newUser('viewer', dated)).get(href.slice(new URL(site.url).pathname.length));
    expect(file.text).to.match(/# ends on 2999-01-31.*\nlocation = "\/sale"/);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('are checked a part at a time, each against all: chains that leave the part, pages at their paths, wildcards', async () => {
    const large = await site.newProject();
    const { project_id: id } = large.row;
    await pushPages(large, '/end', '/live', '/docs/kept');
    const lines = [
      ...Array.from({ length: 1_100 }, (_, at) => `/m/${String(at).padStart(4, '0')} /end`),
      // Its target is a rule of the second part.
      '/a /z',
      '/z /end',
      '/loop-a /zz-loop',
      '/zz-loop /loop-a',
      '/live /end',
      '/zzz /nowhere',
      '/docs/* /end',
    ];
    const user = await site.newUser('editor', large);
    const redirectsPath = `/p/${id}/redirects`;
    await user.post(`${redirectsPath}/transfer/import`, { text: lines.join('\n'), format: '' });
    const { page, close } = await user.tab();
    await page.goto(`${site.url}${redirectsPath}/check`);
    const first = await page.locator('tbody tr').allInnerTexts();
    const listFindings = (rows: readonly string[]): string[] =>
      rows.map((row) => row.split('\t').slice(0, 2).join(': ')).sort();
    expect(listFindings(first)).to.deep.equal([
      '/a: leads to another redirect',
      '/docs/*: hides pages',
      '/live: is a live page',
      '/loop-a: leads back to itself',
    ]);
    await clickThrough(page.getByRole('link', { name: 'Check next 1000' }));
    expect(listFindings(await page.locator('tbody tr').allInnerTexts())).to.deep.equal([
      '/zz-loop: leads back to itself',
      '/zzz: target page is missing',
    ]);
    expect(await page.getByRole('link', { name: 'Check next 1000' }).count()).to.equal(0);
    await close();
  });

  it('are changed by the keyboard alone: found, edited, removed', async () => {
    const typed = await site.newProject();
    const { project_id: id } = typed.row;
    await pushPages(typed, '/end', '/other');
    const user = await site.newUser('editor', typed);
    const { page, complaints, close } = await user.tab();
    await page.goto(`${site.url}/p/${id}/redirects`);
    await tabTo(page, 'Add rule');
    await page.keyboard.press('Enter');
    await page.waitForURL(/edit/);
    await tabTo(page, 'Missing path');
    await page.keyboard.type('/typed');
    await tabTo(page, 'Target');
    await page.keyboard.type('/end');
    await Promise.all([page.waitForURL(/path=/), page.keyboard.press('Enter')]);
    await tabTo(page, 'Save rule');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await page.locator('tbody').innerText()).to.include('/typed');
    await page.goto(`${site.url}/p/${id}/redirects`);
    await tabTo(page, 'Path or target contains');
    await page.keyboard.type('typ');
    await Promise.all([page.waitForURL(/search=typ/), page.keyboard.press('Enter')]);
    await tabTo(page, 'Remove /typed');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await page.getByRole('status').textContent()).to.include('The rule for /typed was removed.');
    expect(
      await query(site.service, "select from pathmend.rules where project_id = $1 and action = 'redirect'", [id]),
    ).to.have.length(0);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('are proposed for whole sections, with their cases and what they take besides; confirmed and rejected', async () => {
    const slugs = ['red', 'blue', 'green', 'black', 'white', 'amber'];
    await pushPages(project, ...slugs.map((slug) => `/mugs/${slug}`), ...slugs.map((slug) => `/teas/${slug}`));
    const lines = slugs.flatMap((slug) => [`/cups/${slug} /mugs/${slug}`, `/leaves/${slug} /teas/${slug}`]);
    await editor.post(redirects('/transfer/import'), { text: lines.join('\n'), format: '' });
    await query(site.service, 'select pathmend.ensure_weeks(now(), now())', []);
    await query(
      site.service,
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
       values ($1, gen_random_uuid(), now(), '/cups/gold', false)`,
      [project.row.project_id],
    );
    const { page, complaints, axe, close } = await editor.tab();
    await page.goto(site.url + redirects('/proposals'));
    await page.getByText('No proposals.').waitFor();
    await page.getByRole('button', { name: 'Find proposals now' }).click();
    await page.getByText('2 rules proposed.').waitFor();
    expect(await axe()).to.deep.equal([]);
    expect(await page.locator('.choices').innerText()).to.match(
      /\/cups\/\*.*→ .*\/mugs\/:splat.*Shown by redirects that agree: 6 cases for it, 0 against.*take paths whose new page is missing.*\/cups\/gold \(1 request\)/s,
    );
    await page.getByLabel('Select /cups/*').check();
    await page.getByRole('button', { name: 'Confirm selected' }).click();
    await page.getByText('1 rule created.').waitFor();
    await page.getByLabel('Select all').check();
    expect(await page.getByLabel('Select /leaves/*').isChecked()).to.equal(true);
    await page.getByRole('button', { name: 'Reject selected' }).click();
    await page.getByText('1 proposal rejected').waitFor();
    expect((await paths()).filter((path) => path.endsWith('*'))).to.deep.equal(['/cups/*']);
    await page.goto(`${site.url}${redirects()}?search=/cups/*`);
    expect(await page.locator('tbody tr').first().innerText()).to.match(/confirmed proposal(?!.*%)/);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('answer odd input with a page or a clear refusal, and viewers with nothing to change', async () => {
    for (const path of [
      '?kind=x&action=__proto__&search=%00',
      '/edit?path=/*&target=/x',
      '/edit?path=%00',
      '/edit?path=/a&action=redirect&target=javascript:alert(1)',
      '/transfer?format=xml',
    ])
      expect((await editor.get(redirects(path))).status, path).to.equal(200);
    for (const path of ['?cursor=x', '/history?cursor=!', '/proposals?cursor=WzFd'])
      expect((await editor.get(redirects(path))).status, path).to.equal(400);
    const posts: [string, Record<string, string>][] = [
      ['/remove', {}],
      ['/edit/save', { path: '/*', action: 'gone' }],
      ['/transfer/import', { text: '' }],
      ['/transfer/import', { text: '/a /b', format: 'nonsense' }],
      ['/proposals/decide', { do: 'confirm' }],
      ['/proposals/decide', { do: 'confirm', proposal: 'x' }],
      ['/history/undo', { change: '99999999999' }],
    ];
    for (const [path, fields] of posts) expect((await editor.post(redirects(path), fields)).status, path).to.equal(400);
    expect((await editor.post(redirects('/history/undo'), { change: '7' })).status).to.equal(404);
    const viewer = await site.newUser('viewer', project);
    await editor.post(redirects('/edit/save'), {
      path: '/<script>alert(1)</script>',
      action: 'redirect',
      target: '/help/returns',
    });
    const { text } = await viewer.get(redirects());
    expect(text).to.include('/&lt;script&gt;alert(1)').and.not.to.include('<script>alert').and.not.to.include('Remove');
    expect((await viewer.get(redirects('/edit'))).status).to.equal(403);
    expect((await viewer.post(redirects('/remove'), { path: '/x' })).status).to.equal(403);
  });
});
