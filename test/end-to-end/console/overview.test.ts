import { expect } from 'chai';
import { GENERATED_ORIGIN } from '#src/analytics/store/projects-overview.js';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';

describe('the overview', function () {
  this.timeout(120_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());

  it('says what became of 404s, what needs doing, and leads there', async () => {
    const project = await site.newProject();
    const { project_id: id } = project.row;
    await pushPages(project, '/help/returns');
    await miss(site, project, { path: '/help/return', times: 3 }, { path: '/nowhere' });
    const { body } = await project.post('/v1/suggest', { path: '/help/return' });
    const answered = { raw_path: '/help/return', user_agent: null, search_id: body.search_id, outcome: 'redirected' };
    await project.post('/v1/events', answered);
    await until('the outcome is counted', async () => {
      const rows = await query(
        site.service,
        `select from pathmend.not_found_days where project_id = $1 and outcome = 'redirected'`,
        [id],
      );
      return rows.length === 1;
    });
    const user = await site.newUser('editor', project);
    await user.post(`/p/${id}/inbox/choose/redirect`, { path: '/moved', target: '/not-there-yet' });
    for (const script of [true, false]) {
      const { page, complaints, axe, close } = await user.tab({ script, width: script ? 360 : 1280 });
      await page.goto(`${site.url}/`);
      expect(await page.locator('tbody tr').innerText()).to.match(/\s5\s+0\s+20%\s+2 missing paths\s+healthy\s/);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('All projects');
      if (script) expect(await axe()).to.deep.equal([]);
      await page.locator('tbody a').first().click();
      await page.getByText('404s from people in 30 days').waitFor();
      expect(await page.locator('.figures').innerText()).to.match(/\n5\n.*20%/s);
      expect(await page.locator('.todo').innerText()).to.match(/2 missing paths.*1 redirect /s);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByText('Pale: today so far').waitFor();
      await page.getByText('Show data').click();
      expect(await page.locator('.chart tbody tr').last().innerText()).to.match(/^\d{4}-\d\d-\d\d \(so far\)\s+1\s+4$/);
      if (script) expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360);
      await page.goto(`${site.url}/p/${id}?from=2026-01-01&to=2026-01-07`);
      expect(await page.locator('.figures').innerText()).to.match(
        /404s from people in 7 days\s+0\s+0 in the previous 7 days/i,
      );
      await page.getByRole('link', { name: '2 missing paths' }).click();
      await page.getByText('/nowhere', { exact: true }).waitFor();
      expect(complaints).to.deep.equal([]);
      await close();
    }
  });

  it('counts as redirects to a missing page those that the check behind the number lists', async () => {
    const project = await site.newProject();
    const { project_id: id } = project.row;
    await pushPages(project, '/help/returns');
    const user = await site.newUser('editor', project);
    const rules = {
      '/dead': '/nowhere',
      '/away': 'https://elsewhere.example/x',
      '/over': '/hop',
      '/hop': '/help/returns',
    };
    for (const [path, target] of Object.entries(rules))
      await user.post(`/p/${id}/inbox/choose/redirect`, { path, target });
    const { page, complaints, axe, close } = await user.tab();
    await page.goto(`${site.url}/p/${id}`);
    await page.getByRole('link', { name: '1 redirect', exact: true }).click();
    const listed = page.getByRole('table', { name: 'Redirect problems' }).locator('tbody tr');
    expect(await listed.allInnerTexts()).to.have.length(1);
    expect(await listed.innerText()).to.match(/\/dead\s+target page is missing/);
    expect(await axe()).to.deep.equal([]);
    await page.getByRole('link', { name: 'Check all rules' }).click();
    expect(await page.locator('main').innerText()).to.include('leads to another redirect');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('says that clicks are not counted, until one is, where a web server shows the 404 page', async () => {
    const project = await site.newProject();
    const { project_id: id } = project.row;
    await pushPages(project, '/help/returns');
    const user = await site.newUser('viewer', project);
    const says = async (): Promise<boolean> =>
      (await user.get(`/p/${id}`)).text.includes('Clicks are not counted here');
    expect(await says()).to.equal(false);
    const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    const headers = { ...browser, Accept: 'application/json' };
    const { body } = await project.call('GET', '/v1/not-found?url=/helping/with-returning', undefined, headers);
    const { search_id, suggestions } = body.error.details as { search_id: string; suggestions: unknown[] };
    expect(suggestions).to.have.length(1);
    await until('it says so', says);
    await project.call('GET', `/v1/click?search_id=${search_id}&rank=1`, undefined, browser);
    await until('it does not say so any more', async () => !(await says()));
  });

  it('leads a project without pages to its site, and says of one without traffic how to send some', async () => {
    const project = await site.newProject({ plan: null });
    const user = await site.newUser('viewer', project);
    const { page, complaints, axe, close } = await user.tab();
    await page.goto(`${site.url}/p/${project.row.project_id}`);
    expect(await page.locator('main').innerText())
      .to.include('No pages yet.')
      .and.not.to.include('POST /v1/events');
    await page.getByRole('link', { name: 'Connect the site' }).click();
    await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    const withPages = await site.newProject();
    await pushPages(withPages, '/help/returns');
    const reader = await site.newUser('viewer', withPages);
    expect((await reader.get(`/p/${withPages.row.project_id}`)).text).to.include('POST /v1/events');
    await page.goto(`${site.url}/p/${project.row.project_id}`);
    expect(await axe()).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('has a project whose index is behind, with its errors and open alerts, at a glance', async () => {
    const project = await site.newProject();
    const { project_id: id } = project.row;
    await pushPages(project, '/late', '/broken');
    await query(site.service, 'update pathmend.projects set plan = null where project_id = $1', [id]);
    await query(
      site.service,
      `update pathmend.pages set status_at = now() - interval '3 hours', status = case when url like '%late' then 'PROCESSING' else 'ERROR' end
        where project_id = $1`,
      [id],
    );
    await query(
      site.service,
      `insert into pathmend.alerts (project_id, kind, cause_hash, cause, began_at) values ($1, 'page_error', '', '{"url":"https://a.example/broken","error":null}', now())`,
      [id],
    );
    const user = await site.newUser('viewer', project);
    const { text: refused } = await user.get('/');
    expect(refused).to.include('no plan: searches refused').and.include('1 page in error').and.include('1 alert');
    await query(site.service, `update pathmend.projects set plan = 'scale' where project_id = $1`, [id]);
    expect((await user.get('/')).text).to.include('index 3 hours behind');
    const { text } = await user.get(`/p/${id}`);
    expect(text).to.include('index 3 hours behind').and.include('3 hours ago').and.include('no searches in 7 days');
    expect(text).to.match(/watch">1 alert</);
  });

  it('says how fast suggests were, by what was asked', async () => {
    const project = await site.newProject();
    await pushPages(project, '/help/returns');
    await project.post('/v1/suggest', { path: '/help/return' });
    const user = await site.newUser('viewer', project);
    await until('the search is counted', async () =>
      /95% within [\d.,]+ ms \(1 search in 7 days\)/.test((await user.get(`/p/${project.row.project_id}`)).text),
    );
  });

  it('says of a project with generated visits that they are, on each of its pages, and of no other', async () => {
    const [demo, real] = [await site.newProject(), await site.newProject()];
    const user = await site.newUser('admin');
    for (const project of [demo, real]) {
      const origin = project === demo ? GENERATED_ORIGIN : 'https://shop.example';
      await project.post('/v1/events', { raw_path: '/nowhere', user_agent: null, origin });
      await until('the 404 is counted', async () => {
        const rows = await project.query('select from pathmend.not_found_days where project_id = $1');
        return rows.length > 0;
      });
      for (const end of ['', '/inbox', '/analytics', '/settings']) {
        const { text } = await user.get(`/p/${project.row.project_id}${end}`);
        expect(text.includes('visits in this project are generated'), end).to.equal(project === demo);
      }
    }
  });

  it('lists many projects a few at a time, each once', async () => {
    const made = await Promise.all(Array.from({ length: 17 }, () => site.newProject({ plan: null })));
    const user = await site.newUser('admin');
    const { page, close } = await user.tab();
    await page.goto(`${site.url}/`);
    const seen: string[] = [];
    for (;;) {
      const shown = await page.locator('tbody th').allInnerTexts();
      expect(shown.length).to.be.at.most(15);
      seen.push(...shown);
      const next = page.getByRole('link', { name: 'Next 15 projects' });
      if ((await next.count()) === 0) break;
      await clickThrough(next);
    }
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen).to.include.members(made.map(({ row }) => row.name));
    await close();
  });

  it('says to whoever has no project what to do', async () => {
    const { text } = await (await site.newUser(null)).get('/');
    expect(text).to.include('You have no projects yet.').and.include('user invite --email');
  });

  for (const script of [true, false])
    it(`loses a project that an admin renamed, and deleted by its name as it is typed, ${script ? 'with' : 'without'} script`, async () => {
      const project = await site.newProject();
      await project.upsert({ url: 'https://shop.example/a', content: 'A page.' });
      const settings = `/p/${project.row.project_id}/settings`;
      const name = `Shop of ${project.row.project_id.slice(0, 8)}`;
      const admin = await site.newUser('admin', project);
      const { page, complaints, axe, close } = await admin.tab({ script, width: 390 });
      await page.goto(site.url + settings);
      expect(await page.locator('main').innerText()).to.match(
        /Plan\s+\w+\s+(Requests|It limits).*Access\s+open\s+Valid keys/s,
      );
      await page.getByLabel('Project name').fill(name);
      await clickThrough(page.getByRole('button', { name: 'Rename' }));
      await page.getByText(`The project is called ${name} now.`).waitFor();
      const editor = await site.newUser('editor', project);
      expect((await editor.get(settings)).text).to.not.include('Delete this project');
      expect((await editor.post(`${settings}/delete`, { typed: name })).status).to.equal(403);
      await page.getByText('Delete this project').click();
      await page.getByText('This deletes 1 page, 1 key in use, all its rules, searches and events').waitFor();
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('To delete it, type its name').fill('shop');
      await clickThrough(page.getByRole('button', { name: 'Delete the project' }));
      expect(await page.locator('#typed-problem').textContent()).to.equal(`Type the name as it stands: ${name}`);
      expect((await project.post('/v1/suggest', { path: '/help/x' })).status).to.equal(200);
      await page.getByLabel('To delete it, type its name').fill(name);
      await clickThrough(page.getByRole('button', { name: 'Delete the project' }));
      await page.getByText(`The project ${name} was deleted.`).waitFor();
      expect(page.url()).to.equal(`${site.url}/`);
      expect((await project.post('/v1/suggest', { path: '/help/x' })).status).to.equal(401);
      const entries = await query<{ action: string }>(
        site.service,
        'select action from pathmend.audit_log where about_project = $1 and user_id = $2 order by entry_id',
        [project.row.project_id, admin.userId],
      );
      expect(entries.map(({ action }) => action)).to.deep.equal(['project changed', 'project deleted']);
      expect(complaints).to.deep.equal([]);
      await close();
    });

  it('calls no project healthy whose address never gave a page, and leads to its source', async () => {
    const mine = await site.newProject();
    const user = await site.newUser('admin', mine);
    const connect = `/p/${mine.row.project_id}/connect`;
    const { text } = await user.get('/');
    expect(text).to.include('no pages').and.include(connect).and.not.to.include('healthy');
    await mine.upsert({ url: 'https://shop.example/a', content: 'A page.' });
    await mine.indexed();
    expect((await user.get('/')).text)
      .to.include('healthy')
      .and.not.to.include(connect);
  });

  it('lists the projects that one is a member of alone', async () => {
    const mine = await site.newProject();
    const other = await site.newProject();
    const user = await site.newUser('viewer', mine);
    const { text } = await user.get('/');
    expect(text).to.include(mine.row.name).and.not.to.include(other.row.name);
    expect((await user.get(`/p/${other.row.project_id}`)).status).to.equal(404);
  });
});
