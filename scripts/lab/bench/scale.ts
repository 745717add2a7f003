/**
 * Measures searches as a project grows, and as its neighbours do: `node .build/scripts/lab/bench/scale.js [--sizes
 * 1000,10000,…] [--tenants 1000] [--cases 100]`; DATABASE_URL names a server. For each number of chunks: recall@10
 * against a scan of everything, latency over HTTP without a cache, and the disk that the indexes take. Then the same
 * for one of many equal tenants, and for the largest project after these have come. The embedding is the same in all.
 */
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { createEmptyProject } from '../../eval/index-site.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import { generate, jsonHeaders, keepResults, readOptions, tell } from '../harness.js';
import { makeCases } from './scale/cases.js';
import { growProject } from './scale/grow.js';
import { recallOf } from './scale/recall.js';

const options = readOptions({
  sizes: ['1000,10000,100000,1000000', 'passages of the one project'],
  tenants: [1000, 'tenants of a thousand passages each'],
  cases: [100, 'questions and dead paths asked'],
  base: [5000, 'pages that are really embedded; the others are made of them'],
  name: ['scale', 'of the results'],
});
const OWN_INDEX_PASSAGES = 20_000;

const { service, stop } = await startThrowawayService({
  ...process.env,
  SEARCH_CACHE_ENTRIES: '0',
  OWN_INDEX_PASSAGES: '0',
});
const { pool } = service.database.connection;
const { projectId: base } = await indexManyPages(service, options.base, 1);

async function makeProject(name: string, passages: number): Promise<{ projectId: string; key: string }> {
  const project = await createEmptyProject(service, name);
  await growProject(pool, base, project.projectId, passages);
  return project;
}

async function analyze(): Promise<void> {
  for (const table of ['pages', 'indexed_pages', 'chunks', 'page_terms', 'vocabulary'])
    await pool.query(`vacuum (analyze) pathmend.${table}`);
}

async function latency(
  key: string,
  bodies: string[],
  route: string,
  connections: number,
): Promise<Record<string, number>> {
  const load = { url: `${service.url}/v1/${route}`, headers: jsonHeaders(key), bodies, connections };
  await generate({ ...load, seconds: 3 });
  const { p50, p95, perSecond, failed } = await generate({ ...load, seconds: 6 });
  return { p50_ms: p50, p95_ms: p95, per_second: perSecond, failed };
}

const results: Record<string, unknown> = {};
async function measure(what: string, projectId: string, key: string, more: object = {}): Promise<void> {
  const cases = await makeCases(pool, projectId, options.cases);
  const questions = cases.map(({ question }) => JSON.stringify({ query: question }));
  const paths = cases.map(({ path }) => JSON.stringify({ path }));
  results[what] = {
    recall: await recallOf(service, projectId, cases),
    semantic_search: await latency(key, questions, 'semantic-search', 1),
    suggest: await latency(key, paths, 'suggest', 1),
    semantic_search_16: await latency(key, questions, 'semantic-search', 16),
    suggest_16: await latency(key, paths, 'suggest', 16),
    ...more,
  };
  tell(`${what}: ${JSON.stringify(results[what])}`);
}

async function indexSizes(projectId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ what: string; rows_bytes: string; bytes: string }>(
    `select split_part(relname, '_', 1) as what, pg_table_size(oid) as rows_bytes, pg_indexes_size(oid) as bytes from pg_class
      where relnamespace = 'pathmend_segments'::regnamespace and relkind = 'r' and strpos(relname, $1) > 0`,
    [`_${projectId.replaceAll('-', '')}_`],
  );
  return Object.fromEntries(
    rows.flatMap(({ what, rows_bytes, bytes }) => [
      [what, Number(bytes) / 1e6],
      [`${what}_rows`, Number(rows_bytes) / 1e6],
    ]),
  );
}

let largest = { projectId: '', key: '', size: 0 };
for (const size of options.sizes.split(',').map(Number)) {
  const { projectId, key } = await makeProject(`size ${size}`, size);
  await analyze();
  const from = performance.now();
  const hasOwnIndexes = size >= OWN_INDEX_PASSAGES;
  const deps = { ...service.deps, dbWithSession: service.database.direct.db, ownIndexChunks: OWN_INDEX_PASSAGES };
  if (hasOwnIndexes) await updateOwnIndexes(deps, projectId);
  const buildSeconds = (performance.now() - from) / 1000;
  if (size > largest.size) largest = { projectId, key, size };
  const disk = hasOwnIndexes ? { build_s: buildSeconds, index_mb: await indexSizes(projectId) } : {};
  await measure(String(size), projectId, key, disk);
}
const { tenants } = options;
if (tenants > 0) {
  let tenant = { projectId: '', key: '' };
  for (let i = 0; i < tenants; i++) tenant = await makeProject(`tenant ${i}`, 1_000);
  await analyze();
  await measure(`one of ${tenants} tenants`, tenant.projectId, tenant.key);
  // Pages that came to other projects since must not slow a large one down.
  await service.deps.ownIndexes.refresh();
  await measure(`${largest.size}, ${tenants} tenants later`, largest.projectId, largest.key);
}
await keepResults(options.name, { by_passages: results });
await stop();
process.exit();
