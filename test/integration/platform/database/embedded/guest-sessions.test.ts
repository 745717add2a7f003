import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { superviseDatabase } from '#src/platform/database/embedded/supervise-database.js';
import { until } from '../../../../support/until.js';
import { simpleQuery, WireClient } from '../../../../support/wire-client.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const MAX_SILENCE_MS = 1_000;

describe('guests of the embedded database: clients that are no part of the program', () => {
  const folder = temporaryFolder();
  let url: string;
  let stop: () => Promise<void>;
  let lost = 0;
  const clients: pg.Client[] = [];

  before(async () => {
    const socket = join(folder, '.s.PGSQL.5432');
    const watch = {
      lost: () => {
        lost++;
      },
      back: () => undefined,
    };
    stop = await superviseDatabase({ folder: join(folder, 'postgres'), socket, maxSilenceMs: MAX_SILENCE_MS }, watch);
    url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`;
    await query(await connectOwn(), 'create table kept (what text)');
  });

  after(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    await stop();
  });

  async function connect(applicationName: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: applicationName });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }
  const connectOwn = (): Promise<pg.Client> => connect('pathmend-test');
  const guest = (): Promise<pg.Client> => connect('psql');

  async function query(client: pg.Client, text: string): Promise<unknown[]> {
    return (await client.query<Record<string, unknown>>(text)).rows.map((row) => Object.values(row)[0]);
  }

  const LEFT_BEHIND = `
    select 'setting ' || name from pg_settings where source = 'session'
    union all select 'role ' || current_user where current_user <> 'postgres'
    union all select 'user ' || session_user where session_user <> 'postgres'
    union all select 'search path' where to_regclass('kept') is null
    union all select 'temporary table ' || relname from pg_class where relpersistence = 't'
    union all select 'prepared ' || name from pg_prepared_statements
    union all select 'cursor ' || name from pg_cursors
    union all select 'channel ' || name from pg_listening_channels() as name
    union all select 'lock' from pg_locks where locktype = 'advisory'
    union all select 'row of an open transaction' from kept`;

  const TRACES = [
    `select set_config('search_path', '', false)`,
    `set row_security = off`,
    `set statement_timeout = '1ms'`,
    `set client_encoding = 'latin1'`,
    `set default_transaction_read_only = on`,
    `set enable_seqscan = off`,
    'set role pg_monitor',
    'set session authorization pg_monitor',
    'create temp table kept (shadow text)',
    'prepare mine as select 1',
    'declare mine cursor with hold for select 1',
    'listen mine',
    'select pg_advisory_lock(1)',
    'begin; select pg_advisory_xact_lock(2); insert into kept values (1)',
    'begin; set local row_security = off; select nonsense',
  ];

  const endings: [string, (client: WireClient) => Promise<void>][] = [
    [
      'takes its leave',
      async (client) => {
        await client.write(Buffer.from([0x58, 0, 0, 0, 4]));
        client.die();
      },
    ],
    [
      'is cut off',
      (client) => {
        client.die();
        return Promise.resolve();
      },
    ],
  ];
  for (const [ending, end] of endings) {
    it(`leave nothing behind: a guest that ${ending}`, async () => {
      for (const trace of TRACES) {
        const leaving = await WireClient.connect(url);
        await leaving.write(simpleQuery(trace));
        await leaving.ready(2);
        await end(leaving);
        expect(await query(await connectOwn(), LEFT_BEHIND), trace).to.deep.equal([]);
      }
    });
  }

  it("do not change what the program's own statements meet while they are connected and in no transaction", async () => {
    const program = await connectOwn();
    for (const trace of TRACES.slice(0, -2)) {
      const visitor = await guest();
      await visitor.query(trace);
      expect(await query(program, LEFT_BEHIND), trace).to.deep.equal([]);
      await visitor.end();
    }
  });

  it('keep the settings that they made, whoever has the session meanwhile', async () => {
    const [first, second, program] = [await guest(), await guest(), await connectOwn()];
    const settings = `select concat_ws('; ', current_setting('search_path'), current_setting('row_security'), current_setting('statement_timeout'),
      current_setting('bytea_output'), current_setting('DateStyle'), session_user, current_user)`;
    await first.query(
      `select set_config('search_path', '', false); set row_security = off; set statement_timeout = '90s'; set role pg_monitor`,
    );
    await second.query(`set search_path = "it's", public; set bytea_output = 'escape'; set datestyle = 'German, DMY'`);
    for (let round = 0; round < 3; round++) {
      expect(await query(first, settings)).to.deep.equal(['; off; 90s; hex; ISO, MDY; postgres; pg_monitor']);
      expect(await query(program, settings)).to.deep.equal(['public; on; 0; hex; ISO, MDY; postgres; postgres']);
      expect(await query(second, settings)).to.deep.equal([
        `"it's", public; on; 0; escape; German, DMY; postgres; postgres`,
      ]);
    }
    await first.end();
    expect(await query(second, settings)).to.deep.equal([
      `"it's", public; on; 0; escape; German, DMY; postgres; postgres`,
    ]);
    await second.end();
  });

  it('are cut off when they keep an open transaction to themselves, in silence, and others wait', async () => {
    const [silent, program] = [await guest(), await connectOwn()];
    await silent.query(`begin; insert into kept values ('never')`);
    expect(await query(program, 'select count(*)::int from kept')).to.deep.equal([0]);
    await until('the silent guest is cut off', () =>
      silent.query('select 1').then(
        () => false,
        () => true,
      ),
    );
  });

  it('may keep a transaction for long while they work in it', async () => {
    const [slow, program] = [await guest(), await connectOwn()];
    await slow.query(`begin; insert into kept values ('kept')`);
    const waiting = query(program, 'select what from kept');
    const end = performance.now() + 2 * MAX_SILENCE_MS;
    while (performance.now() < end) await slow.query(`select count(*) from generate_series(1, 10000)`);
    await slow.query('commit');
    expect(await waiting).to.deep.equal(['kept']);
    await program.query('delete from kept');
  });

  it('are refused a COPY into a table, in words: PGlite would end with it', async () => {
    const [visitor, program] = [await guest(), await connectOwn()];
    for (const how of ['simple', 'extended']) {
      const copied =
        how === 'simple'
          ? visitor.query('copy kept from stdin')
          : visitor.query({ text: 'copy kept from stdin', values: [] });
      const error = await copied.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error)).to.contain('takes no COPY');
    }
    expect(await query(program, 'select count(*)::int from kept')).to.deep.equal([0]);
    expect(lost, 'the database never ended').to.equal(0);
  });
});
