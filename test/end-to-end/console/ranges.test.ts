import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { dayOf } from '#src/analytics/range.js';
import { changeRules } from '#src/rules/change-rules.js';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { GOOGLEBOT, miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';

/** Figures of any days, on pages that are no reports of analytics. */
describe('days from and to', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let viewer: TestUser;
  const today = dayOf(Date.now());
  const yesterday = dayOf(Date.now() - 86_400_000);
  const atProject = (end: string): string => `/p/${project.row.project_id}${end}`;
  const linesOf = (text: string): Record<string, unknown>[] =>
    text
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  before(async () => {
    site = await startTestConsole();
    project = await site.newProject();
    viewer = await site.newUser('viewer', project);
    await pushPages(project, '/help/returns');
    await miss(
      site,
      project,
      { path: '/help/retruns', times: 3 },
      { path: '/other', times: 2 },
      { path: '/other', userAgent: GOOGLEBOT },
    );
    // A part of them came the day before.
    await query(site.service, 'select pathmend.ensure_weeks($1, $2)', [yesterday, today]);
    await project.query(
      `update pathmend.not_founds set received_at = received_at - interval '1 day'
        where project_id = $1 and event_id = (select event_id from pathmend.not_founds where project_id = $1 and raw_path = '/other' and visitor = 'person' limit 1)`,
    );
    for (const day of [today, yesterday])
      await project.query(`select pathmend.rebuild_not_founds($1, '${mondayOf(day)}')`);
    const { db, deps } = site.service;
    const changes = [{ path: '/other', action: 'redirect' as const, target: '/help/returns' }];
    await changeRules({ ...deps, db }, project.row.project_id, changes, onCommandLine('a test'));
  });
  after(() => site.stop());

  it('are those of the list of projects, with as many before, also in its files', async () => {
    const { text } = await viewer.get(`/?from=${today}&to=${today}`);
    expect(text).to.include('1 day, 0 of them whole: today is not over.').and.include('404s of ');
    const [row] = linesOf((await viewer.get(`/?jsonl=projects&from=${today}&to=${today}`)).text);
    expect(row).to.deep.equal({
      ...{ Project: project.row.name, '404s from people': 4, Before: 1, Recovered: 0, 'Recovered before': 0 },
    });
    const csv = (await viewer.get(`/?csv=projects&from=${yesterday}&to=${yesterday}`)).text.split('\r\n');
    expect(csv[0]).to.equal('Project,404s from people,Before,Recovered,Recovered before');
    expect(csv[1]?.endsWith(',1,0,0,0'), csv[1]).to.be.true;
    expect(csv).to.have.length(3);
    expect((await viewer.get('/?csv=projects&from=2026-02-30')).status).to.equal(400);
    const stranger = await site.newUser('viewer', await site.newProject());
    expect((await stranger.get('/?csv=projects')).text).not.to.include(project.row.name);
  });

  it('are those of the page of a path, which keeps the path', async () => {
    const { page, complaints, axe, close } = await viewer.tab();
    await page.goto(`${site.url}${atProject(`/inbox/path?path=/other&from=${today}`)}`);
    const main = page.locator('main');
    expect(await main.innerText()).to.include('Requests: 1 (before: 1)');
    await page.getByLabel('From (UTC)').fill(yesterday);
    await clickThrough(page.getByRole('button', { name: 'Show' }));
    expect(await main.innerText())
      .to.include('/other')
      .and.include('Requests: 2 (before: 0)')
      .and.include('2 days, 1 of them whole');
    expect(await axe()).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await close();
    const file = `/inbox/path?path=/other&from=${yesterday}&to=${today}`;
    const rows = linesOf((await viewer.get(atProject(`${file}&jsonl=days`))).text);
    expect(rows.map((row) => [row['Day (UTC)'], row['Requests']])).to.deep.equal([
      [yesterday, 1],
      [today, 1],
    ]);
    expect((await viewer.get(atProject(`${file}&csv=days`))).text.split('\r\n')[0]).to.match(
      /^Day \(UTC\),Requests,Redirected,/,
    );
  });

  it('are those of the dry run, whose tables are files', async () => {
    const { text } = await viewer.get(atProject(`/redirects/dry-run?from=${today}&to=${today}`));
    expect(text).to.match(/match a current rule: 2 requests to 1 of 2 paths/);
    expect((await viewer.get(atProject(`/redirects/dry-run?from=${yesterday}&to=${yesterday}`))).text).to.match(
      /match a current rule: 1 request to 1 of 1 path/,
    );
    const [row] = linesOf(
      (await viewer.get(atProject(`/redirects/dry-run?jsonl=paths&from=${yesterday}&to=${today}`))).text,
    );
    expect(row).to.include({ Path: '/other', Requests: 3, Rule: '/other' });
    const rules = (await viewer.get(atProject('/redirects/dry-run?csv=rules'))).text.split('\r\n');
    expect(rules[0]).to.equal('Rule,Action,Paths,Requests');
    expect(rules[1]).to.match(/^\/other,.*,1,3$/);
    expect((await viewer.get(atProject('/redirects/dry-run?from=2026-01-01&to=2026-01-02'))).text).to.include(
      'No 404s to test.',
    );
  });

  it('compare each row of a list with the days before', async () => {
    const rows = linesOf(
      (await viewer.get(atProject(`/analytics?jsonl=missing-paths&from=${today}&to=${today}`))).text,
    );
    const counts = rows.map((row) => [row['Path'], row['Requests'], row['Before']]);
    expect(counts).to.have.deep.members([
      ['/help/retruns', 3, 0],
      ['/other', 1, 1],
    ]);
  });
});

function mondayOf(day: string): string {
  const at = Date.parse(day) / 86_400_000;
  return dayOf((at - ((at + 3) % 7)) * 86_400_000);
}
