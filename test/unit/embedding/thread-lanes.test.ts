import { expect } from 'chai';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import type { Embedder } from '#src/embedding/embedder.js';
import { EmbedderCrashed, EmbedderOverloaded, EmbedderTimeout } from '#src/embedding/embedder-errors.js';
import { rejection } from '../../integration/embedding/rejection.js';

const MEGABYTE = 'Some sentence about the weather in the mountains. '.repeat(20_000);

describe("the embedder's lanes", () => {
  let embedder: Embedder;
  let fingerprint: string;

  beforeEach(async () => {
    embedder = new EmbedderPool({
      pageThreads: 1,
      cacheFolder: '/nonexistent',
      maxPending: 2,
      maxPendingCharacters: 1_500_000,
    });
    ({ fingerprint } = await embedder.load('static'));
  });

  afterEach(() => embedder.stop());

  it('refuse a call when too many wait, and take calls again afterwards', async () => {
    const two = [embedder.embedQuery(fingerprint, 'a'), embedder.embedQuery(fingerprint, 'b')];
    await rejection(embedder.embedQuery(fingerprint, 'c'), EmbedderOverloaded);
    expect(embedder.stats().waiting).to.equal(2);
    await Promise.all(two);
    await embedder.embedQuery(fingerprint, 'c');
    expect(embedder.stats()).to.include({ waiting: 0, queries: 3, restarts: 0 });
  });

  it('refuse a call when too many characters wait', async () => {
    const first = rejection(embedder.embedContent(fingerprint, MEGABYTE), EmbedderCrashed);
    await rejection(embedder.embedContent(fingerprint, MEGABYTE), EmbedderOverloaded);
    await embedder.stop();
    await first;
  });

  it('do not let pages crowd out queries', async () => {
    const pages = [embedder.embedContent(fingerprint, 'a'), embedder.embedContent(fingerprint, 'b')];
    await Promise.all([...pages, embedder.embedQuery(fingerprint, 'c')]);
  });

  it('let a query overtake a long page, again and again', async () => {
    let done = false;
    const page = embedder.embedContent(fingerprint, MEGABYTE).finally(() => {
      done = true;
    });
    for (let query = 0; query < 20; query += 1) {
      await embedder.embedQuery(fingerprint, `question ${query}`);
      expect(done).to.equal(false);
    }
    expect((await page).length).to.be.above(500);
    expect(embedder.stats().passages).to.equal((await page).length);
  });

  it('let a short page overtake a long one, which goes on after it', async () => {
    let done = false;
    // Words that are cut into many pieces each: many turns long on any machine.
    const text = Array.from({ length: 90_000 }, (_, n) => `qz${(n * 7919).toString(36)}`).join(' ');
    const long = embedder.embedContent(fingerprint, text).finally(() => {
      done = true;
    });
    await embedder.embedContent(fingerprint, 'A short page.');
    expect(done).to.equal(false);
    const passages = await long;
    expect(passages.at(-1)?.end).to.equal(text.length);
  });

  it('reject a call at its deadline, drop the work, and go on', async () => {
    await rejection(embedder.embedContent(fingerprint, MEGABYTE, { deadlineMs: 1 }), EmbedderTimeout);
    // Were the megabyte still worked at, this page would have to wait for seconds behind it.
    await embedder.embedContent(fingerprint, 'A short page.', { deadlineMs: 20_000 });
    expect(embedder.stats()).to.include({ waiting: 0, restarts: 0 });
  });

  it("reject an aborted call with the signal's reason", async () => {
    const controller = new AbortController();
    const call = embedder.embedContent(fingerprint, MEGABYTE, { signal: controller.signal });
    controller.abort(new RangeError('no longer wanted'));
    expect((await rejection(call, RangeError)).message).to.equal('no longer wanted');
    await rejection(embedder.embedQuery(fingerprint, 'x', { signal: controller.signal }), RangeError);
    await embedder.embedContent(fingerprint, 'A short page.', { deadlineMs: 20_000 });
  });

  it("leave the caller's event loop free while a megabyte is embedded", async () => {
    const before = performance.eventLoopUtilization();
    await embedder.embedContent(fingerprint, MEGABYTE);
    expect(performance.eventLoopUtilization(before).utilization).to.be.below(0.5);
  });

  it('bound the work of a query: a megabyte is answered as one', async () => {
    await embedder.embedQuery(fingerprint, MEGABYTE, { deadlineMs: 20_000 });
  });

  it('reject what waits when the embedder stops, and all that comes after', async () => {
    const call = rejection(embedder.embedContent(fingerprint, MEGABYTE), EmbedderCrashed);
    await embedder.stop();
    await call;
    await rejection(embedder.embedQuery(fingerprint, 'x'), EmbedderCrashed);
    expect(embedder.ready()).to.equal(false);
    await embedder.stop();
  });
});
