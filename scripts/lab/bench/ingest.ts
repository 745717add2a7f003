/**
 * Measures how fast pages are taken and indexed, in comparison with floors, and how slow searches are meanwhile: `node
 * .build/scripts/lab/bench/ingest.js [--pages 2000] [--rounds 3] [--seconds 5] [--name ingest]`; DATABASE_URL names a
 * server, else embedded, and EMBEDDING_MODEL another model than `static`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { indexManyPages, indexPagesFile, writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { jsonHeaders, keepResults, readOptions, share, takeTurns, type Figures } from '../harness.js';
import { allIndexed, embedPages, insertFloor, readPages, timesOf, upsertLoad } from './ingest-floors.js';

const { pages, rounds, seconds, name } = readOptions({
  pages: [2000, 'pages of each round'],
  rounds: [3, 'rounds of each'],
  seconds: [5, 'seconds of each load'],
  name: ['ingest', 'of the results'],
});
const CONNECTIONS = 16;
const UPSERTS_PER_SECOND = 50;

const EMBEDDING_MODEL = process.env['EMBEDDING_MODEL'] ?? 'static';
const { service, stop } = await startThrowawayService({ ...process.env, EMBEDDING_MODEL, SEARCH_CACHE_ENTRIES: '0' });
const { file, paths, remove } = await writeManyPages(pages, 300);
const { key } = await indexManyPages(service, 500, 1);
const headers = jsonHeaders(key);

async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}
let next = 0;
const search = (): Promise<unknown> => post('/v1/suggest', { path: paths[next++ % paths.length] });

// 1. From an upsert to its 202, in comparison with a plain INSERT of the same rows.
const upserts = await takeTurns(
  {
    floor: () => insertFloor(service, CONNECTIONS, seconds),
    ours: () => upsertLoad(service, CONNECTIONS, seconds),
  },
  rounds,
);

// The upserted pages are indexed before anything else is measured.
await allIndexed(service);

// 2. From a file of pages to all INDEXED, in comparison with embedding the same pages and nothing else; and with a
// search each 100 ms, which shows what visitors notice.
const contents = await readPages(file);
const idle = await timesOf(search, 100, Math.max(2, seconds));
const during: number[] = [];
/** Pages per second from the first line of the file to the last page's INDEXED. */
const index = async (): Promise<number> => pages / (await indexPagesFile(service, 'many', file)).seconds;
const indexing = await takeTurns(
  {
    floor: () => embedPages(service, EMBEDDING_MODEL, contents),
    ours: async (): Promise<Figures> => {
      await pause(2_000);
      return { per_second: await index() };
    },
    ours_searched: async (): Promise<Figures> => {
      const run = index();
      during.push(...(await timesOf(search, 100, run)));
      return { per_second: await run };
    },
  },
  Math.min(rounds, pages > 20_000 ? 1 : rounds),
);

// 3. From an upsert to the first search that finds the page.
let made = 0;
async function toSearchable(): Promise<number> {
  // The word has letters only: an identifier would not count as a word of a path.
  const word = `lantern${[...String(made++)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}q`;
  const sentAt = performance.now();
  await post('/v1/pages/upsert', {
    url: `https://bench.example/${word}`,
    content: `The ${word} is a page about ${word}.`,
  });
  for (;;) {
    const answer = (await post('/v1/suggest', { path: `/${word}`, options: { searchThreshold: 0.5 } })) as {
      suggestions: { url: string }[];
    };
    if (answer.suggestions.some(({ url }) => url === `/${word}`)) return performance.now() - sentAt;
    await pause(10);
  }
}
async function toSearchableTimes(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 30; i++) times.push(await toSearchable());
  return times;
}
/** Measures the same while other requests upsert and search. */
async function toSearchableUnderLoad(): Promise<number[]> {
  const loaded = new AbortController();
  const sent: Promise<unknown>[] = [];
  const load = (async () => {
    for (let i = 0; !loaded.signal.aborted; i++) {
      const content = contents[i % contents.length] ?? '';
      sent.push(
        post('/v1/pages/upsert', { url: `https://bench.example/load/${i}`, content: `${i} ${content}` }),
        ...(i % 5 === 0 ? [search()] : []),
      );
      await pause(1000 / UPSERTS_PER_SECOND);
    }
  })();
  await pause(2000);
  const times = await toSearchableTimes();
  loaded.abort();
  await load;
  await Promise.all(sent);
  return times;
}

const spread = (times: readonly number[]): Figures => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95) });
const searchable = {
  idle: spread(await toSearchableTimes()),
  under_load: { upserts_per_second: UPSERTS_PER_SECOND, ...spread(await toSearchableUnderLoad()) },
};
await keepResults(`${name}-${service.database.isEmbedded ? 'embedded' : 'server'}`, {
  pages,
  upserts_to_202: { connections: CONNECTIONS, ...upserts, of_floor: share(upserts, 'per_second', 'ours', 'floor') },
  pages_to_indexed: { ...indexing, of_floor: share(indexing, 'per_second', 'ours', 'floor') },
  search_ms: { idle: spread(idle), while_indexing: spread(during) },
  upsert_to_searchable_ms: searchable,
});
await remove();
await stop();
process.exit();
