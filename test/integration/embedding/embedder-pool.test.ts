import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { EmbedderCrashed } from '#src/embedding/embedder-errors.js';
import type { ContentOptions } from '#src/embedding/embedder.js';
import { hashText } from '#src/embedding/embedder.js';
import { readManifest } from '#src/embedding/model-manifest.js';
import { OnnxModel } from '#src/embedding/onnx-model.js';
import { until } from '../../support/until.js';
import { rejection } from './rejection.js';

const ENGLISH = join(packageRoot(), 'models', 'pathmend-english-v1');
const PAGE = Array.from(
  { length: 30 },
  (_, n) =>
    `## Part ${n}\n\nIn part ${n} the gardener waters quinces, beans and roses. ${'They grow well. '.repeat(30)}`,
).join('\n\n');

describe('the pool of embedding threads', function () {
  this.timeout(60_000);
  let pool: EmbedderPool;
  let fingerprint: string;

  async function open(options: { threadUrl?: URL; pageThreads?: number } = {}): Promise<void> {
    pool = new EmbedderPool({ cacheFolder: '/nonexistent', pageThreads: 2, onFault: () => undefined, ...options });
    ({ fingerprint } = await pool.load(ENGLISH));
  }

  afterEach(() => pool.stop());

  it('answers queries while a thread that embeds a page does not answer at all', async () => {
    await open({ threadUrl: new URL('./faulty-thread.js', import.meta.url) });
    const stuck = rejection(pool.embedContent(fingerprint, 'hang, please', { deadlineMs: 60_000 }), EmbedderCrashed);
    await pause(1_500);
    for (let n = 0; n < 5; n += 1) await pool.embedQuery(fingerprint, `question ${n}`, { deadlineMs: 1_000 });
    await pool.stop();
    await stuck;
  });

  it('gives a page the passages and vectors that the model alone gives it', async () => {
    await open();
    const manifest = await readManifest(ENGLISH);
    if (!manifest) throw new Error('no manifest');
    const alone = await OnnxModel.open(ENGLISH, manifest);
    const passages = await pool.embedContent(fingerprint, PAGE);
    expect(passages.length).to.be.above(10);
    for (const { start, end, vector } of passages)
      expect(vector).to.deep.equal(await alone.embed('passage', PAGE.slice(start, end)));
    await alone.dispose();
    expect(await pool.embedContent(fingerprint, ' \n ')).to.deep.equal([]);
  });

  it('embeds no passage whose vector is known, and equal ones once', async () => {
    await open();
    const mine = new Float32Array([1, 2, 3]);
    const requestedTexts: string[] = [];
    const known: ContentOptions['known'] = (texts) => {
      requestedTexts.push(...texts);
      return Promise.resolve(texts.map((text) => (text.includes('Part 0') ? mine : undefined)));
    };
    const passages = await pool.embedContent(fingerprint, PAGE, { known });
    expect(requestedTexts).to.deep.equal(passages.map(({ start, end }) => PAGE.slice(start, end)));
    expect(passages[0]?.vector).to.equal(mine);
    expect(pool.stats().passages).to.equal(passages.length - 1);
    await pool.embedContent(fingerprint, PAGE, { known });
    expect(pool.stats().passages, 'embedded lately').to.equal(passages.length - 1);
  });

  it('embeds no passage whose vector it was given, and starts no thread of pages where all were', async () => {
    await open({ threadUrl: new URL('./faulty-thread.js', import.meta.url) });
    const knownVectors = ['We open at nine.', 'hang, please'].map(
      (text, n) => [hashText(text), new Float32Array([n])] as const,
    );
    pool.keep(fingerprint, new Map(knownVectors));
    const [open_, hang] = await Promise.all(
      ['We open at nine.', 'hang, please'].map((text) => pool.embedContent(fingerprint, text)),
    );
    expect([open_?.[0]?.vector, hang?.[0]?.vector]).to.deep.equal(knownVectors.map(([, vector]) => vector));
    expect(pool.stats().passages).to.equal(0);
  });

  it('embeds equal queries once, and leaves the caller who waits when another one goes', async () => {
    await open();
    const gone = new AbortController();
    const left = rejection(pool.embedQuery(fingerprint, 'opening hours', { signal: gone.signal }), RangeError);
    const stayed = pool.embedQuery(fingerprint, 'opening hours');
    gone.abort(new RangeError('no longer wanted'));
    await left;
    expect(await pool.embedQuery(fingerprint, 'opening hours')).to.deep.equal(await stayed);
    expect(pool.stats().queries).to.equal(1);
  });

  it('embeds pages of a quick model where queries are, in one thread', async () => {
    await open();
    const quick = await pool.load('static');
    const [passage] = await pool.embedContent(quick.fingerprint, 'We open at nine.', {
      known: () => Promise.reject(new Error('asked')),
    });
    expect(passage?.vector).to.have.length(quick.manifest.dimensions);
  });

  it('embeds passages in the thread of queries while there are no queries, and only then', async () => {
    await open({ threadUrl: new URL('./faulty-thread.js', import.meta.url), pageThreads: 1 });
    // The one thread of pages is busy.
    const stuck = rejection(pool.embedContent(fingerprint, 'hang, please', { deadlineMs: 60_000 }), EmbedderCrashed);
    const outcome = (page: Promise<unknown>): Promise<string> =>
      Promise.race([page.then(() => 'embedded'), pause(1_500).then(() => 'waits')]);
    expect(await outcome(pool.embedContent(fingerprint, 'We open at nine.'))).to.equal('embedded');
    // One after the other: how long a rest is depends on the machine.
    const enough = new AbortController();
    const questions = (async () => {
      for (let n = 0; !enough.signal.aborted; n++) await pool.embedQuery(fingerprint, `question ${n}`);
    })();
    await pool.embedQuery(fingerprint, 'the first question');
    const page = pool.embedContent(fingerprint, 'We close at six.').catch(() => undefined);
    expect(await outcome(page)).to.equal('waits');
    enough.abort();
    await questions;
    // Not after its deadline: nobody waits for that here.
    await pool.stop();
    await stuck;
  });

  it('rejects what waits when it stops, and all that comes after', async () => {
    await open();
    const pages = ['quinces', 'pears', 'plums'].map((word) =>
      rejection(pool.embedContent(fingerprint, PAGE.replaceAll('quinces', word)), EmbedderCrashed),
    );
    await until('passages wait', () => pool.stats().waiting > 2);
    await pool.stop();
    await Promise.all(pages);
    await rejection(pool.embedContent(fingerprint, 'We open at nine.'), EmbedderCrashed);
    expect(pool.stats().waiting).to.equal(0);
  });

  it('goes on with other threads when one for pages dies', async () => {
    await open({ threadUrl: new URL('./faulty-thread.js', import.meta.url) });
    await rejection(pool.embedContent(fingerprint, 'exit, please'), EmbedderCrashed);
    await until('a page is embedded again', () =>
      pool.embedContent(fingerprint, 'We open at nine.').then(
        () => true,
        () => false,
      ),
    );
    expect(pool.stats().restarts).to.equal(1);
  });

  it('embeds what waits for the only thread for pages when that one dies', async () => {
    await open({ threadUrl: new URL('./faulty-thread.js', import.meta.url), pageThreads: 1 });
    const lost = rejection(pool.embedContent(fingerprint, 'exit, please'), EmbedderCrashed);
    const waiting = ['quinces', 'pears', 'plums'].map((word) => pool.embedContent(fingerprint, word));
    await lost;
    for (const page of await Promise.all(waiting)) expect(page).to.have.length(1);
    expect(pool.stats().restarts).to.equal(1);
  });
});
