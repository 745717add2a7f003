import { expect } from 'chai';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { indexVersionOf, pushPages, redirect, sectionsOf } from '../../support/learned-redirects.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { loggedSearches } from '../../support/stored-events.js';
import { until } from '../../support/until.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const DAY = 86_400_000;
const START = Date.parse('2027-06-16T12:00:00Z');

describe('EVENT_RETENTION_DAYS, of what clicks taught', () => {
  let test: TestService;
  let project: TestProject;
  const folder = temporaryFolder();
  let now = START;
  let searches = 0;

  before(async function () {
    this.timeout(120_000);
    test = await startTestService({ EVENT_RETENTION_DAYS: '30' }, { clock: { now: () => now } });
    project = await test.newProject();
    await pushPages(project, '/new/x', '/new/y', '/help/a');
  });

  after(async () => {
    await test.stop();
  });

  async function clickAt(moment: number, path: string, url: string, total: number): Promise<void> {
    now = moment;
    const { body } = await project.post('/v1/suggest', { path, limit: 10, options: { searchThreshold: 0 } });
    await loggedSearches(test.service, project.row.project_id, ++searches);
    await project.post('/v1/events', { search_id: body.search_id, clicked_url: url, clicked_rank: 1, raw_path: path });
    await until(`${total} clicks are counted`, async () => {
      const rows = await query<{ clicks: number }>(
        test.service,
        'select coalesce(sum(clicks), 0)::int as clicks from pathmend.learned_redirects',
      );
      return rows[0]?.clicks === total;
    });
  }

  async function runMaintenanceAt(moment: number): Promise<void> {
    now = moment;
    await runMaintenance({ ...test.service.deps, db: test.service.db, eventRetentionDays: 30, embedded: false });
  }

  const moves = async (): Promise<string[]> =>
    (
      await query<{ old_path: string }>(
        test.service,
        `select old_path from pathmend.learned_redirects union all select path from pathmend.rules order by 1`,
      )
    ).map((row) => row.old_path);

  it('goes when no click has shown it again for so long; redirects stay', async function () {
    this.timeout(120_000);
    await redirect(test.service, project, folder, '/faq/a /help/a');
    for (const total of [1, 2]) await clickAt(START, '/old/x', '/new/x', total);
    for (const total of [3, 4]) await clickAt(START, '/old/y', '/new/y', total);
    await until('both sections are learned', async () => (await sectionsOf(test.service, project)).length === 2);
    await clickAt(START + 20 * DAY, '/old/x', '/new/x', 5);
    await clickAt(START + 20 * DAY, '/old/x', '/new/x', 6);

    await runMaintenanceAt(START + 29 * DAY);
    expect(await moves()).to.deep.equal(['/faq/a', '/old/x', '/old/y']);
    await runMaintenanceAt(START + 31 * DAY);
    expect(await moves()).to.deep.equal(['/faq/a', '/old/x']);
    const version = await indexVersionOf(test.service, project);
    await runMaintenanceAt(START + 51 * DAY);
    expect(await moves()).to.deep.equal(['/faq/a']);
    expect(await indexVersionOf(test.service, project)).to.be.above(version);
    await until(
      'the section is forgotten',
      async () => (await sectionsOf(test.service, project)).join() === '/faq → /help',
    );
  });
});
