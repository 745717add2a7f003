import { mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { cliJson, startServer } from '../../support/processes.js';
import { send } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// onnxruntime's builds call home unless they are told not to: through the proxy that the environment names, with a
// device id in the user's cache and two files among the temporary ones, all written when the first model is opened.
describe('a service that embeds', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  const folder = temporaryFolder();
  let proxy: Server;
  const calls: string[] = [];

  before(async () => {
    database = await createTestDatabase({ migrated: true });
    await Promise.all(['home', 'tmp', 'cache'].map((name) => mkdir(join(folder, name))));
    proxy = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', (head: Buffer) => {
          calls.push(head.toString().split('\r\n')[0] ?? '');
          socket.destroy();
        });
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  });

  after(async () => {
    await new Promise((done) => proxy.close(done));
    await database.drop();
  });

  it("calls nobody and leaves nothing in its user's folders, even if its environment asks for telemetry", async () => {
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const proxies = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
    // Exactly these: the variables of a CI would silence onnxruntime by themselves.
    const environment = {
      ...database.environment,
      ...Object.fromEntries(proxies.map((name) => [name, address])),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      ORT_DISABLE_TELEMETRY: '0',
    };
    await cliJson(['project', 'create', '--name', 'shop', '--plan', 'solo'], environment);
    const { key } = (await cliJson(['key', 'create', '--project', 'shop', '--mode', 'live'], environment)) as {
      key: string;
    };
    const server = await startServer(environment);
    try {
      const answer = await send(
        server.url,
        'POST',
        '/v1/semantic-search',
        { query: 'what is sent' },
        { Authorization: `Bearer ${key}` },
      );
      expect(answer.status).to.equal(200);
      // The embedded database keeps the folder of its socket there.
      expect((await readdir(join(folder, 'tmp'))).filter((name) => !name.startsWith('pathmend-'))).to.deep.equal([]);
    } finally {
      await server.end('SIGTERM');
    }
    expect(await readdir(join(folder, 'home'))).to.deep.equal([]);
    expect(await readdir(join(folder, 'cache'))).to.deep.equal([]);
    expect(calls).to.deep.equal([]);
  });
});
