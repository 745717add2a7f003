import { renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { parseConfig } from '#src/platform/settings/config.js';
import { startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { openDatabase } from '#src/platform/database/open-database.js';
import { until } from '../support/until.js';

describe('the embedded database', function () {
  this.timeout(120_000);
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-death-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client
      .query<Row>(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  const isThere = (promise: Promise<unknown>): Promise<boolean> =>
    promise.then(
      () => true,
      () => false,
    );

  it('that dies of its disk says so, leaves nobody waiting, and comes back with all that was acknowledged once the disk does', async () => {
    const heard: string[] = [];
    const embedded = await startEmbedded(join(root, 'data'), {
      lost: (reason) => {
        heard.push(reason);
      },
      back: () => {
        heard.push('back');
      },
    });
    const log = join(root, 'data/postgres/pg_wal');
    try {
      await query(embedded.url, 'create table kept (n int)');
      await query(embedded.url, 'insert into kept values (1)');
      renameSync(log, `${log}.gone`);
      // The next segment of its log cannot be made: a PANIC, of which a server restarts.
      const dying = [2, 3, 4].map((n) =>
        isThere(query(embedded.url, `select pg_switch_wal(); insert into kept values (${n})`)),
      );
      const acknowledged = await Promise.all(dying);
      expect(acknowledged).to.include(false);
      await until('it is tried again in vain', () => heard.length >= 2, 60_000);
      expect(
        heard.every((words) => words.includes('pg_wal')),
        heard.join('; '),
      ).to.be.true;
      expect(await isThere(query(embedded.url, 'select 1'))).to.be.false;

      renameSync(`${log}.gone`, log);
      await until('it is back', () => heard.at(-1) === 'back', 60_000);
      const rows = await query<{ n: number }>(embedded.url, 'select n from kept');
      expect(rows.map(({ n }) => n)).to.include.members([1, ...[2, 3, 4].filter((_, at) => acknowledged[at])]);
    } finally {
      await embedded.stop();
    }
    const next = await startEmbedded(join(root, 'data'));
    expect(await query(next.url, 'select n from kept where n = 1')).to.deep.equal([{ n: 1 }]);
    await next.stop();
  });

  it('can be stopped while it is down', async () => {
    let lost = 0;
    const embedded = await startEmbedded(join(root, 'data'), {
      lost: () => {
        lost++;
      },
      back: () => undefined,
    });
    renameSync(join(root, 'data/postgres/pg_wal'), join(root, 'gone'));
    expect(await isThere(query(embedded.url, 'select pg_switch_wal(); create table lost (n int)'))).to.be.false;
    await until('it is down', () => lost > 0, 60_000);
    await embedded.stop();
    renameSync(join(root, 'gone'), join(root, 'data/postgres/pg_wal'));
    const next = await startEmbedded(join(root, 'data'));
    expect(await query(next.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await next.stop();
  });

  it('makes a checkpoint when enough was written, so that its log does not grow for ever', async () => {
    const database = await openDatabase(parseConfig({ DATA_DIR: join(root, 'data') }), {
      besideServer: false,
      applicationName: 'test',
      onIdleError: () => undefined,
    });
    const { pool } = database.connection;
    const redo = async (): Promise<unknown> =>
      (await pool.query<{ redo_lsn: unknown }>('select redo_lsn from pg_control_checkpoint()')).rows[0]?.redo_lsn;
    try {
      const before = await redo();
      await pool.query(
        'create table much as select n, repeat(md5(n::text), 60) as text from generate_series(1, 40000) n',
      );
      await until('there is a later checkpoint', async () => (await redo()) !== before, 60_000);
    } finally {
      await database.close();
    }
  });
});
