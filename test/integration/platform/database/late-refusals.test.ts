import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type pg from 'pg';
import { isDatabaseBusy } from '#src/platform/database/session/database-errors.js';
import { DatabaseUnresponsive } from '#src/platform/database/session/deadline.js';
import { SessionPool } from '#src/platform/database/session/pool.js';
import { createTestDatabase, onServer } from '../../../support/database.js';
import { createLogins, type Logins } from '../../../support/logins.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

/** Longer than a request's admission may take. */
const LATE_MS = 3_500;

/** Passes everything on, but a refusal so much later, as a server does that has too much to do; or nothing any more. */
async function startProxy(target: number) {
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client: Socket) => {
    const database = connectTo(target, '127.0.0.1');
    let isRefused = false;
    for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined));
    client.on('close', () => database.destroy());
    client.on('data', (chunk) => isSilent || database.write(chunk));
    database.on('data', (chunk: Buffer) => {
      isRefused ||= chunk.includes('C53300\0');
      if (!isRefused) client.write(chunk);
      else setTimeout(() => client.end(chunk), LATE_MS);
    });
    database.on('close', () => isRefused || client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => (isSilent = true),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a role at its connection limit, which hears of it late (on a server only)', function () {
  this.timeout(120_000);
  let logins: Logins;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let test: TestService | undefined;
  let url: string;
  let pool: SessionPool;

  before(async function () {
    if (!onServer()) this.skip();
    logins = await createLogins(await createTestDatabase());
  });

  beforeEach(async () => {
    proxy = await startProxy(Number(new URL(logins.urlOf(logins.owner)).port));
    url = Object.assign(new URL(logins.urlOf(logins.owner)), { port: String(proxy.port) }).href;
    const options = { max: 4, applicationName: 'pathmend-test', onIdleError: () => undefined, ownSessions: true };
    pool = new SessionPool({ url, ...options });
    await limitTo(1);
  });

  afterEach(async () => {
    await limitTo(-1);
    await pool.close();
    proxy.close();
  });

  after(async () => {
    if (onServer()) await logins.drop();
  });

  const limitTo = (connections: number): Promise<unknown> =>
    logins.admin.query(`alter role ${logins.owner} connection limit ${connections}`);
  const cut = (): Promise<unknown> =>
    logins.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [logins.owner]);
  const askWithin = (withinMs: number): Promise<unknown> =>
    pool.take({ withinMs }).then(
      () => 'a session',
      (error: unknown) => error,
    );

  async function expectBusy(withinMs: number): Promise<void> {
    const refusal = await askWithin(withinMs);
    expect(isDatabaseBusy(refusal), String(refusal)).to.equal(true);
  }

  /** Whoever has the one connection, past the proxy. */
  async function holdAll(): Promise<pg.Client> {
    const holder = await logins.connect(logins.owner);
    holder.on('error', () => undefined);
    return holder;
  }

  it('is busy for whoever cannot wait for the refusal, before the first refusal and between two', async () => {
    const holder = await holdAll();
    await expectBusy(300);
    await until('the first refusal has come', () => pool.refused !== undefined);
    // The next one takes as long: the first is then no news any more.
    await expectBusy(1_000);
    await expectBusy(300);
    await holder.end();
  });

  it('is busy where its one connection is at a long statement', async () => {
    const only = await pool.take();
    const long = only.query('select pg_sleep(60)').catch(() => undefined);
    await expectBusy(300);
    await until('the refusal has come', () => pool.refused !== undefined);
    await expectBusy(300);
    only.release(true);
    await cut();
    await long;
  });

  it('is away, all the same, where a statement had no answer', async () => {
    const only = await pool.take({ withinMs: 300 });
    await only.query('select 1');
    proxy.silence();
    const late: unknown = await only.query('select 2').catch((error: unknown) => error);
    expect(late).to.be.instanceOf(DatabaseUnresponsive);
    only.release(true);
    expect(await askWithin(300)).to.be.instanceOf(DatabaseUnresponsive);
  });

  it('answers 503 with Retry-After on each route', async () => {
    await limitTo(-1);
    test = await startTestService(
      {},
      {
        database: { kind: 'server', environment: { DATABASE_URL: url }, drop: () => Promise.resolve() },
        log: new PassThrough().resume(),
      },
    );
    const { service } = test;
    try {
      const project = await test.newProject();
      await limitTo(1);
      await cut();
      let holder: pg.Client | undefined;
      await until('somebody else has the one connection', async () => {
        holder = await holdAll().catch(() => undefined);
        if (!holder) await cut();
        return holder !== undefined;
      });
      const ask = [
        () => project.post('/v1/suggest', { path: '/shipping-times' }),
        () => project.post('/v1/semantic-search', { query: 'how long do parcels take' }),
        () => project.post('/v1/pages/upsert', { url: 'https://shop.example/1', content: 'A page.' }),
        () => project.post('/v1/events', { raw_path: '/gone' }),
        () => project.call('GET', '/v1/pages'),
      ];
      // The pool learns of a connection that was cut by using it.
      await until('nothing answers', async () => {
        const answers = await Promise.all(ask.map((send) => send()));
        return answers.every(({ status }) => status >= 500);
      });
      for (const send of ask) {
        const { status, headers, body } = await send();
        expect(status, JSON.stringify(body)).to.equal(503);
        expect(Number(headers.get('retry-after'))).to.be.above(0);
      }
      await holder?.end();
    } finally {
      await limitTo(-1);
      await service.stop();
    }
  });
});
