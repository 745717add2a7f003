/**
 * How search grows with a project and with its neighbours: `node .build/scripts/lab/bench/scale.js [--sizes
 * 1000,10000,…] [--tenants 1000] [--cases 100]`; DATABASE_URL names a server. For each number of passages: recall@10
 * against a scan of everything, latency over HTTP without a cache, filters at four selectivities against all pages
 * filtered by hand, and the disk that the indexes take. Then the same for one of many equal tenants, and for the
 * largest once they have come. Beside it all, the embedding is the same.
 */
import { Command } from 'commander';
import { insertProject } from '#src/projects/store/projects.js';
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { createKey } from '#src/projects/keys.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { generate, keepResults, rounded } from './harness.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import { makeCases } from './scale/cases.js';
import { growProject } from './scale/grow.js';
import { filteredExactly, recallOf } from './scale/recall.js';

const options = new Command('scale')
  .option('--sizes <list>', 'passages of the one project', '1000,10000,100000,1000000')
  .option('--tenants <n>', 'tenants of a thousand passages each', '1000')
  .option('--cases <n>', 'questions and dead paths asked', '100')
  .option('--base <n>', 'pages that are really embedded; the others are made of them', '5000')
  .option('--name <name>', 'of the results', 'scale')
  .parse()
  .opts<{ sizes: string; tenants: string; cases: string; base: string; name: string }>();
const OWN_INDEX_PASSAGES = 20_000;
const NO_LIMIT = { read_rate: 1e6, read_burst: 1e6, write_rate: 1e6, write_burst: 1e6 };
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const { service, stop } = await startThrowawayService({
  ...process.env,
  SEARCH_CACHE_ENTRIES: '0',
  OWN_INDEX_PASSAGES: '0',
});
const { pool } = service.database.connection;
const { projectId: base } = await indexManyPages(service, Number(options.base), 1);

async function makeProject(name: string, passages: number): Promise<{ projectId: string; key: string }> {
  const project = await insertProject(service.db, { name, plan: 'enterprise', ...NO_LIMIT });
  if (!project) throw new Error(`the project ${name} could not be made`);
  await growProject(pool, base, project.project_id, passages);
  const { key } = await createKey(service.db, {
    projectId: project.project_id,
    mode: 'live',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  return { projectId: project.project_id, key };
}

async function analyze(): Promise<void> {
  for (const table of ['pages', 'indexed_pages', 'passages', 'page_terms', 'vocabulary'])
    await pool.query(`vacuum (analyze) pathmend.${table}`);
}

async function latency(
  key: string,
  bodies: string[],
  route: string,
  connections: number,
): Promise<Record<string, number>> {
  const load = {
    url: `${service.url}/v1/${route}`,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    bodies,
    connections,
  };
  await generate({ ...load, seconds: 3 });
  const { p50, p95, perSecond, failed } = await generate({ ...load, seconds: 6 });
  return { p50_ms: rounded(p50), p95_ms: rounded(p95), per_second: rounded(perSecond), failed };
}

async function measure(projectId: string, key: string): Promise<Record<string, unknown>> {
  const cases = await makeCases(pool, projectId, Number(options.cases));
  const questions = cases.map(({ question }) => JSON.stringify({ query: question }));
  const paths = cases.map(({ path }) => JSON.stringify({ path }));
  return {
    recall: await recallOf(service, projectId, cases),
    semantic_search: await latency(key, questions, 'semantic-search', 1),
    suggest: await latency(key, paths, 'suggest', 1),
    semantic_search_16: await latency(key, questions, 'semantic-search', 16),
    suggest_16: await latency(key, paths, 'suggest', 16),
  };
}

async function indexSizes(projectId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ what: string; rows_bytes: string; bytes: string }>(
    `select split_part(relname, '_', 1) as what, pg_table_size(oid) as rows_bytes, pg_indexes_size(oid) as bytes from pg_class
      where relnamespace = 'pathmend_segments'::regnamespace and relkind = 'r' and strpos(relname, $1) > 0`,
    [`_${projectId.replaceAll('-', '')}_`],
  );
  return Object.fromEntries(
    rows.flatMap(({ what, rows_bytes, bytes }) => [
      [what, rounded(Number(bytes) / 1e6)],
      [`${what}_rows`, rounded(Number(rows_bytes) / 1e6)],
    ]),
  );
}

const results: Record<string, unknown> = {};
let largest = { projectId: '', key: '', size: 0 };
for (const size of options.sizes.split(',').map(Number)) {
  const { projectId, key } = await makeProject(`size ${size}`, size);
  await analyze();
  const from = performance.now();
  if (size >= OWN_INDEX_PASSAGES)
    await updateOwnIndexes(
      {
        ...service.deps,
        dbWithSession: service.database.direct.db,
        ownIndexPassages: OWN_INDEX_PASSAGES,
      },
      projectId,
    );
  const buildSeconds = rounded((performance.now() - from) / 1000);
  if (size > largest.size) largest = { projectId, key, size };
  say(`${size} passages: made, indexes in ${buildSeconds} s`);
  results[size] = {
    ...(await measure(projectId, key)),
    ...(size >= OWN_INDEX_PASSAGES ? { build_s: buildSeconds, index_mb: await indexSizes(projectId) } : {}),
    ...(size <= 100_000 ? { filters: await filteredExactly(service, projectId, key, Number(options.cases) / 5) } : {}),
  };
  say(JSON.stringify(results[size]));
}
const tenants = Number(options.tenants);
if (tenants > 0) {
  let one = { projectId: '', key: '' };
  for (let i = 0; i < tenants; i++) one = await makeProject(`tenant ${i}`, 1_000);
  await analyze();
  results[`one of ${tenants} tenants`] = await measure(one.projectId, one.key);
  say(JSON.stringify(results[`one of ${tenants} tenants`]));
  // What came to others since must not be a large project's business.
  await service.deps.ownIndexes.refresh();
  results[`${largest.size}, ${tenants} tenants later`] = await measure(largest.projectId, largest.key);
  say(JSON.stringify(results[`${largest.size}, ${tenants} tenants later`]));
}
await keepResults(options.name, { by_passages: results });
await stop();
process.exit();
