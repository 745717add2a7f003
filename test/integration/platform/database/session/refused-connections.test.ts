import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isDatabaseBusy } from '#src/platform/database/session/database-errors.js';
import { SessionPool } from '#src/platform/database/session/pool.js';

/** A message of PostgreSQL's protocol: its letter, its length, what it says. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const TOO_MANY = message('E', Buffer.from('SFATAL\0C53300\0Mtoo many connections for role "shop"\0\0'));

describe('a database that cuts a new connection, and then takes no more', () => {
  let server: Server;
  let pool: SessionPool;
  let connections = 0;

  before(async () => {
    server = createServer((socket) => {
      const isFirst = connections++ === 0;
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (!isFirst) socket.end(TOO_MANY);
        // Cut as soon as it asks for anything.
        else socket.on('data', () => socket.destroy()).write(WELCOME);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    pool = new SessionPool({
      url: `postgres://shop@127.0.0.1:${(server.address() as AddressInfo).port}/shop`,
      max: 2,
      applicationName: 'pathmend-test',
      onIdleError: () => undefined,
      ownSessions: true,
    });
  });

  after(async () => {
    await pool.close();
    server.close();
  });

  it('is busy, and is not asked again and again until the deadline', async () => {
    const ask = (): Promise<unknown> =>
      pool.take({ withinMs: 3_000 }).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await ask()).to.be.instanceOf(Error);
    const refusal = await ask();
    expect(isDatabaseBusy(refusal), String(refusal)).to.equal(true);
    expect(connections).to.equal(2);
  });
});
