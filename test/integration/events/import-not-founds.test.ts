import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { importNotFounds, type NotFoundImport, type NotFoundReport } from '#src/events/import-not-founds.js';
import { ScanDetector } from '#src/events/scan-detector.js';
import { AccessLog } from '#src/text/access-logs/access-log.js';
import { readLogLines } from '#src/text/access-logs/log-lines.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds, type StoredNotFound } from '../../support/stored-events.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = 86_400_000;
/** A whole second, as logs have it. */
const NOW = new Date(Math.floor(Date.now() / 1_000) * 1_000);

interface Hit {
  at?: Date;
  path?: string;
  ip?: string;
  status?: number;
  method?: string;
  referrer?: string;
  userAgent?: string;
}

/** A line as nginx writes it. */
function line({ at = NOW, path = '/gone', ip = '203.0.113.9', status = 404, method = 'GET', ...more }: Hit): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()] ?? ''}/${at.getUTCFullYear()}`;
  const time = `${day}:${at.toISOString().slice(11, 19)} +0000`;
  return `${ip} - - [${time}] "${method} ${path} HTTP/1.1" ${status} 153 "${more.referrer ?? '-'}" "${more.userAgent ?? CHROME}"\n`;
}

const ago = (days: number): Date => new Date(NOW.getTime() - days * DAY);

describe('404s of an access log', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  function runImport(log: string | Buffer, options: Partial<NotFoundImport> = {}): ReturnType<typeof importNotFounds> {
    return importNotFounds(
      {
        db: sharedService().service.db,
        projectId: project.row.project_id,
        log: new AccessLog(),
        ipMode: 'truncate',
        retentionDays: 400,
        bytesPerDay: 500_000_000,
        now: NOW,
        scans: new ScanDetector(),
        onProgress: () => undefined,
        ...options,
      },
      readLogLines(Readable.from([Buffer.from(log)])),
    );
  }

  const reportOf = async (log: string | Buffer, options?: Partial<NotFoundImport>): Promise<NotFoundReport> =>
    (await runImport(log, options)).report;

  const stored = (count: number): Promise<StoredNotFound[]> =>
    storedNotFounds(sharedService().service, project.row.project_id, count);

  const numbers = (lines: number, notFounds: number, duplicates = 0, refused = 0, robots = 0): NotFoundReport => ({
    lines,
    not_founds: notFounds,
    robots,
    duplicates,
    refused,
  });

  it('are stored as events of their times, with referrers, user agents and addresses; robots are marked', async () => {
    const log = [
      line({ at: ago(30), path: '/a?x=1', referrer: 'https://search.example/' }),
      line({ at: ago(20), path: '/b', ip: '2001:db8:1:2::3', userAgent: GOOGLEBOT, status: 410, method: 'HEAD' }),
      line({ at: ago(10), path: '/c', ip: 'host.example', userAgent: '-' }),
    ];
    expect(await reportOf(log.join(''))).to.deep.equal(numbers(3, 3, 0, 0, 1));
    expect(
      (await stored(3)).map((row) => [
        row.received_at,
        row.raw_path,
        row.referrer,
        row.user_agent,
        row.visitor,
        row.visitor_ip,
        row.is_test,
      ]),
    ).to.deep.equal([
      [ago(30), '/a?x=1', 'https://search.example/', CHROME, 'person', '203.0.113.0/24', false],
      [ago(20), '/b', null, GOOGLEBOT, 'search_engine', '2001:db8:1::/48', false],
      [ago(10), '/c', null, null, 'unknown', null, false],
    ]);
  });

  it('are marked as those that POST /v1/events takes are, and counted beside them in the view', async () => {
    for (const userAgent of [CHROME, GOOGLEBOT, undefined])
      await project.post('/v1/events', { raw_path: '/gone', user_agent: userAgent, user_ip: '198.51.100.1' });
    expect((await stored(3)).map(({ visitor }) => visitor)).to.have.members(['person', 'search_engine', 'unknown']);
    await reportOf(line({}) + line({ userAgent: GOOGLEBOT, ip: '192.0.2.1' }));
    const rows = await project.query<Record<string, string>>(
      `select sum(hits) as hits, sum(robot_hits) as robots, max(visitor_ips) as ips from analytics.not_founds_daily where project_id = $1`,
    );
    expect(rows).to.deep.equal([{ hits: '3', robots: '2', ips: '2' }]);
  });

  it('have addresses by EVENT_IP_MODE, of any notation', async () => {
    const ips = ['203.0.113.9', '203.0.113.9:41342', '[2001:db8:1:2::3]:443', '::ffff:192.0.2.7', 'fe80::1%4', '-'];
    const log = ips
      .map((ip) => JSON.stringify({ time: NOW, status: 404, request_uri: '/gone', client_ip: ip }) + '\n')
      .join('');
    for (const [ipMode, expected] of [
      ['full', ['203.0.113.9', '203.0.113.9', '2001:db8:1:2::3', '192.0.2.7', 'fe80::1', null]],
      ['drop', [null, null, null, null, null, null]],
    ] as const) {
      project = await sharedService().newProject();
      expect(await reportOf(log, { ipMode })).to.deep.equal(numbers(6, 6));
      expect((await stored(6)).map((row) => row.visitor_ip)).to.have.members([...expected]);
    }
  });

  it('are 404 and 410 of GET and HEAD, and nothing else is stored or refused', async () => {
    const otherLines = [200, 301, 400, 403, 405, 500].map((status) => line({ status }));
    const log = [...otherLines, line({ method: 'POST' }), line({ method: 'OPTIONS', path: '*' }), '\r\n', line({})];
    expect(await reportOf(log.join(''))).to.deep.equal(numbers(10, 1));
  });

  it('count once when a log is imported twice, packed or not, with either end of lines', async () => {
    const log = Array.from({ length: 1_200 }, (_, i) => line({ at: ago(i / 100), path: `/gone/${i % 7}` })).join('');
    expect(await reportOf(log)).to.deep.equal(numbers(1_200, 1_200));
    expect(await reportOf(gzipSync(log))).to.deep.equal(numbers(1_200, 0, 1_200));
    expect(await reportOf(log.replaceAll('\n', '\r\n'))).to.deep.equal(numbers(1_200, 0, 1_200));
    expect(await stored(1_200)).to.have.length(1_200);
  });

  it('that are equal in one second count each, and once each in the next import', async () => {
    const hit = line({});
    expect(await reportOf(hit.repeat(3))).to.deep.equal(numbers(3, 3));
    expect(await reportOf(hit.repeat(3))).to.deep.equal(numbers(3, 0, 3));
    expect(await reportOf(hit.repeat(5)), 'two more were written since').to.deep.equal(numbers(5, 2, 3));
    expect(await stored(5)).to.have.length(5);
    // Every part of what is stored tells two apart.
    const variants = [
      line({ path: '/gone?' }),
      line({ at: ago(1) }),
      line({ ip: '203.0.112.9' }),
      line({ referrer: '/' }),
      line({ userAgent: 'x' }),
    ];
    expect(await reportOf(variants.join(''))).to.deep.include({ not_founds: 5, duplicates: 0 });
  });

  it('of rotated logs that overlap count once', async () => {
    const hits = Array.from({ length: 300 }, (_, i) => line({ at: ago(3 - i / 100), path: `/gone/${i}` }));
    expect(await reportOf(hits.slice(0, 200).join(''))).to.deep.equal(numbers(200, 200));
    expect(await reportOf(hits.slice(150).join(''))).to.deep.equal(numbers(150, 100, 50));
  });

  it('count once when two imports of one log run at the same time', async () => {
    const hits = Array.from({ length: 1_500 }, (_, i) => line({ at: ago(i / 200), path: `/gone/${i}` }));
    const reports = await Promise.all([reportOf(hits.join('')), reportOf(hits.slice(700).join(''))]);
    expect(reports.reduce((sum, { not_founds }) => sum + not_founds, 0)).to.equal(1_500);
    expect(reports.reduce((sum, { duplicates }) => sum + duplicates, 0)).to.equal(800);
    const [days] = await project.query<{ stored: string }>(
      'select sum(stored) as stored from pathmend.history_days where project_id = $1',
    );
    expect(days?.stored).to.equal('1500');
  });

  it("are of their project alone: another's import of the same log is its own", async () => {
    const log = line({});
    await reportOf(log);
    project = await sharedService().newProject();
    expect(await reportOf(log)).to.deep.equal(numbers(1, 1));
  });

  it('older than EVENT_RETENTION_DAYS, or in the future, are refused with the reason', async () => {
    const times = [ago(399.9), ago(400.1), ago(20_000), new Date(NOW.getTime() + 3_600_000), ago(-0.001)];
    const { report, reasons } = await runImport(times.map((at) => line({ at })).join(''));
    expect(report).to.deep.equal(numbers(5, 2, 0, 3));
    expect(reasons).to.deep.equal([
      { line: 2, reason: 'older than EVENT_RETENTION_DAYS (400 days)' },
      { line: 3, reason: 'older than EVENT_RETENTION_DAYS (400 days)' },
      { line: 4, reason: 'its time is in the future' },
    ]);
  });

  it('make partitions for the weeks of their own times alone, and for ten years at most', async () => {
    const weeks = async (): Promise<string[]> =>
      (
        await query<{ name: string }>(
          sharedService().service,
          `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'pathmend.not_founds'::regclass`,
        )
      ).map(({ name }) => name);
    const before = await weeks();
    const log = [ago(3_000), ago(1_000), ago(2_999), ago(12_000)].map((at) => line({ at })).join('');
    expect(await reportOf(log, { retentionDays: 36_500 })).to.deep.equal(numbers(4, 3, 0, 1));
    // Maintenance may make those of the coming weeks meanwhile.
    const recent = `not_founds_${ago(500).getUTCFullYear()}`;
    const made = (await weeks()).filter((name) => !before.includes(name) && name < recent);
    expect(made.length).to.be.within(2, 3);
  });

  /** So many people, each with an address and a dead link, within as many seconds. */
  const people = (count: number, address: (person: number) => Partial<Hit>, more = ''): string =>
    Array.from({ length: count }, (_, i) =>
      line({ at: new Date(NOW.getTime() - i * 1_000), path: `/alt/${i}`, ...address(i) }).trimEnd(),
    )
      .map((text, i) => `${text}${more && ` "${more}${i}.9"`}\n`)
      .join('');

  it('behind a load balancer are of people, by the addresses that it forwards', async () => {
    const log = people(120, () => ({ ip: '10.0.0.5' }), '203.0.');
    const { report, proxy } = await runImport(log, { ipMode: 'full' });
    expect([report, proxy]).to.deep.equal([numbers(120, 120), undefined]);
    expect(new Set((await stored(120)).map((row) => row.visitor_ip)).size).to.equal(120);
  });

  for (const ipMode of ['truncate', 'full'] as const)
    it(`that all have one address of a network inside make no robot, and this is said (${ipMode})`, async () => {
      const { report, proxy } = await runImport(
        people(120, () => ({ ip: '10.0.0.5' })),
        { ipMode },
      );
      expect([report, proxy]).to.deep.equal([numbers(120, 120), '10.0.0.5']);
    });

  it('of one public address that asks for a hundred dead links are of a robot, and no proxy is named', async () => {
    const { report, proxy } = await runImport(people(120, () => ({ ip: '198.51.100.4' })));
    expect([report.robots > 0, proxy]).to.deep.equal([true, undefined]);
    const inside = await runImport(people(20, (i) => ({ ip: `10.0.0.${i}`, path: `/b/${i}` })));
    expect(inside.proxy).to.equal(undefined);
  });

  it('beyond HISTORY_MB_PER_DAY are counted and not stored', async () => {
    const log = Array.from({ length: 700 }, (_, i) => line({ at: ago(2), path: `/gone/${i}`, ip: '-' })).join('');
    const { report, reasons } = await runImport(log, { bytesPerDay: 250_000 });
    expect(report).to.deep.equal(numbers(700, 500, 0, 200));
    expect(reasons).to.have.length(20);
    expect(reasons[0]).to.deep.equal({
      line: 501,
      reason: `beyond HISTORY_MB_PER_DAY on ${ago(2).toISOString().slice(0, 10)}`,
    });
    expect(await stored(500)).to.have.length(500);
    const days = await project.query(
      'select stored::int, not_kept::int from pathmend.history_days where project_id = $1',
    );
    expect(days).to.deep.equal([{ stored: 500, not_kept: 200 }]);
  });

  it('teach nothing: a page that is live again stays suggested, however recent they are', async () => {
    const path = '/help/grinder-hums';
    await project.upsert({ url: `https://shop.example${path}`, content: 'The grinder hums and does not turn.' });
    await project.indexed();
    const hits = Array.from({ length: 60 }, (_, i) =>
      line({ at: new Date(NOW.getTime() + 200_000 - i * 61_000), path, ip: `198.51.${i}.1` }),
    );
    expect(await reportOf(hits.join(''))).to.deep.equal(numbers(60, 60));
    expect(await project.query('select from pathmend.missing_pages where project_id = $1')).to.deep.equal([]);
    const { body } = await project.post('/v1/suggest', { path: '/grinder-hums-loud' });
    expect((body.suggestions as { url: string }[]).map(({ url }) => url)).to.deep.equal([path]);
  });

  it('with texts of any length and of any characters are stored, cut as those of POST /v1/events are', async () => {
    const long = 'é'.repeat(5_000);
    const log = [
      line({ path: `/${long}`, referrer: long, userAgent: long }),
      JSON.stringify({ time: NOW, status: 404, request_uri: '/\0\ud800', http_user_agent: '\0' }) + '\n',
    ];
    for (const logLine of log) expect(await reportOf(logLine)).to.deep.include({ not_founds: 1, refused: 0 });
    const bytes = Buffer.concat([
      Buffer.from(line({})).subarray(0, 52),
      Buffer.from([0xe9, 0xff]),
      Buffer.from('x HTTP/1.1" 404 1\n'),
    ]);
    // In no encoding that is known: refused, never simplified.
    expect(await reportOf(bytes)).to.deep.include({ not_founds: 0, refused: 1 });
    const rows = await stored(2);
    expect(rows.map(({ raw_path }) => raw_path)).to.include('/\uFFFD\uFFFD');
    const cut = rows.find(({ raw_path }) => raw_path.startsWith('/é'));
    expect([cut?.raw_path.length, cut?.referrer?.length, cut?.user_agent?.length]).to.deep.equal([2_048, 2_048, 1_024]);
  });

  it('before a line that is too long, and after it, are stored; its line is named', async () => {
    const log = line({ path: '/before' }) + line({ path: `/${'a'.repeat(1_000_000)}` }) + line({ path: '/after' });
    const { report, reasons } = await runImport(log);
    expect(report).to.deep.equal(numbers(3, 2, 0, 1));
    expect(reasons).to.deep.equal([{ line: 2, reason: 'longer than 65536 bytes' }]);
  });

  it('of packed data that ends early are stored up to there', async () => {
    const log = Array.from({ length: 2_000 }, (_, i) => line({ at: ago(i / 2_000), path: `/gone/${i}` })).join('');
    const packed = gzipSync(log);
    await runImport(packed.subarray(0, packed.length / 2)).then(
      () => expect.fail('it was taken'),
      (error: unknown) => expect(error).to.match(/unpacked .* is stored/),
    );
    const { duplicates, not_founds } = await reportOf(packed);
    expect(duplicates).to.be.above(600);
    expect(duplicates + not_founds).to.equal(2_000);
  });
});
