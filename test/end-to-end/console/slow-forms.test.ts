import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { startTestConsole, type TestConsole } from '../../support/console.js';

/** More than the console has slots and places in its queue. */
const STRANGERS = 100;

describe('the console, while strangers send forms that never end', function () {
  this.timeout(60_000);
  let site: TestConsole;
  let strangers: Socket[] = [];

  before(async () => {
    site = await startTestConsole();
  });
  after(() => {
    for (const socket of strangers) socket.destroy();
    return site.stop();
  });

  it('shows its pages', async () => {
    const { hostname, port, pathname } = new URL(`${site.url}/login/session`);
    const head =
      `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 1000\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\n\r\nemail=';
    strangers = Array.from({ length: STRANGERS }, () => connect(Number(port), hostname));
    await Promise.all(strangers.map((socket) => once(socket, 'connect')));
    await Promise.all(strangers.map((socket) => new Promise((sent) => socket.write(head, sent))));
    expect((await fetch(`${site.url}/login`)).status).to.equal(200);
  });
});
