import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { inParallel } from '../../support/in-parallel.js';
import { send, startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const DAY = 86_400_000;
const START = Date.parse('2027-06-16T12:00:00Z');
/** Nearly 8 kB as they are stored: 1 MB holds about 120 of them. */
const LONG = 'x'.repeat(1_900);
const EVENTS = 300;
/** Rows that come together are kept together or not at all: so few at a time always leave room for some. */
const TOGETHER = 50;

interface HistoryDay {
  what: string;
  stored: number;
  not_kept: number;
}

describe('HISTORY_MB_PER_DAY', function () {
  this.timeout(120_000);
  let test: TestService;
  let flooding: TestProject;
  let quiet: TestProject;
  let now = START;
  let logText = '';

  before(async () => {
    const log = new PassThrough().on('data', (text: Buffer) => {
      logText += text.toString();
    });
    test = await startTestService({ LOG_LEVEL: 'warn', HISTORY_MB_PER_DAY: '1' }, { log, clock: { now: () => now } });
    [flooding, quiet] = [await test.newProject(), await test.newProject()];
    await flood(flooding, 'events', '/v1/events', (i) => ({
      raw_path: `/${i}${LONG}`,
      origin: LONG,
      referrer: LONG,
      user_agent: LONG.slice(0, 1_000),
    }));
  });

  after(() => test.stop());

  async function flood(of: TestProject, what: string, path: string, body: (i: number) => object): Promise<void> {
    const before = await count(of, what);
    for (let sent = 0; sent < EVENTS; sent += TOGETHER) {
      await inParallel(
        Array.from({ length: TOGETHER }, (_, i) => sent + i),
        async (i) => {
          expect((await of.post(path, body(i))).status).to.be.oneOf([200, 204]);
        },
      );
      await counted(of, what, before + sent + TOGETHER);
    }
  }

  async function days(of: TestProject): Promise<HistoryDay[]> {
    return of.query<HistoryDay & { day: string }>(
      'select what, stored::int, not_kept::int from pathmend.history_days where project_id = $1 order by day, what',
    );
  }

  async function count(of: TestProject, what: string): Promise<number> {
    const ofKind = (await days(of)).filter((day) => day.what === what);
    return ofKind.reduce((sum, { stored, not_kept }) => sum + stored + not_kept, 0);
  }

  async function counted(of: TestProject, what: string, rows: number): Promise<void> {
    await until(`${rows} ${what} are counted`, async () => {
      await test.service.deps.log.flush();
      return (await count(of, what)) === rows;
    });
  }

  async function rowsOf(table: string): Promise<{ rows: number; bytes: number }> {
    const [row] = await flooding.query<{ rows: number; bytes: number }>(
      `select count(*)::int as rows, coalesce(sum(octet_length(to_jsonb(t)::text)), 0)::int as bytes from pathmend.${table} t where project_id = $1`,
    );
    return row ?? { rows: -1, bytes: -1 };
  }

  it('is what one project keeps of events at most; what is beyond is acknowledged, and counted by day', async () => {
    const [day] = await days(flooding);
    const kept = await rowsOf('not_founds');
    expect(day).to.deep.equal({ what: 'events', stored: kept.rows, not_kept: EVENTS - kept.rows });
    expect(kept.rows).to.be.within(1, 180);
    expect(kept.bytes).to.be.below(1_000_000 * 1.1);
  });

  it('leaves other projects what they have', async () => {
    expect((await quiet.post('/v1/events', { raw_path: '/gone' })).status).to.equal(204);
    await storedNotFounds(test.service, quiet.row.project_id, 1);
    expect(await days(quiet)).to.deep.equal([{ what: 'events', stored: 1, not_kept: 0 }]);
  });

  it('leaves searches what is theirs, until they are more than that, too', async () => {
    const { body } = await flooding.post('/v1/suggest', { path: '/gone' });
    expect(body.search_id).to.be.a('string');
    await counted(flooding, 'searches', 1);
    expect((await rowsOf('searches')).rows).to.equal(1);
    await flood(flooding, 'searches', '/v1/semantic-search', (i) => ({ query: `${i} ${'lantern '.repeat(230)}` }));
    const kept = await rowsOf('searches');
    expect(kept.rows).to.be.within(2, EVENTS - 1);
    expect(kept.bytes).to.be.below(1_000_000 * 1.1);
  });

  it('is said once a day for each kind, counted by a metric, and seen by analysts', async () => {
    const lines = logText
      .split('\n')
      .filter((line) => line.includes('keeps no more history'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, kind, day, project_id }) => [level, kind, day, project_id])).to.have.deep.members(
      ['events', 'searches'].map((kind) => ['warn', kind, '2027-06-16', flooding.row.project_id]),
    );
    const { text } = await send(test.service.url, 'GET', '/metrics');
    const view = await query<HistoryDay>(
      test.service,
      'select what, stored::int, not_kept::int from analytics.not_kept_daily',
    );
    expect(view).to.have.deep.members(await days(flooding));
    for (const { what, not_kept } of view)
      expect(text).to.contain(`pathmend_history_not_kept_total{kind="${what}"} ${not_kept}\n`);
  });

  it('begins anew with the next UTC day', async () => {
    now = START + DAY;
    const { rows } = await rowsOf('not_founds');
    expect((await flooding.post('/v1/events', { raw_path: '/next-day' })).status).to.equal(204);
    await storedNotFounds(test.service, flooding.row.project_id, rows + 1);
  });

  it('counts events by when they come, whatever time they say', async () => {
    const dated = await test.newProject();
    await flood(dated, 'events', '/v1/events', (i) => ({
      ...{ raw_path: `/${i}${LONG}`, origin: LONG, referrer: LONG },
      timestamp: new Date(now - (i + 1) * DAY).toISOString(),
    }));
    const [day, ...otherDays] = await days(dated);
    expect(otherDays).to.deep.equal([]);
    expect(day?.stored).to.be.within(1, 220);
  });
});
