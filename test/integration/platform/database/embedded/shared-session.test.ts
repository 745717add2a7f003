import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbedded, type EmbeddedDatabase } from '#src/platform/database/embedded/start-embedded.js';
import { bind, execute, flush, parse, simpleQuery, sync, WireClient } from '../../../../support/wire-client.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

describe('connections to the embedded database', () => {
  const folder = temporaryFolder();
  let embedded: EmbeddedDatabase;
  const clients: pg.Client[] = [];

  before(async () => {
    embedded = await startEmbedded(join(folder, 'data'));
    await (await client()).query('create table kept (what text)');
  });

  after(async () => {
    for (const connection of clients) await connection.end();
    await embedded.stop();
  });

  async function client(): Promise<pg.Client> {
    const connection = new pg.Client({ connectionString: embedded.url });
    await connection.connect();
    clients.push(connection);
    return connection;
  }

  async function expectServing(): Promise<void> {
    expect((await (await client()).query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  }

  async function kept(): Promise<string[]> {
    return (await (await client()).query<{ what: string }>('select what from kept')).rows.map((row) => row.what);
  }

  // Fails without shareByWholeQueries: "bind message supplies 1 parameters, but prepared statement requires 2".
  it("never mix a query that arrives in pieces with another connection's", async () => {
    const slow = await WireClient.connect(embedded.url);
    const quick = await WireClient.connect(embedded.url);
    for (let round = 1; round <= 20; round++) {
      await slow.write(Buffer.concat([parse('select $1::text'), flush()]));
      await slow.has('1', round);
      await quick.write(
        Buffer.concat([parse('select $1::text || $2::text'), bind('quick ', String(round)), execute(), sync()]),
      );
      await slow.write(Buffer.concat([bind(`slow ${round}`), execute(), sync()]));
      await Promise.all([slow.ready(1 + round), quick.ready(1 + round)]);
    }
    expect(slow.answers()).to.deep.equal(Array.from({ length: 20 }, (_, at) => `slow ${at + 1}`));
    expect(quick.answers()).to.deep.equal(Array.from({ length: 20 }, (_, at) => `quick ${at + 1}`));
    slow.die();
    quick.die();
  });

  it('of pathmend prepare a statement once for all of them, and again after a guest', async () => {
    const connectOwn = async (): Promise<pg.Client> => {
      const connection = new pg.Client({ connectionString: embedded.url, application_name: 'pathmend-test' });
      await connection.connect();
      clients.push(connection);
      return connection;
    };
    const [first, second] = [await connectOwn(), await connectOwn()];
    const doubled = async (connection: pg.Client, value: number): Promise<unknown> =>
      (await connection.query({ name: 'doubled', text: 'select $1::int * 2 as twice', values: [value] })).rows[0];
    const prepared = async (): Promise<string[]> =>
      (await first.query<{ name: string }>('select name from pg_prepared_statements')).rows.map(({ name }) => name);
    expect(await doubled(first, 1)).to.deep.equal({ twice: 2 });
    expect(await doubled(second, 2)).to.deep.equal({ twice: 4 });
    expect(await prepared()).to.deep.equal(['doubled']);
    // After a connection of a guest, the session forgets all prepared statements. The other connections do not know
    // that.
    await (await client()).query('select 1');
    expect(await prepared()).to.deep.equal([]);
    expect(await doubled(first, 5)).to.deep.equal({ twice: 10 });
    expect(await doubled(await connectOwn(), 3)).to.deep.equal({ twice: 6 });
    expect(await prepared()).to.deep.equal(['doubled']);
    // A statement that cannot be prepared again gets an error as its answer, and not silence.
    await (await client()).query('select 1');
    await first.query('begin');
    await first.query('select nothing').catch(() => undefined);
    const refused = await doubled(first, 6).catch((error: unknown) => error);
    expect(refused).to.have.property('code', '25P02');
    await first.query('rollback');
    expect(await doubled(second, 7)).to.deep.equal({ twice: 14 });
  });

  it('each get their own answers, at once and with parameters of 3 MB', async () => {
    const connections = await Promise.all(Array.from({ length: 8 }, client));
    await Promise.all(
      connections.map(async (connection, at) => {
        for (let round = 0; round < 5; round++) {
          const large = `${at}.${round}.`.padEnd(3_000_000, String(at));
          const { rows } = await connection.query<Record<string, unknown>>(
            'select $1::text as large, $2::int + $3::int as sum',
            [large, at, round],
          );
          expect(rows[0]?.['sum']).to.equal(at + round);
          expect(rows[0]?.['large'] === large, 'the large parameter came back as it was').to.be.true;
          const small = await connection.query<Record<string, unknown>>('select $1::int as mine', [at]);
          expect(small.rows).to.deep.equal([{ mine: at }]);
        }
      }),
    );
  });

  it('each have their transactions to themselves', async () => {
    const connections = await Promise.all(Array.from({ length: 6 }, client));
    await connections[0]?.query('create table counter as select 0 as n');
    await Promise.all(
      connections.map(async (connection) => {
        for (let round = 0; round < 5; round++) {
          await connection.query('begin');
          const { rows } = await connection.query<{ n: number }>('select n from counter');
          await connection.query('update counter set n = $1', [(rows[0]?.n ?? 0) + 1]);
          await connection.query(round % 2 === 0 ? 'commit' : 'rollback');
        }
      }),
    );
    expect((await connections[0]?.query('select n from counter'))?.rows).to.deep.equal([{ n: 18 }]);
  });

  const stages: [string, Buffer][] = [
    ['after Parse', Buffer.concat([parse('insert into kept values ($1)'), flush()])],
    ['after Bind', Buffer.concat([parse('insert into kept values ($1)'), bind('x'), flush()])],
    [
      'after Execute, before Sync',
      Buffer.concat([parse('insert into kept values ($1)'), bind('x'), execute(), flush()]),
    ],
    [
      'in the middle of a large Bind',
      Buffer.concat([parse('select $1::text'), flush(), bind('x'.repeat(3_000_000)).subarray(0, 2_000_000)]),
    ],
    ['after a failed Parse', Buffer.concat([parse('select nonsense from nowhere'), flush()])],
    [
      'in a transaction, after Parse',
      Buffer.concat([simpleQuery('begin'), parse('insert into kept values ($1)'), flush()]),
    ],
  ];
  for (const [stage, bytes] of stages) {
    it(`go on when a client dies ${stage} of an extended query`, async () => {
      const dying = await WireClient.connect(embedded.url);
      await dying.write(bytes);
      await dying.has(stage.includes('failed') ? 'E' : '1', 1);
      const waiting = expectServing();
      dying.die();
      await waiting;
      // A statement without a Sync was never acknowledged: its row may stay or not. The row of the dead transaction may
      // not stay.
      if (!stage.includes('before Sync')) expect(await kept()).to.deep.equal([]);
      await (await client()).query('delete from kept');
    });
  }

  it('go on when many clients die wherever they are', async function () {
    this.timeout(120_000);
    const work = Buffer.concat([
      simpleQuery('begin'),
      simpleQuery(`insert into kept values ('lost')`),
      simpleQuery('select count(*) from generate_series(1, 2000)'),
      parse('select $1::text'),
      bind('x'.repeat(100_000)),
      execute(),
    ]);
    const steady = await client();
    for (let round = 0; round < 40; round++) {
      const dying = await Promise.all(Array.from({ length: 3 }, () => WireClient.connect(embedded.url)));
      for (const [at, wireClient] of dying.entries()) {
        // Every third client dies somewhere in the first messages, which are short.
        const cut = at === 0 ? (round * 37) % 300 : ((round * 3 + at) * 7919) % work.length;
        void wireClient.write(work.subarray(0, cut));
        if (at % 2 === 0)
          setImmediate(() => {
            wireClient.die();
          });
        else wireClient.die();
      }
      expect((await steady.query('select $1::int as round', [round])).rows).to.deep.equal([{ round }]);
    }
    expect(await kept()).to.deep.equal([]);
  });
});
