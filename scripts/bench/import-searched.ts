/**
 * What a visitor of a site notices while it is imported for the first time and outgrows a scan: `node
 * .build/scripts/bench/import-searched.js [--pages 100000] [--name import-searched]`, with a server in DATABASE_URL.
 * `serve` and `pages import --wait` run as an operator runs them; a dead path of the site is asked for each 100 ms. The
 * searches are told by fifths of the time that the import took, and once more when it is over and its indexes are
 * there.
 */
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { keepResults, rounded } from './harness.js';
import { timesOf } from './ingest-floors.js';
import { writeManyPages } from './index-many-pages.js';
import { quantile } from './many-pages.js';
import { ownIndexesBuilt } from './own-indexes-built.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from './service-process.js';
import { throwawayDatabase } from './throwaway-database.js';

const options = new Command('import-searched')
  .option('--pages <n>', 'pages of the site', '100000')
  .option('--name <name>', 'of the results', 'import-searched')
  .parse()
  .opts<{ pages: string; name: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError("Set DATABASE_URL: the embedded database has no indexes of a project's own.");

const PARTS = 5;
const SEARCH_EVERY_MS = 100;
const SECONDS_AFTERWARDS = 20;

const database = await throwawayDatabase(server);
// Each path is asked for again and again, and the index changes all the time: no answer is from a cache.
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url, SEARCH_CACHE_ENTRIES: '0' };

/** How many segments there are whenever it is looked. */
function watchSegments(): { counts: number[]; stop: () => Promise<void> } {
  const client = new pg.Client({ connectionString: database.url });
  const counts: number[] = [];
  const connected = client.connect();
  const timer = setInterval(() => {
    void connected
      .then(() => client.query<{ n: number }>('select count(*)::int as n from pathmend.own_indexes'))
      .then(
        ({ rows }) => counts.push(rows[0]?.n ?? 0),
        () => undefined,
      );
  }, 1_000);
  return {
    counts,
    stop: async () => {
      clearInterval(timer);
      await connected;
      await client.end();
    },
  };
}

const spread = (times: readonly number[]): Record<string, number> => ({
  searches: times.length,
  p50_ms: rounded(quantile(times, 0.5)),
  p95_ms: rounded(quantile(times, 0.95)),
});

try {
  const { file, paths, remove } = await writeManyPages(Number(options.pages), 2_000);
  const key = await createUnlimitedProject('imported', environment);
  const service = await startServiceProcess('all', environment);
  let next = 0;
  const search = async (): Promise<void> => {
    const answer = await fetch(`${service.url}/v1/suggest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ path: paths[next++ % paths.length] }),
    });
    if (!answer.ok) throw new Error(`a search was answered with ${answer.status}`);
    await answer.arrayBuffer();
  };

  const segments = watchSegments();
  const from = performance.now();
  const run = runCommand(['pages', 'import', '--project', 'imported', '--wait', file], environment);
  const during = await timesOf(search, SEARCH_EVERY_MS, run);
  await run;
  const seconds = (performance.now() - from) / 1000;
  await ownIndexesBuilt(database.url);
  const builtAfter = (performance.now() - from) / 1000 - seconds;
  await segments.stop();
  const afterwards = await timesOf(search, SEARCH_EVERY_MS, SECONDS_AFTERWARDS);
  // Searches that take longer are fewer: their times, one after the other, say when each was sent.
  const whole = during.reduce((sum, time) => sum + time + SEARCH_EVERY_MS, 0);
  const parts: number[][] = Array.from({ length: PARTS }, () => []);
  let at = 0;
  for (const time of during) {
    parts[Math.min(PARTS - 1, Math.floor((at / whole) * PARTS))]?.push(time);
    at += time + SEARCH_EVERY_MS;
  }
  await keepResults(options.name, {
    pages: Number(options.pages),
    pages_per_second: rounded(Number(options.pages) / seconds),
    indexes_built_s_afterwards: rounded(builtAfter),
    most_segments: Math.max(0, ...segments.counts),
    searched: {
      ...Object.fromEntries(parts.map((times, i) => [`fifth ${i + 1}`, spread(times)])),
      whole_import: spread(during),
      afterwards: spread(afterwards),
    },
    p95_of_afterwards: rounded(quantile(during, 0.95) / quantile(afterwards, 0.95)),
  });
  await service.stop();
  await remove();
} finally {
  await database.drop();
}
process.exit();
