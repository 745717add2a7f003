/**
 * Compares ways to find the ten pages nearest to a question by vectors alone: `node .build/scripts/lab/bench/vectors.js
 * [--sizes 100000,1000000] [--tenants 100]`; DATABASE_URL names a server. A project of each size, and tenants of a
 * thousand chunks, are made as by scale.js. A scan, a segment as now and bits are compared on a table of one project,
 * and pgvector's iterative scans on one table of all. One connection asks, without parallel workers.
 */
import pg from 'pg';
import { embedPath } from '#src/search/candidates/path-candidates.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import { modelOf } from '../../whole-project.js';
import { keepResults, readOptions, tell, type Figures } from '../harness.js';
import { makeCases } from './scale/cases.js';
import { openTables } from './vectors/tables.js';
import { askAll, compareInTurns, type Contender, type Nearest } from './vectors/turns.js';

const options = readOptions({
  sizes: ['100000,1000000', 'chunks of the large projects'],
  tenants: [100, 'projects of a thousand chunks in the shared table'],
  questions: [200, 'questions and dead paths asked'],
  base: [1500, 'pages that are really embedded'],
  seconds: [60, 'for each contender: a slow one is asked fewer questions'],
  name: ['vectors', 'of the results'],
});
const sizes = options.sizes.split(',').map(Number);
/** A search of a project with one segment has as many candidates (pathmend.pages_in_reach). */
const CANDIDATES = 250;

const { service, environment, stop } = await startThrowawayService({
  ...process.env,
  EMBEDDING_MODEL: 'english',
  EMBEDDING_THREADS: '1',
  OWN_INDEX_PASSAGES: '0',
});
const { projectId: base } = await indexManyPages(service, options.base, 1);
const { modelId, model } = await modelOf(service, base);
const { dimensions } = model.manifest;
const cases = await makeCases(service.database.connection.pool, base, options.questions);
const { models } = service.deps;
const vectors: string[] = [];
for (const [i, { question, path }] of cases.entries()) {
  const vector = i % 2 === 0 ? models.embedQuery(modelId, question) : embedPath(models, modelId, readDeadPath(path));
  vectors.push(`[${(await vector).join(',')}]`);
}

const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
await client.connect();
client.on('notice', ({ message = '' }) => {
  tell(message);
});
await client.query(`
  set max_parallel_maintenance_workers = 0; set max_parallel_workers_per_gather = 0; set jit = off;
  set work_mem = '64MB'; set hnsw.scan_mem_multiplier = 32`);
const tables = await openTables(client, base, dimensions);

const parameter = `$1::halfvec(${dimensions})`;
const bitsOf = (vector: string): string => `binary_quantize(${vector})::bit(${dimensions})`;
/** The ten nearest pages among the chunks of a table, or among the first of them in an order. */
function nearest(from: string, order?: string, candidates = CANDIDATES): string {
  const among = order === undefined ? '' : `order by ${order} limit ${candidates}`;
  const chunks = `select page, embedding <#> ${parameter} as far from ${from} ${among}`;
  return `select page, min(far) as far from (${chunks}) as c group by page order by far limit 10`;
}
const VECTOR = `embedding <#> ${parameter}`;
const graph = (statement: string, ef: number, figures: Figures, settings: Contender['settings'] = {}): Contender => ({
  statement,
  settings: { 'hnsw.ef_search': String(ef), ...settings },
  figures,
});

const results: Record<string, Record<string, Figures>> = {};
/** Results are kept after each step, since the next may take an hour. */
async function keep(project: number, figures: Record<string, Figures>): Promise<void> {
  const size = String(sizes[project] ?? 'tenant');
  for (const [name, each] of Object.entries(figures)) results[name] = { ...results[name], [size]: each };
  await keepResults(options.name, { pages: options.base, tenants: options.tenants, contenders: results });
}
const truths: (readonly Nearest[])[] = [];
async function compare(project: number, contenders: Record<string, Contender>): Promise<void> {
  const input = { vectors, truth: truths[project] ?? [], seconds: options.seconds };
  await keep(project, await compareInTurns(client, contenders, input));
}

let chunks = 0;
await tables.create('everyone', async () => {
  for (const [project, size] of sizes.entries()) chunks += await tables.addProjects('everyone', project, 1, size);
  chunks += await tables.addProjects('everyone', sizes.length, options.tenants, 1000);
});
await tables.create('newcomer', () => tables.addProjects('newcomer', -1, 1, 1000));
const projects = [...sizes.keys(), sizes.length];
const insertWithout = await tables.insertCost('everyone', 'newcomer');
await client.query('delete from everyone where project < 0');
await client.query('vacuum everyone');
const built = await tables.buildIndex('everyone_vectors', 'everyone', 'embedding halfvec_ip_ops', chunks);
const shared = { ...built, ...(await tables.insertCost('everyone', 'newcomer')) };
for (const project of projects) {
  const rows = `everyone where project = ${project}`;
  const { truth, figures } = await askAll(client, { statement: nearest(rows), figures: insertWithout }, vectors);
  truths[project] = truth;
  await keep(project, { scan: figures });
}
function sharedContenders(project: number): Record<string, Contender> {
  const iterative = (order: 'strict' | 'relaxed', tuples: number, candidates = CANDIDATES): Contender =>
    graph(nearest(`everyone where project = ${project}`, VECTOR, candidates), candidates, shared, {
      'hnsw.iterative_scan': `${order}_order`,
      'hnsw.max_scan_tuples': String(tuples),
    });
  return {
    'shared, strict': iterative('strict', 2 * chunks),
    'shared, relaxed': iterative('relaxed', 2 * chunks),
    'shared, relaxed, 20,000 rows at most': iterative('relaxed', 20_000),
    'shared, relaxed, 40 candidates': iterative('relaxed', 2 * chunks, 40),
    'shared, relaxed, 1,000 candidates': iterative('relaxed', 2 * chunks, 1000),
  };
}

for (const [project, size] of sizes.entries()) {
  await tables.create('mine', () =>
    client.query(
      `insert into mine (project, page, embedding)
       select project, page, embedding from everyone where project = ${project} order by id`,
    ),
  );
  await client.query(`create table bits as select id, ${bitsOf('embedding')} as bits from mine; analyze bits`);
  const segment = await tables.buildIndex('mine_vectors', 'mine', 'embedding halfvec_ip_ops', size);
  const bits = await tables.buildIndex('mine_bits', 'mine', `(${bitsOf('embedding')}) bit_hamming_ops`, size);
  const byBits = `${bitsOf('embedding')} <~> ${bitsOf(parameter)}`;
  const nearBits = `(select id from bits order by bits <~> ${bitsOf(parameter)} limit 400) as b join mine using (id)`;
  await compare(project, {
    segment: graph(nearest('mine', VECTOR), CANDIDATES, segment),
    'segment, 1,000 candidates': graph(nearest('mine', VECTOR, 1000), 1000, segment),
    'bits, 100 re-ranked': graph(nearest('mine', byBits, 100), 100, bits),
    'bits, 400 re-ranked': graph(nearest('mine', byBits, 400), 400, bits),
    'bits scanned, 400 re-ranked': {
      statement: nearest(nearBits),
      settings: { enable_seqscan: 'on', enable_sort: 'on' },
      figures: { index_mb: await tables.megabytes('bits') },
    },
    ...sharedContenders(project),
  });
  await client.query('drop table mine, bits');
}
await compare(sizes.length, sharedContenders(sizes.length));
await client.end();
await stop();
process.exit();
