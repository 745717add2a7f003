import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { rangeOf } from '#src/platform/database/project-range.js';
import { changeRules } from '#src/rules/change-rules.js';
import { maintainRules } from '#src/rules/learn-redirects-job.js';
import type { RuleChange } from '#src/rules/rule.js';
import { jsonInProcess } from '../../support/commands.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { pushPages } from '../../support/moves.js';
import { loggedSearches } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SLIPS = ['/help/retruns', '/help/delivrey', '/help/waranty', '/coffee/grindres'];

describe('the page that judges redirects', function () {
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
    await pushPages(project, '/help/returns', '/help/delivery', '/help/warranty', '/coffee/grinders');
    for (const path of [...SLIPS, SLIPS[0] ?? '']) await visit(path);
    await loggedSearches(site.service, project.row.project_id, SLIPS.length + 1);
  });

  const visit = (path: string) =>
    project.call('GET', `/v1/proxy?url=${encodeURIComponent(path)}`, undefined, { 'User-Agent': BROWSER });
  const judge = (): string => `${site.url}/p/${project.row.project_id}/inbox/judge`;
  const judgements = () =>
    project.query<{ path: string; url: string; is_right: boolean | null; judged_by: string; score: number }>(
      'select * from pathmend.judgements where project_id = $1 order by judged_at',
    );

  it('takes a verdict by one key, and a redirect that is wrong stops', async () => {
    const { page, complaints, axe, close } = await editor.tab();
    await page.goto(`${site.url}/p/${project.row.project_id}/inbox`);
    await page.getByRole('link', { name: 'Judge redirects' }).click();
    const rows = page.locator('li.missing:not([hidden])');
    const current = page.locator('li.missing.current .path');
    await current.waitFor();
    expect((await page.locator('li.missing .path').allTextContents()).sort()).to.deep.equal([...SLIPS].sort());
    expect(await page.locator('.judged').innerText()).to.include('0 of 0 right above 0.9. Too few');
    expect(await axe()).to.deep.equal([]);
    const judged = new Map<string, boolean | null>();
    for (const [key, isRight] of [
      ['r', true],
      ['w', false],
      ['s', null],
    ] as const) {
      const path = await current.innerText();
      judged.set(path, isRight);
      await page.keyboard.press(key);
      await until('it is judged', async () => (await judgements()).length === judged.size);
    }
    expect(await rows.count()).to.equal(1);
    const stored = await judgements();
    expect(new Map(stored.map((row) => [row.path, row.is_right]))).to.deep.equal(judged);
    expect(stored.map((row) => row.judged_by)).to.deep.equal([editor.email, editor.email, editor.email]);

    for (const { path, is_right } of stored) {
      const { status, body } = await visit(path);
      expect([path, status]).to.deep.equal([path, is_right === false ? 404 : 302]);
      if (is_right === false) expect(body.error.details.suggestions).to.deep.equal([]);
    }
    const wrong = stored.find((row) => row.is_right === false);
    const options = { searchThreshold: 0.1, explain: true };
    const { body } = await project.post('/v1/suggest', { path: wrong?.path, options });
    expect(body.suggestions[0]).to.include({ url: new URL(wrong?.url ?? '').pathname, score: 0.5 });
    expect(body.suggestions[0].explanation.bounded).to.equal('a person judged it wrong');

    await page.reload();
    expect(await page.locator('.judged').innerText()).to.include('1 of 2 right above 0.9, with 95% certainty between');
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('works by buttons without script, and takes back what was judged last', async () => {
    const { page, complaints, close } = await editor.tab({ script: false });
    await page.goto(judge());
    await page.getByRole('button', { name: 'Wrong /help/retruns' }).click();
    await page.getByText('Wrong: /help/retruns').waitFor();
    expect((await visit('/help/retruns')).status).to.equal(404);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Taken back: /help/retruns').waitFor();
    expect(await judgements()).to.deep.equal([]);
    expect((await visit('/help/retruns')).status).to.equal(302);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('leaves out robots, and a rule of the owner stands against a judgement', async () => {
    await project.call('GET', '/v1/proxy?url=/help/deliverry', undefined, { 'User-Agent': 'Googlebot/2.1' });
    await loggedSearches(site.service, project.row.project_id, SLIPS.length + 2);
    const { page, close } = await editor.tab({ script: false });
    await page.goto(judge());
    expect(await page.locator('li.missing .path').allTextContents()).to.not.include('/help/deliverry');
    await page.getByRole('button', { name: 'Wrong /help/waranty' }).click();
    await page.getByText('Wrong: /help/waranty').waitFor();
    await close();
    const cli = (...args: string[]) =>
      jsonInProcess(
        [...args.slice(0, 2), '--project', project.row.project_id, ...args.slice(2)],
        site.database.environment,
      );
    await cli('redirects', 'add', '--from', '/help/waranty', '--to', 'https://shop.example/help/warranty');
    expect((await visit('/help/waranty')).status).to.equal(301);
    await cli('events', 'forget', '--path', '/help/waranty');
    expect(await judgements()).to.deep.equal([]);
  });

  it('says that most decisions were gone, once guesses are weighed by that', async () => {
    const { deps, db } = site.service;
    const changes = Array.from({ length: 84 }, (_, at): RuleChange => {
      const path = `/removed/page-${at}`;
      return at < 61 ? { path, action: 'gone' } : { path, action: 'redirect', target: '/help/returns' };
    });
    await changeRules({ ...deps, db }, project.row.project_id, changes, onCommandLine('a test'), 'console');
    const sentence = 'Of 84 decisions, 61 were gone: guesses are weighed more carefully.';
    const path = `/p/${project.row.project_id}/inbox/judge`;
    expect((await editor.get(path)).text).to.not.include(sentence);
    await maintainRules({ ...deps, db }, new Date(0), rangeOf({ projects: 1, pages: 1 }, 0));
    expect((await editor.get(path)).text).to.include(sentence);
  });

  it('lets viewers look, and refuses what is no verdict', async () => {
    const viewer = await site.newUser('viewer', project);
    const path = `/p/${project.row.project_id}/inbox/judge`;
    const shown = await viewer.get(path);
    expect(shown.text).to.include('/help/retruns').and.not.include('data-key="r"');
    expect((await viewer.post(`${path}/judge`, { one: 'right x' })).status).to.equal(403);
    for (const verdict of [
      'right x',
      'maybe 507d2d7f-b6f1-4881-9f89-e3f184df2bc0',
      'right 507d2d7f-b6f1-4881-9f89-e3f184df2bc0',
    ])
      expect((await editor.post(`${path}/judge`, { one: verdict })).status, verdict).to.equal(400);
    expect(await judgements()).to.deep.equal([]);
  });
});
