/**
 * Measures how soon pages of a site are found, understood and INDEXED, and what searches notice of it: `node
 * .build/scripts/lab/bench/found.js --site DIR [--pages 600]`; DATABASE_URL names a server, else embedded, and
 * EMBEDDING_MODEL another model than `english`. All pages are pushed at once, and one page alone after each second.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readIndexState } from '#src/pages/store/page-counts.js';
import { createEmptyProject } from '../../eval/index-site.js';
import { readPages } from '../../eval/site-data.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { quantile } from '../../service/many-pages.js';
import { jsonHeaders, keepResults, readOptions } from '../harness.js';
import { timesOf } from './ingest-floors.js';

const { site, pages: most } = readOptions({ site: ['', 'folder of the site'], pages: [600, 'pages'] });
const EMBEDDING_MODEL = process.env['EMBEDDING_MODEL'] ?? 'english';
const { service, stop } = await startThrowawayService({ ...process.env, EMBEDDING_MODEL, SEARCH_CACHE_ENTRIES: '0' });
const pages = (await readPages(join(site, 'pages.jsonl'))).slice(0, most);
const { projectId, key } = await createEmptyProject(service, 'found');
const other = await createEmptyProject(service, 'searched');

async function post(path: string, body: object, of = key): Promise<{ suggestions: { url: string }[] }> {
  const init = { method: 'POST', headers: jsonHeaders(of), body: JSON.stringify(body) };
  const answer = await fetch(service.url + path, init);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as { suggestions: { url: string }[] };
}
async function push(to: string, some: typeof pages): Promise<void> {
  for (let at = 0; at < some.length; at += 100)
    await post(
      '/v1/pages/batch',
      { pages: some.slice(at, at + 100).map(({ url, title, content }) => ({ url, title, content })) },
      to,
    );
}
const stateOf = (id: string) => readIndexState(service.db, id);

// Another project is searched, before and meanwhile.
const searched = pages.slice(0, 100);
await push(other.key, searched);
while ((await stateOf(other.projectId)).waiting > 0) await pause(100);
let next = 0;
const search = (): Promise<unknown> =>
  post('/v1/suggest', { path: `${searched[next++ % searched.length]?.path ?? ''}x` }, other.key);
const idle = await timesOf(search, 100, 5);

const startedAt = performance.now();
const seconds = (): number => (performance.now() - startedAt) / 1000;
const reached: Record<string, number> = {};
const single: number[] = [];
await push(key, pages);
const indexing = (async () => {
  for (;;) {
    const { searchable, understood, waiting } = await stateOf(projectId);
    if (searchable >= 0.95 * pages.length) reached['found_95'] ??= seconds();
    if (searchable >= pages.length) reached['found'] ??= seconds();
    if (understood >= pages.length) reached['understood'] ??= seconds();
    if (reached['understood'] !== undefined && waiting === 0) return (reached['indexed'] = seconds());
    await pause(50);
  }
})();
/** Seconds from the upsert of one page until its path finds it. */
async function findOne(at: number): Promise<number> {
  // Letters only: what looks like an identifier is no word of a path.
  const word = `lantern${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}q`;
  const sentAt = performance.now();
  await post('/v1/pages/upsert', { url: `https://bench.example/${word}`, content: `All about the ${word}.` });
  while ((await post('/v1/suggest', { path: `/${word}s` })).suggestions[0]?.url !== `/${word}`) await pause(10);
  return (performance.now() - sentAt) / 1000;
}
const singles = (async () => {
  for (let at = 0; reached['understood'] === undefined; at++) {
    single.push(await findOne(at));
    await pause(1_000);
  }
})();
const meanwhile = await timesOf(search, 100, indexing);
await singles;
const spread = (times: readonly number[]) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95) });
await keepResults(`found-${service.database.isEmbedded ? 'embedded' : 'server'}`, {
  pages: pages.length,
  seconds: reached,
  single_found_s: { n: single.length, ...spread(single), max: Math.max(...single) },
  search_ms: { idle: spread(idle), while_indexing: spread(meanwhile) },
});
await stop();
process.exit();
