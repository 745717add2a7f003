/**
 * How fast pages are taken and indexed, and what searches notice of it, beside floors: `node
 * .build/scripts/lab/bench/ingest.js [--pages 2000] [--rounds 3] [--seconds 5] [--no-upserts] [--name ingest]`;
 * DATABASE_URL names a server, else embedded, and EMBEDDING_MODEL another model than the default one: with a slow one,
 * leave out the upserts, which would wait for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { keepResults, rounded, takeTurns, type Figures } from './harness.js';
import { embedPages, indexPages, readPages, roundedAll, timesOf } from './ingest-floors.js';
import { insertFloor, upsertLoad } from './ingest-upserts.js';
import { indexManyPages, writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';

const options = new Command('ingest')
  .option('--pages <n>', 'pages of each round', '2000')
  .option('--rounds <n>', 'rounds of each', '3')
  .option('--seconds <n>', 'seconds of each load', '5')
  .option('--no-upserts', 'how fast pages are indexed, and nothing else')
  .option('--name <name>', 'of the results', 'ingest')
  .parse()
  .opts<{ pages: string; rounds: string; seconds: string; upserts: boolean; name: string }>();
const [pages, rounds, seconds] = [Number(options.pages), Number(options.rounds), Number(options.seconds)];
const CONNECTIONS = 16;
const UPSERTS_PER_SECOND = 50;

const { service, stop } = await startThrowawayService({ ...process.env, SEARCH_CACHE_ENTRIES: '0' });
const { file, paths, remove } = await writeManyPages(pages, 300);
const { key } = await indexManyPages(service, 500, 1);
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };

let highest = 0;
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);
async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}
let next = 0;
const search = (): Promise<unknown> => post('/v1/suggest', { path: paths[next++ % paths.length] });

// 1. To 202, beside a plain INSERT of the same rows.
const upserts = !options.upserts
  ? {}
  : await takeTurns(
      {
        floor: () => insertFloor(service, CONNECTIONS, seconds),
        ours: () => upsertLoad(service, CONNECTIONS, seconds),
      },
      rounds,
    );

// What was upserted is indexed before anything else is measured.
const waiting = `select exists (select from pathmend.pages where status in ('PENDING_VECTORIZATION', 'PROCESSING')) as any`;
while ((await service.database.connection.pool.query<{ any: boolean }>(waiting)).rows[0]?.any) await pause(200);

// 2. To INDEXED, beside embedding the same pages and nothing else; and with a search each 100 ms, which shows what
// visitors notice.
const contents = await readPages(file);
const idle = await timesOf(search, 100, Math.max(2, seconds));
const during: number[] = [];
const indexing = await takeTurns(
  {
    floor: () => embedPages(service, contents),
    ours: async (): Promise<Figures> => {
      await pause(2_000);
      return { per_second: await indexPages(service, file, pages) };
    },
    ours_searched: async (): Promise<Figures> => {
      const run = indexPages(service, file, pages);
      during.push(...(await timesOf(search, 100, run)));
      return { per_second: await run };
    },
  },
  Math.min(rounds, pages > 20_000 ? 1 : rounds),
);

// 3. From an upsert to the first search that finds the page.
let made = 0;
async function toSearchable(): Promise<number> {
  // Letters only: what looks like an identifier is no word of a path.
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
/** The same while others upsert and search. */
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

const share = (of: Record<string, Figures>): number =>
  rounded((of['ours']?.['per_second'] ?? 0) / (of['floor']?.['per_second'] ?? 1));
const spread = (times: readonly number[]): Figures => ({
  p50: rounded(quantile(times, 0.5)),
  p95: rounded(quantile(times, 0.95)),
});
const searchable = options.upserts
  ? {
      idle: spread(await toSearchableTimes()),
      under_load: { upserts_per_second: UPSERTS_PER_SECOND, ...spread(await toSearchableUnderLoad()) },
    }
  : undefined;
clearInterval(watch);
await keepResults(`${options.name}-${service.database.isEmbedded ? 'embedded' : 'server'}`, {
  pages,
  ...(options.upserts
    ? { upserts_to_202: { connections: CONNECTIONS, ...roundedAll(upserts), of_floor: share(upserts) } }
    : {}),
  pages_to_indexed: { ...roundedAll(indexing), of_floor: share(indexing) },
  search_ms: { idle: spread(idle), while_indexing: spread(during) },
  ...(searchable ? { upsert_to_searchable_ms: searchable } : {}),
  highest_rss_mb: Math.round(highest / 1e6),
});
await remove();
await stop();
process.exit();
