import { expect } from 'chai';
import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmissionQueue, type App } from '#src/http/admission-queue.js';
import type { Bulkhead } from '#src/platform/limits/bulkhead.js';
import { createBulkheads } from '#src/platform/limits/bulkheads.js';
import { lineOf } from '#src/http/admission.js';
import { hashKey, mintKey } from '#src/projects/api-key.js';
import { createGuessLimit } from '#src/platform/limits/guess-limit.js';
import { send, type Answer } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('requests wait to be begun', () => {
  let server: Server | undefined;
  let queue: Bulkhead;
  const guesses = createGuessLimit(0, () => Promise.resolve([]));
  const [flooding, other, unknown] = [mintKey('live'), mintKey('live'), mintKey('live')];
  for (const key of [flooding, other]) guesses.recordAccepted(hashKey(key));
  let begun: string[] = [];
  /** The time in milliseconds that each request had waited when it began, from the `arrivedAt` that the app gets. */
  let waited: number[] = [];
  /** The time that each request takes, on the clock of the test, which a pause of the machine does not move. */
  let busyMs = 0;
  let now = 0;

  const app: App = (request, response, arrivedAt) => {
    begun.push(request.url ?? '');
    waited.push(now - arrivedAt);
    now += busyMs;
    response.end('{}');
  };

  async function start(): Promise<string> {
    begun = [];
    waited = [];
    const clock = (): number => now;
    queue = createBulkheads(3, clock).beginnings;
    const made = createServer(createAdmissionQueue(app, queue, (request) => lineOf(guesses, request), clock));
    server = made;
    await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
  }

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('in the order in which they came, all of a burst', async () => {
    busyMs = 2;
    const url = await start();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => send(url, 'GET', `/${i}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 100 }, () => 200));
    expect(queue.stats()).to.include({ waiting: 0, refused: 0 });
    expect(begun).to.have.length(100);
    expect(
      waited.every((ms) => ms >= 0),
      'each knows since when it waits',
    ).to.equal(true);
  });

  it('and where more come for longer than a burst than can be begun, those that are too many are refused with a 503, operators never', async function () {
    this.timeout(60_000);
    busyMs = 30;
    const url = await start();
    const answers: Answer[] = [];
    const isEnough = (): boolean => answers.some(({ status }) => status === 503);
    // Each caller asks again when it has its answer: these are more requests than may wait for long.
    const callers = Array.from({ length: 200 }, async (_, i) => {
      while (!isEnough()) answers.push(await send(url, 'POST', `/v1/suggest?${i}`, '{}'));
    });
    const healthy: number[] = [];
    while (!isEnough()) healthy.push((await send(url, 'GET', '/healthz')).status);
    await Promise.all(callers);
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200)).to.not.be.empty;
    for (const { body, headers } of refused) {
      expect(body).to.have.nested.property('error.code', 'overloaded');
      expect(Number(headers.get('retry-after'))).to.be.at.least(1);
      expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    }
    expect(queue.stats()).to.include({ waiting: 0, refused: refused.length });
    expect(new Set(healthy)).to.deep.equal(new Set([200]));
  });

  it('and the flood of one key is refused by itself: whoever comes with another key is served', async function () {
    this.timeout(60_000);
    busyMs = 10;
    const url = await start();
    let isOver = false;
    const flood = Array.from({ length: 50 }, async () => {
      while (!isOver) await send(url, 'POST', '/v1/suggest', '{}', { Authorization: `Bearer ${flooding}` });
    });
    await until('the flood is refused', () => queue.stats().refused > 0);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++)
      statuses.push((await send(url, 'POST', '/v1/suggest', '{}', { Authorization: `Bearer ${other}` })).status);
    isOver = true;
    await Promise.all(flood);
    expect(statuses.filter((status) => status === 200)).to.have.length(20);
  });

  it('and whoever comes again as soon as it is refused waits a second for the next refusal', async function () {
    this.timeout(60_000);
    busyMs = 10;
    const url = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 400 });
    const headers = { Authorization: `Bearer ${flooding}` };
    const refusedAfter: number[] = [];
    const atOnce = (): number[] => refusedAfter.filter((ms) => ms < 900);
    const ask = (): Promise<void> =>
      new Promise((done) => {
        const from = performance.now();
        const clientRequest = request(`${url}/v1/suggest`, { method: 'POST', agent, headers }, (answer) => {
          if (answer.statusCode === 503) refusedAfter.push(performance.now() - from);
          answer.resume().on('end', done);
        });
        clientRequest.on('error', done);
        clientRequest.end('{}');
      });
    const flood = Array.from({ length: 400 }, async () => {
      while (refusedAfter.length - atOnce().length <= 100) await ask();
    });
    await Promise.all(flood);
    agent.destroy();
    // A hundred in each second of this clock, of which the first and the last were begun.
    expect(atOnce().length).to.be.at.most(100 * (now / 1_000 + 2));
  });

  it('and whoever writes a key in many ways, or makes keys up, has one line for all of it', () => {
    const linesOf = (headers: (string | undefined)[]): Set<string> =>
      new Set(headers.map((authorization) => lineOf(guesses, { headers: { authorization } } as IncomingMessage)));
    expect(linesOf([`Bearer ${other}`, `bearer ${other}`, `Bearer    ${other}  `])).to.have.property('size', 1);
    expect(linesOf([`Bearer ${other}`, `Bearer ${flooding}`])).to.have.property('size', 2);
    const strangers = [
      undefined,
      '',
      'Bearer',
      'Basic eDp5',
      `Bearer ${unknown}`,
      `Bearer ${other}x`,
      `Bearer a ${other}`,
    ];
    expect(linesOf([...strangers, ...Array.from({ length: 50 }, (_, i) => `Bearer pm_live_${i}`)])).to.deep.equal(
      linesOf([undefined]),
    );
    expect(linesOf([undefined, `Bearer ${other}`])).to.have.property('size', 2);
  });

  it('and a flood of strangers with a header each leaves their turns to keys that are known', async function () {
    this.timeout(60_000);
    busyMs = 10;
    const url = await start();
    let isOver = false;
    let sent = 0;
    const flood = Array.from({ length: 50 }, async () => {
      while (!isOver) await send(url, 'POST', '/v1/suggest', '{}', { Authorization: `Bearer ${sent++}` });
    });
    await until('the flood is refused', () => queue.stats().refused > 0);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++)
      statuses.push((await send(url, 'POST', '/v1/suggest', '{}', { Authorization: `Bearer ${other}` })).status);
    isOver = true;
    await Promise.all(flood);
    expect(statuses.filter((status) => status === 200)).to.have.length(20);
  });
});
