import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { rangeOf } from '#src/platform/database/project-range.js';
import { changeRules } from '#src/rules/change-rules.js';
import { maintainRules } from '#src/rules/learn-redirects-job.js';
import type { RuleChange } from '#src/rules/rule.js';
import type { Page } from 'playwright-core';
import { jsonInProcess } from '../../support/commands.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { pushPages } from '../../support/learned-redirects.js';
import { loggedSearches, storedNotFounds } from '../../support/stored-events.js';
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
  const cli = (...args: string[]) =>
    jsonInProcess(
      [...args.slice(0, 2), '--project', project.row.project_id, ...args.slice(2)],
      site.database.environment,
    );
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

  /** Without script: once all suggestions are there. */
  const openInbox = (page: Page): Promise<void> =>
    until('the suggestions are looked up', async () => {
      await page.goto(`${site.url}/p/${project.row.project_id}/inbox?wait=1`);
      return (await page.locator('li.missing[data-ask]').count()) === 0;
    });
  const rowOf = (page: Page, path: string) =>
    page.locator('li.missing', { has: page.getByText(path, { exact: true }) });
  const rulesOf = (path: string) =>
    project.query<{ path: string; action: string }>(
      'select path, action from pathmend.rules where project_id = $1 and path = $2',
      path,
    );
  /** Judges the redirect of a path wrong, and returns what the page of judgements said of it. */
  const judgeWrong = async (page: Page, path: string): Promise<string> => {
    await page.goto(judge());
    const text = await rowOf(page, path).innerText();
    await page.getByRole('button', { name: `Wrong ${path}` }).click();
    await page.getByText(`Wrong: ${path}`).waitFor();
    return text;
  };

  it('shows rules among the guesses, and one that is judged wrong is back in the inbox until its owner decides', async () => {
    const rules = ['/old/delivery-times', '/old/grinders-list'];
    for (const path of rules)
      await cli('redirects', 'add', '--from', path, '--to', 'https://shop.example/help/returns');
    for (const path of rules) expect((await visit(path)).status, path).to.equal(301);
    await loggedSearches(site.service, project.row.project_id, SLIPS.length + 3);
    await storedNotFounds(site.service, project.row.project_id, SLIPS.length + 3);
    const { page, complaints, close } = await editor.tab({ script: false });
    for (const path of rules)
      expect(await judgeWrong(page, path))
        .to.include('score 1')
        .and.include('by a rule');
    expect(await page.locator('.judged').innerText()).to.include('0 of 0 right');
    for (const path of rules) expect((await visit(path)).status, path).to.equal(301);

    await openInbox(page);
    const [first, second] = rules as [string, string];
    const day = new Date().toISOString().slice(0, 10);
    expect(await rowOf(page, first).innerText())
      .to.include(`judged wrong by ${editor.email} on ${day}`)
      .and.include('The rule leads there until you decide.');
    await page.getByRole('button', { name: `Gone ${first}` }).click();
    await page.getByText(`${first} is now answered as gone (410): removed for good.`).waitFor();
    expect(await rowOf(page, first).count()).to.equal(0);
    await page.getByRole('button', { name: `Keep ${second}` }).click();
    await page.getByText(`${second} still leads to https://shop.example/help/returns.`).waitFor();
    expect(await rowOf(page, second).count()).to.equal(0);
    expect((await visit(first)).status).to.equal(410);
    expect((await visit(second)).status).to.equal(301);
    expect(await rulesOf(first)).to.deep.equal([{ path: first, action: 'gone' }]);
    const verdicts = (await judgements()).map(({ path, is_right }) => [path, is_right]);
    expect(verdicts).to.deep.equal([
      [first, false],
      [second, true],
    ]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('stops a learned redirect that is judged wrong, which is first in the inbox until a page is accepted', async () => {
    const moved = 'Grind size decides how the coffee tastes, and a burr grinder keeps it even.';
    await project.upsert({ url: 'https://shop.example/guides/k-7781', content: moved });
    await project.indexed();
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/guides/k-7781' });
    await project.upsert({ url: 'https://shop.example/blog/even-grind', content: moved });
    await project.indexed();
    expect((await visit('/guides/k-7781')).status).to.equal(302);
    await loggedSearches(site.service, project.row.project_id, SLIPS.length + 2);
    await storedNotFounds(site.service, project.row.project_id, SLIPS.length + 2);
    const { page, close } = await editor.tab({ script: false });
    expect(await judgeWrong(page, '/guides/k-7781'))
      .to.include('learned')
      .and.not.include('by a rule');
    expect((await visit('/guides/k-7781')).status).to.equal(404);

    await openInbox(page);
    expect(await page.locator('li.missing .path').first().innerText()).to.equal('/guides/k-7781');
    expect(await rowOf(page, '/guides/k-7781').innerText())
      .to.include(`judged wrong by ${editor.email}`)
      .and.not.include('The rule leads there');
    await page.getByRole('button', { name: 'Accept /guides/k-7781' }).click();
    await page.getByText('/guides/k-7781 now leads to').waitFor();
    expect((await visit('/guides/k-7781')).status).to.equal(301);
    expect((await judgements()).map(({ is_right }) => is_right)).to.deep.equal([true]);
    await openInbox(page);
    expect(await rowOf(page, '/guides/k-7781').count()).to.equal(0);
    await close();
  });

  it('puts first what a visitor asked for again within a minute, and says how often that was', async () => {
    const now = Date.now();
    const redirected = (path: string, address: string | null, secondsAgo: number) =>
      project.post('/v1/events', {
        raw_path: path,
        user_agent: BROWSER,
        user_ip: address,
        outcome: 'redirected',
        timestamp: new Date(now - secondsAgo * 1_000).toISOString(),
      });
    const [again, later, twoPeople, unknown] = SLIPS as [string, string, string, string];
    // One came back after 40 seconds, and once more a day later.
    for (const ago of [90_000, 300, 260]) await redirected(again, '192.0.2.10', ago);
    await redirected(again, '198.51.100.7', 200);
    for (const ago of [300, 200]) await redirected(later, '192.0.2.10', ago);
    for (const address of ['192.0.2.10', '198.51.100.7']) await redirected(twoPeople, address, 300);
    for (const ago of [300, 290]) await redirected(unknown, null, ago);
    await storedNotFounds(site.service, project.row.project_id, SLIPS.length + 1 + 10);
    const { page, axe, close } = await editor.tab();
    await page.goto(judge());
    expect(await page.locator('li.missing .path').first().innerText()).to.equal(again);
    expect(await rowOf(page, again).innerText()).to.match(
      /asked again within a minute: 1 of 4\. Visitors are told apart/,
    );
    for (const path of [later, twoPeople, unknown])
      expect(await rowOf(page, path).innerText(), path).to.not.include('asked again');
    expect(await axe()).to.deep.equal([]);
    expect((await visit(again)).status).to.equal(302);
    await close();
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
