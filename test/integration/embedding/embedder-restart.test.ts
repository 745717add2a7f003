import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import type { Embedder, LoadedModel } from '#src/embedding/embedder.js';
import { EmbedderCrashed, EmbedderTimeout, ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { buildTinyModel, type TinyModel } from '../../support/tiny-model.js';
import { until } from '../../support/until.js';
import { rejection } from './rejection.js';

describe('an embedding thread that fails', () => {
  /** Loading it takes little, and each test does it some times. */
  let tiny: TinyModel;
  let embedder: Embedder;
  let model: LoadedModel;
  let faults: string[];

  before(async () => {
    tiny = await buildTinyModel();
  });

  after(() => rm(tiny.folder, { recursive: true }));

  beforeEach(async () => {
    faults = [];
    embedder = new EmbedderPool({
      pageThreads: 1,
      cacheFolder: '/nonexistent',
      threadUrl: new URL('./faulty-thread.js', import.meta.url),
      hungAfterMs: 500,
      onFault: (fault) => faults.push(fault),
    });
    model = await embedder.load(tiny.folder);
  });

  afterEach(() => embedder.stop());

  for (const [way, reason] of [
    ['exit', /exited with code: 7/],
    ['throw', /thrown as asked/],
  ] as const) {
    it(`by ${way} is replaced: its calls are rejected as retriable, later ones wait and are served`, async () => {
      const before = await embedder.embedQuery(model.fingerprint, 'opening hours');
      const lost = await rejection(embedder.embedQuery(model.fingerprint, `${way}, please`), EmbedderCrashed);
      expect(lost.message).to.match(reason);
      expect(embedder.ready()).to.equal(false);
      expect(await embedder.embedQuery(model.fingerprint, 'opening hours')).to.deep.equal(before);
      await until('it is ready', () => embedder.ready());
      expect(embedder.stats().restarts).to.equal(1);
      expect(faults).to.have.length(1);
    });
  }

  it('keeps what waits for it, and every model comes back', async () => {
    const bundled = await embedder.load('static');
    const lost = rejection(embedder.embedQuery(model.fingerprint, 'exit, please'), EmbedderCrashed);
    const page = embedder.embedContent(bundled.fingerprint, 'A page. '.repeat(50_000));
    await lost;
    expect((await page).length).to.be.above(100);
    await Promise.all(
      [model, bundled].map(({ fingerprint }) => embedder.embedQuery(fingerprint, 'again', { deadlineMs: 30_000 })),
    );
  });

  it('by hanging is replaced after a missed deadline', async () => {
    await rejection(embedder.embedQuery(model.fingerprint, 'hang, please', { deadlineMs: 20 }), EmbedderTimeout);
    // The next thread answers what waits behind it.
    await embedder.embedQuery(model.fingerprint, 'behind it', { deadlineMs: 30_000 });
    await embedder.embedQuery(model.fingerprint, 'again');
    expect(faults.join()).to.match(/exited with code: 1/);
  });

  it('is replaced time after time', async () => {
    for (let round = 1; round <= 3; round += 1) {
      await rejection(embedder.embedQuery(model.fingerprint, 'exit, please'), EmbedderCrashed);
      await embedder.embedQuery(model.fingerprint, 'again');
      expect(embedder.stats().restarts).to.equal(round);
    }
  });

  it('leaves the other models working when one cannot be loaded again', async () => {
    const { folder } = await buildTinyModel({ seed: 2 });
    const other = await embedder.load(folder);
    await rm(folder, { recursive: true });
    await rejection(embedder.embedQuery(model.fingerprint, 'exit, please'), EmbedderCrashed);
    await embedder.embedQuery(model.fingerprint, 'again');
    await rejection(embedder.embedQuery(other.fingerprint, 'again'), ModelUnavailable);
    expect(faults.at(-1)).to.include(folder);
  });

  it('does not outlive stop, not even while it hangs', async () => {
    const hung = rejection(embedder.embedQuery(model.fingerprint, 'hang, please'), EmbedderCrashed);
    await embedder.stop();
    await hung;
  });
});
