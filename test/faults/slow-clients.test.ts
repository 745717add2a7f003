import { expect } from 'chai';
import { DEADLINES } from '#src/http/server.js';
import {
  startSlowClient,
  SLOWNESS,
  type SlowClient,
  type Slowness,
} from '../../scripts/faults/slow-clients/clients.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { send, startTestService, type TestService } from '../support/service.js';
import { kept } from '../support/sql.js';
import { until } from '../support/until.js';

const LARGE = JSON.stringify({ query: 'a page with much text', top_k: 4 });
/** Each character takes six bytes in JSON. The answer is more than the buffers of the socket hold, on both sides. */
const MUCH = '\u0001'.repeat(340_000);
const MUCH_BYTES = 6 * MUCH.length;
const PAGES = 4;

describe('callers that are slow', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let key: string;
  let test: TestService;

  /** Pages that make a large answer, pushed while nobody minds how long it takes. */
  before(async () => {
    database = await createTestDatabase({ migrated: true });
    test = await startTestService({}, { database: kept(database) });
    const project = await test.newProject();
    key = project.key;
    for (let i = 0; i < PAGES; i++) {
      await project.upsert({
        url: `https://large.example/${i}`,
        content: `Page ${i} with much text. ${MUCH}`,
      });
    }
    await project.indexed();
    await test.stop();
  });

  after(() => database.drop());

  async function start(deadlines: Partial<typeof DEADLINES>): Promise<void> {
    test = await startTestService(
      {},
      {
        database: kept(database),
        deadlines: { ...DEADLINES, checkedEvery: 50, ...deadlines },
      },
    );
  }

  afterEach(() => test.stop());

  const slow = (slowness: Slowness): SlowClient =>
    startSlowClient(slowness, { url: test.service.url, key, everyMs: 20, largeQuestion: LARGE });
  const maxInFlightBytes = (): number => test.service.deps.bytes.stats().held;

  it('with their head, their body, or both, are cut off at the deadline with a 408, and others are served meanwhile', async () => {
    await start({ head: 1_000, request: 3_000 });
    const kinds = ['silent', 'head', 'body', 'vanished'] as const;
    const clients = kinds.flatMap((kind) => Array.from({ length: 25 }, () => ({ kind, client: slow(kind) })));
    await until('bodies are in hand', () => maxInFlightBytes() > 0);
    const answer = await send(
      test.service.url,
      'POST',
      '/v1/suggest',
      { path: '/x' },
      { Authorization: `Bearer ${key}` },
    );
    expect(answer.status).to.equal(200);
    for (const { kind, client } of clients) {
      const { after, status } = await client.ended;
      expect(status, SLOWNESS[kind]).to.equal(408);
      expect(after, SLOWNESS[kind]).to.be.above(kind === 'head' || kind === 'silent' ? 900 : 2_900);
    }
    await until('nothing of their bodies is in hand', () => maxInFlightBytes() === 0);
    expect(test.service.deps.bulkheads.searches.stats()).to.include({ running: 0, waiting: 0 });
  });

  it('between two requests lose their connection', async () => {
    await start({ idle: 300 });
    const { status, after } = await slow('idle').ended;
    expect(status).to.equal(200);
    expect(after).to.be.above(250);
  });

  /** Returns how many bytes of the answer a slow reader got in the end. */
  async function readBy(slowness: 'deaf' | 'sipping'): Promise<number> {
    const client = slow(slowness);
    await until('the answer waits for its caller', () => maxInFlightBytes() > MUCH.length);
    await until('it is given up', () => maxInFlightBytes() === 0);
    client.listen();
    return (await client.ended).bytes;
  }

  it('and take nothing of a large answer are cut off, and its memory is free again', async () => {
    await start({ stalledAnswer: 1_500 });
    expect(await readBy('deaf')).to.be.within(1, PAGES * MUCH_BYTES);
  });

  it('and take a large answer by the sip are cut off as well', async () => {
    await start({ answer: 700 });
    expect(await readBy('sipping')).to.be.within(1, PAGES * MUCH_BYTES);
  });
});
