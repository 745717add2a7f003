import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { connect, type Connection } from '#src/platform/database/session/connect.js';
import type { SearchRow } from '#src/search/store/searches.js';
import type { DailyLimit } from '#src/events/daily-limit.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { createSearchLog, type SearchLog } from '#src/search/search-log.js';
import { startForwarder, type Forwarder } from '../../../scripts/faults/away/forwarder.js';
import { onServer } from '../../support/database.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';

/** Nobody listens there. */
const NOWHERE = 1;
const MAX_WAITING = 10_000;
const NO_BOUND: DailyLimit = {
  bytesPerDay: 1e12,
  reportNotKept: (_kind, beyond) => {
    if (beyond.length > 0) throw new Error('nothing comes near the bound');
  },
};

const rowOf = (projectId: string, searched: Date): SearchRow => ({
  project_id: projectId,
  search_id: randomUUID(),
  searched_at: searched.toISOString(),
  kind: 'suggest',
  is_test: false,
  input: '/gone',
  understood: 'gone',
  filtered: false,
  threshold: 0,
  results: [],
  best_score: null,
  cached: false,
  took_ms: 1,
  of_others: false,
  redirected: false,
  would_redirect: false,
});
const storedOf = async (projectId: string): Promise<string[]> =>
  (
    await query<{ search_id: string }>(
      sharedService().service,
      'select search_id from pathmend.searches where project_id = $1 order by searched_at',
      [projectId],
    )
  ).map((row) => row.search_id);

describe('the log of searches, when the database refuses one', () => {
  it('stores all others that came with it', async () => {
    const { service } = sharedService();
    const { project_id: projectId } = (await sharedService().newProject()).row;
    const refused = `/refused/${projectId}`;
    await query(service, `alter table pathmend.searches add constraint refused check (input <> '${refused}')`);
    try {
      const rows = Array.from({ length: 50 }, (_, i) => rowOf(projectId, new Date(Date.now() - i)));
      (rows[20] as SearchRow).input = refused;
      for (const row of rows) service.deps.log.add(row);
      await service.deps.log.flush();
      const otherIds = rows.filter((_row, i) => i !== 20).map(({ search_id }) => search_id);
      expect((await storedOf(projectId)).toSorted()).to.deep.equal(otherIds.toSorted());
    } finally {
      await query(service, 'alter table pathmend.searches drop constraint refused');
    }
  });
});

describe('the log of searches, of a project with more of them in a day than are kept', () => {
  it('says so, until the next day, so that no page links to a search that cannot be found', async () => {
    const { db } = sharedService().service;
    const log = createSearchLog(db, { bytesPerDay: 1_000, reportNotKept: () => undefined }, createLogger('error'));
    const [full, other] = [await sharedService().newProject(), await sharedService().newProject()];
    const now = Date.now();
    expect(log.keeps(full.row.project_id, now)).to.equal(true);
    log.add(rowOf(other.row.project_id, new Date(now)));
    for (let time = 0; time < 5; time++) log.add(rowOf(full.row.project_id, new Date(now)));
    await log.stop();
    expect(log.keeps(full.row.project_id, now)).to.equal(false);
    expect(log.keeps(full.row.project_id, now + 86_400_000)).to.equal(true);
    expect(log.keeps(other.row.project_id, now)).to.equal(true);
  });
});

describe('the log of searches, while its database is away (server only: the embedded database needs no network)', () => {
  let port: number;
  let network: Forwarder;
  let connection: Connection;
  let log: SearchLog;
  let logOutput: string;
  let projectId: string;

  beforeEach(async function () {
    if (!onServer()) this.skip();
    const url = new URL(sharedService().service.database.url);
    port = Number(url.port);
    network = await startForwarder(port);
    url.port = String(network.port);
    connection = connect({ url: url.href, max: 1, applicationName: 'test', onIdleError: () => undefined });
    logOutput = '';
    const stream = new PassThrough().on('data', (text) => {
      logOutput += String(text);
    });
    log = createSearchLog(connection.db, NO_BOUND, createLogger('info', stream));
    projectId = (await sharedService().newProject()).row.project_id;
  });

  afterEach(async () => {
    if (!onServer()) return;
    await log.stop();
    await connection.close();
    network.close();
  });

  const row = (searched: Date): SearchRow => rowOf(projectId, searched);
  const stored = (): Promise<string[]> => storedOf(projectId);

  it('keeps them, and stores them each once when it is back', async () => {
    const rows = [row(new Date(Date.now() - 2_000)), row(new Date(Date.now() - 1_000)), row(new Date())];
    log.add(rows[0] as SearchRow);
    await log.flush();
    network.moveTo(NOWHERE, 'cut');
    log.add(rows[1] as SearchRow);
    await log.flush();
    log.add(rows[2] as SearchRow);
    await log.flush();
    expect(await stored()).to.have.length(1);
    network.moveTo(port, 'cut');
    await until('they are stored, by themselves', async () => (await stored()).length === 3);
    expect(await stored()).to.deep.equal(rows.map((search) => search.search_id));
    expect(logOutput).to.equal('');
  });

  it('keeps the newest, and says at its end how many were lost', async () => {
    network.moveTo(NOWHERE, 'cut');
    const now = Date.now();
    const rows = Array.from({ length: MAX_WAITING + 2 }, (_, i) => row(new Date(now - MAX_WAITING + i)));
    for (const search of rows) log.add(search);
    await log.flush();
    network.moveTo(port, 'cut');
    await log.flush();
    expect(await stored()).to.deep.equal(rows.slice(2).map((search) => search.search_id));
    await until('it is said', () => logOutput.includes('searches could not be logged'));
    expect(logOutput).to.contain('"lost":2');
  });

  it('says what is lost when the service stops meanwhile', async () => {
    network.moveTo(NOWHERE, 'cut');
    log.add(row(new Date()));
    await log.stop();
    await until('it is said', () => logOutput.includes('"lost":1'));
  });
});
