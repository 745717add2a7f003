import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { maintenanceDone, queueMaintenance } from '../../support/maintenance.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { loggedSearches, storedClicks, storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const DAY = 86_400_000;
/** A Wednesday, so that a week's partition has days on both sides. */
const START = Date.parse('2027-06-16T12:00:00Z');

describe('EVENT_RETENTION_DAYS', () => {
  let test: TestService;
  let project: TestProject;
  let now = START;

  before(async function () {
    this.timeout(120_000);
    test = await startTestService({ EVENT_RETENTION_DAYS: '30' }, { clock: { now: () => now } });
    project = await test.newProject();
  });

  after(() => test.stop());

  /** One search, one click and one 404, arriving at this moment. */
  async function recordAt(moment: number, total: number): Promise<void> {
    now = moment;
    const { body } = await project.post('/v1/suggest', { path: '/shipping-times' });
    await project.post('/v1/events', {
      raw_path: '/gone',
      clicked_url: '/here',
      clicked_rank: 1,
      search_id: body.search_id,
    });
    await project.post('/v1/events', { raw_path: '/gone' });
    const { project_id } = project.row;
    await loggedSearches(test.service, project_id, total);
    await storedClicks(test.service, project_id, total);
    await storedNotFounds(test.service, project_id, total);
  }

  async function countRows(): Promise<number[]> {
    return Promise.all(
      ['searches', 'clicks', 'not_founds'].map(async (table) => {
        const [row] = await query<{ rows: number }>(
          test.service,
          `select count(*)::int as rows from pathmend.${table}`,
        );
        return row?.rows ?? -1;
      }),
    );
  }

  async function partitions(): Promise<string[]> {
    const rows = await query<{ name: string }>(
      test.service,
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent in ('pathmend.searches'::regclass, 'pathmend.clicks'::regclass, 'pathmend.not_founds'::regclass) order by 1`,
    );
    return rows.map((row) => row.name);
  }

  /** House-keeping as the worker does it, at this moment of the service's clock; done when the weeks ahead are made. */
  async function runMaintenanceAt(moment: number, newest: string): Promise<void> {
    now = moment;
    await queueMaintenance(test.service);
    await until(`maintenance has made ${newest}`, async () => (await partitions()).includes(newest));
    await maintenanceDone(test.service);
  }

  it('keeps what is younger, and drops whole weeks when all in them is older', async function () {
    this.timeout(120_000);
    await recordAt(START, 1);
    await recordAt(START + 14 * DAY, 2);
    expect(await partitions()).to.include.members([
      'clicks_2027w24',
      'clicks_2027w26',
      'searches_2027w24',
      'not_founds_2027w26',
    ]);

    // The first events are 33 days old, but their week ended on Monday, 28 days ago.
    await runMaintenanceAt(START + 33 * DAY, 'clicks_2027w31');
    expect(await countRows()).to.deep.equal([2, 2, 2]);

    await runMaintenanceAt(START + 40 * DAY, 'clicks_2027w32');
    expect(await countRows()).to.deep.equal([1, 1, 1]);
    const left = await partitions();
    expect(left.filter((name) => name.endsWith('2027w24'))).to.deep.equal([]);
    expect(left.filter((name) => name.endsWith('2027w26'))).to.deep.equal([
      'clicks_2027w26',
      'not_founds_2027w26',
      'searches_2027w26',
    ]);
  });

  it('makes the partitions of the weeks to come ahead, so that arrivals need none', async () => {
    const at = new Date(now + 14 * DAY).toISOString();
    await project.query(
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test) values ($1, $2, $3, '/ahead', false)`,
      randomUUID(),
      at,
    );
    const rows = await query(test.service, `select from pathmend.not_founds where raw_path = '/ahead'`);
    expect(rows).to.have.length(1);
  });
});
