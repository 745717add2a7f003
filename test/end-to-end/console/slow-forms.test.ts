import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { until } from '../../support/until.js';
import { startTestConsole, type TestConsole } from '../../support/console.js';

/** More than the console has slots and places in its queue. */
const STRANGERS = 100;
/** More than are received at once. */
const UPLOADS = 20;

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

  it('takes the uploads of others, and shows pages that ask other servers, while a user sends many slowly', async () => {
    const project = await site.newProject();
    const [slow, other] = [await site.newUser('admin', project), await site.newUser('admin', project)];
    const path = (end: string): string => `/p/${project.row.project_id}/${end}`;
    const { hostname, port, pathname } = new URL(site.url);
    let answered = 0;
    const sendSlowly = (end: string, type: string, cookie: string): void => {
      const socket = connect(Number(port), hostname);
      strangers.push(socket.on('error', () => undefined));
      socket.once('data', () => answered++);
      socket.write(
        `POST ${pathname}${path(end)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 100000\r\n` +
          `Cookie: ${cookie}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: ${type}\r\n\r\n`,
      );
      if (type.startsWith('multipart'))
        socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n/a,/b\r\n');
    };
    // Signed in or not; one user has at most two of them under way.
    for (let n = 0; n < UPLOADS; n++) {
      const cookie = n % 2 === 0 ? slow.cookie : 'none=1';
      sendSlowly('redirects/map/upload', 'multipart/form-data; boundary=b', cookie);
      sendSlowly('connect/upload', 'multipart/form-data; boundary=b', cookie);
      sendSlowly('redirects/map/decide', 'application/x-www-form-urlencoded', cookie);
    }
    await until('all others are refused', () => answered === 3 * UPLOADS - 2);
    const { status, text } = await other.get(path('redirects/transfer'));
    expect(status).to.equal(200);
    const body = new FormData();
    body.set('form_token', /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? '');
    body.set('file', new Blob(['/old/kettles\n']), 'old.csv');
    const answer = await fetch(site.url + path('redirects/map/upload'), {
      method: 'POST',
      headers: { cookie: other.cookie, 'Sec-Fetch-Site': 'same-origin' },
      body,
      redirect: 'manual',
    });
    expect(answer.status, await answer.text()).to.equal(303);
  });

  it('refuses a file of whoever is not signed in before it is sent', async () => {
    const project = await site.newProject();
    const { hostname, port, pathname } = new URL(site.url);
    const socket = connect(Number(port), hostname);
    strangers.push(socket);
    socket.write(
      `POST ${pathname}/p/${project.row.project_id}/connect/upload HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        'Content-Length: 100000\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString())
      .to.match(/^HTTP\/1\.1 303 /)
      .and.include('/login');
  });
});
