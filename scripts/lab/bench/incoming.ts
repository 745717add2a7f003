/**
 * Pages that come in with a model that takes long for a passage: what searches notice of it, how fast they are indexed
 * beside the encoder alone on the same texts with all cores, and what an edit of one word in each costs.
 * `node .build/scripts/lab/bench/incoming.js [--pages 1000] [--apart] [--name incoming]`; EMBEDDING_MODEL names a
 * folder, DATABASE_URL a server, else embedded; with `--apart` api and worker are two processes, on a server. A dead
 * path of the site is asked for each 100 ms, each another one.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { packageRoot } from '#src/base/package-root.js';
import { OnnxEmbedder } from '#src/embedding/onnx-embedder.js';
import { cutBeginning } from '#src/pages/indexing/embed-page.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import { keepResults, rounded } from './harness.js';
import { timesOf } from './ingest-floors.js';
import { writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { memoryOf } from '../../service/child.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';

const options = new Command('incoming')
  .option('--pages <n>', 'pages that come in', '1000')
  .option('--apart', 'api and worker in processes of their own')
  .option('--name <name>', 'of the results', 'incoming')
  .parse()
  .opts<{ pages: string; apart?: boolean; name: string }>();

interface Page {
  url: string;
  content: string;
}

const model = process.env['EMBEDDING_MODEL'] ?? join(packageRoot(), 'models', 'pathmend-english-v1');
const server = process.env['DATABASE_URL'] ?? '';
const database = server === '' ? undefined : await throwawayDatabase(server);
const folder = await mkdtemp(join(tmpdir(), 'pathmend-incoming-'));
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  EMBEDDING_MODEL: model,
  DATA_DIR: folder,
  DATABASE_URL: database?.url ?? '',
  SEARCH_CACHE_ENTRIES: '0',
};

/** The texts that a page is embedded as. */
async function textsOf(pages: readonly Page[]): Promise<string[]> {
  const embedder = new OnnxEmbedder({ cacheFolder: folder });
  const { fingerprint } = await embedder.load(model);
  const texts: string[] = [];
  for (const { url, content } of pages) {
    for (const { start, end } of await embedder.split(fingerprint, content)) texts.push(content.slice(start, end));
    texts.push(cutBeginning(content), sanitizePath(new URL(url).pathname).slug.join(' '));
  }
  await embedder.stop();
  return texts;
}

/** Texts a second of the model alone, a thread for each core. */
async function encoderAlone(texts: readonly string[]): Promise<number> {
  const cores = availableParallelism();
  const threads = Array.from({ length: cores }, (_, core) => {
    const own = texts.filter((_text, at) => at % cores === core);
    return new Worker(new URL('./encoder-thread.js', import.meta.url), { workerData: { folder: model, texts: own } });
  });
  const heard = async (): Promise<unknown[]> =>
    Promise.all(threads.map((thread) => new Promise((done) => thread.once('message', done))));
  await heard();
  const answers = heard();
  for (const thread of threads) thread.postMessage('go');
  const rates = (await answers) as number[];
  await Promise.all(threads.map((thread) => thread.terminate()));
  return rates.reduce((sum, rate) => sum + rate, 0);
}

const spread = (times: readonly number[]): Record<string, number> => ({
  searches: times.length,
  p50_ms: rounded(quantile(times, 0.5)),
  p95_ms: rounded(quantile(times, 0.95)),
});

const { file, paths, remove } = await writeManyPages(Number(options.pages), 20_000);
const pages = (await readFile(file, 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Page);
await remove();
const sample = await textsOf(pages.slice(0, 150));
const api = await startServiceProcess(options.apart ? 'api' : 'all', environment);
const worker = options.apart ? await startServiceProcess('worker', environment) : undefined;
const key = await createUnlimitedProject('incoming', environment);

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(api.url + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function push(some: readonly Page[]): Promise<void> {
  for (let at = 0; at < some.length; at += 100)
    await call('POST', '/v1/pages/batch', { pages: some.slice(at, at + 100) });
  const waits = async (status: string): Promise<boolean> =>
    ((await call('GET', `/v1/pages?status=${status}&limit=1`)) as { pages: unknown[] }).pages.length > 0;
  while ((await waits('PENDING_VECTORIZATION')) || (await waits('PROCESSING'))) await pause(250);
}

let next = 0;
const search = (): Promise<unknown> => call('POST', '/v1/suggest', { path: paths[next++ % paths.length] });
async function timed(work: Promise<void>): Promise<{ times: number[]; perMinute: number }> {
  const from = performance.now();
  const times = await timesOf(search, 100, work);
  await work;
  return { times, perMinute: (pages.length * 60_000) / (performance.now() - from) };
}

try {
  const first = pages.slice(0, 50);
  await push(first);
  await timesOf(search, 50, 3);
  const alone = await timesOf(search, 100, 15);
  const textsPerPage = sample.length / 150;
  const encoder = (60 * (await encoderAlone(sample))) / textsPerPage;
  const during = await timed(push(pages));
  const afterwards = await timesOf(search, 100, 10);
  const quiet = performance.now();
  const again = pages.map(({ url, content }) => ({ url, content: content.replace(/\b[a-z]{5,}\b/, 'unquestionably') }));
  await push(again);
  const edited = (pages.length * 60_000) / (performance.now() - quiet);
  const apart = options.apart ? '-apart' : '';
  await keepResults(`${options.name}-${basename(model)}-${database ? 'server' : 'embedded'}${apart}`, {
    pages: pages.length,
    texts_per_page: rounded(textsPerPage),
    pages_per_minute: {
      encoder_alone: { pages: rounded(encoder) },
      searched_meanwhile: { pages: rounded(during.perMinute), of_encoder: rounded(during.perMinute / encoder) },
      one_word_changed_in_each: { pages: rounded(edited), of_encoder: rounded(edited / encoder) },
    },
    searches: { alone: spread(alone), while_pages_come_in: spread(during.times), afterwards: spread(afterwards) },
    p95_of_alone: rounded(quantile(during.times, 0.95) / quantile([...alone, ...afterwards], 0.95)),
    memory: { api: await memoryOf(api.pid), ...(worker ? { worker: await memoryOf(worker.pid) } : {}) },
  });
} finally {
  await worker?.stop();
  await api.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
