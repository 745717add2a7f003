import { expect } from 'chai';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { pushPages } from '../../support/moves.js';
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
      expect(await page.locator('tbody tr').innerText()).to.match(/\s5\s+20%\s+2\s/);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.locator('tbody a').first().click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(await page.locator('.figures').innerText()).to.match(/\n5\n.*20%/s);
      expect(await page.locator('.todo').innerText()).to.match(/2 missing paths.*1 redirect /s);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByText('The numbers of this picture').click();
      expect(await page.locator('.chart tbody tr').last().innerText()).to.match(/^\d{4}-\d\d-\d\d\s+1\s+4$/);
      if (script) expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360);
      await page.getByRole('link', { name: '2 missing paths' }).click();
      await page.getByText('/nowhere', { exact: true }).waitFor();
      expect(complaints).to.deep.equal([]);
      await close();
    }
  });

  it('says of a project without traffic how to send some', async () => {
    const project = await site.newProject({ plan: null });
    const user = await site.newUser('viewer', project);
    const { page, complaints, axe, close } = await user.tab();
    await page.goto(`${site.url}/p/${project.row.project_id}`);
    expect(await page.locator('main').innerText()).to.include('POST /v1/events');
    expect(await axe()).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await close();
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
