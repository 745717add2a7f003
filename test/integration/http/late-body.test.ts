import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { onServer } from '../../support/database.js';
import { startServer, type ServerProcess } from '../../support/processes.js';
import { send, type TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { until } from '../../support/until.js';

const PAGE = { url: 'https://shop.example/pens/blue', content: 'A blue fountain pen with a steel nib.' };
const SEARCHES: Record<string, object> = {
  '/v1/suggest': { path: '/fountain-pen', options: { searchThreshold: 0 } },
  '/v1/semantic-search': { query: 'fountain pen', options: { searchThreshold: 0 } },
  '/v1/retrieve': { query: 'fountain pen' },
};

/** A request whose head is sent, and nothing of its body but the first character. */
class HalfSent {
  readonly #socket: Socket;
  readonly #body: string;
  #received = '';

  private constructor(socket: Socket, body: string) {
    this.#socket = socket;
    this.#body = body;
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString();
    });
  }

  static async begin(url: string, path: string, input: object, key: string): Promise<HalfSent> {
    const body = JSON.stringify(input);
    const socket = connect(Number(new URL(url).port), new URL(url).hostname);
    await once(socket, 'connect');
    const half = new HalfSent(socket, body);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 1)}`,
    );
    return half;
  }

  async finish(): Promise<string> {
    this.#socket.write(this.#body.slice(1));
    await until('the answer came', () => this.#received.includes('}') && this.#received.includes('\r\n\r\n'));
    this.#socket.destroy();
    return this.#received;
  }
}

/**
 * Sends searches to the service at `asking` whose bodies end after the service at `deleting` acknowledged a delete;
 * returns their answers. Each search is in the cache before.
 */
async function answersAfterDelete(project: TestProject, asking: string, deleting: string): Promise<string[]> {
  const authorized = { Authorization: `Bearer ${project.key}` };
  await project.upsert(PAGE);
  await project.indexed();
  for (const [path, input] of Object.entries(SEARCHES)) {
    await until('the page is found', async () =>
      (await send(asking, 'POST', path, input, authorized)).text.includes('/pens/blue'),
    );
  }
  const tokensLeft = async (): Promise<number> =>
    Number(
      (await send(asking, 'POST', '/v1/semantic-search', { query: 'anything' }, authorized)).headers.get(
        'x-ratelimit-remaining',
      ),
    );
  const before = await tokensLeft();
  const halves = await Promise.all(
    Object.entries(SEARCHES).map(([path, input]) => HalfSent.begin(asking, path, input, project.key)),
  );
  let probeCount = 0;
  await until('all of them are admitted', async () => (await tokensLeft()) === before - halves.length - ++probeCount);
  expect((await send(deleting, 'DELETE', '/v1/pages/delete', { url: PAGE.url }, authorized)).status).to.equal(200);
  return Promise.all(halves.map((half) => half.finish()));
}

/** Makes a project whose tokens do not come back during a test, so that their number shows the admitted requests. */
const quietProject = (): Promise<TestProject> =>
  sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 1_000 } });

function expectNothing(answers: readonly string[]): void {
  for (const answer of answers) {
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
    expect(answer).not.to.include('/pens/blue');
  }
}

describe('a search whose body ends after a page was deleted', () => {
  it('is not answered with that page, though it was admitted before', async () => {
    const { url } = sharedService().service;
    expectNothing(await answersAfterDelete(await quietProject(), url, url));
  });

  describe('by another instance', function () {
    this.timeout(60_000);
    let other: ServerProcess;

    before(async function () {
      // The embedded database serves one process.
      if (!onServer()) this.skip();
      else other = await startServer(sharedService().database.environment, ['--role', 'api']);
    });

    after(async () => {
      if (onServer()) await other.end('SIGTERM');
    });

    it('is not answered with that page', async () => {
      const { url } = sharedService().service;
      expectNothing(await answersAfterDelete(await quietProject(), other.url, url));
      expectNothing(await answersAfterDelete(await quietProject(), url, other.url));
    });
  });
});
