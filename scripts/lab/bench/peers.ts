/**
 * Other engines beside pathmend on the same pages and queries, each in a process of its own behind the same bare
 * Express, the load from another one: `DATABASE_URL=… node .build/scripts/lab/bench/peers.js --sites DIR,… [--pages
 * 10000] [--only NAME,…]`. A site's folder has pages.jsonl and any of the files with cases. peers/fetch.sh installs
 * the engines.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { memoryOf } from '../../service/child.js';
import { keepResults, readOptions, takeTurns, tell } from '../harness.js';
import { neededServer } from '../processes.js';
import { chooseWeights, rankAll } from './peers/choose-weights.js';
import { prepareData } from './peers/data.js';
import * as measures from './peers/measure.js';
import { startPathmend, startPeer, type Contender } from './peers/start-contender.js';
import { measureEmbedding, writeVectors } from './peers/vectors.js';

const PEERS = ['minisearch', 'sqlite', 'lancedb', 'postgres_by_hand'] as const;
const PACKAGES = ['minisearch', 'better-sqlite3', 'sqlite-vec', '@lancedb/lancedb'];
const options = readOptions({
  sites: ['', 'folders of sites, with commas'],
  pages: [1000, 'of all sites together; what is missing is made'],
  model: ['static', 'of all that use vectors'],
  only: [PEERS.join(','), 'some of these beside pathmend'],
  most: [40, 'cases of a kind per site at most, evenly spread'],
  rounds: [3, 'rounds of load'],
  seconds: [3, 'seconds of each'],
  name: ['peers', 'of the results, with the number of pages behind it'],
});
const { pages: count, model, most, rounds, seconds } = options;
const packages = process.env['PATHMEND_PEERS'] ?? '/var/tmp/pathmend-peers';
const server = neededServer();
const list = (text: string): string[] => text.split(',').filter((part) => part !== '');

async function readVersions(): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ postgres: string; pgvector: string }>(
    `select current_setting('server_version') as postgres, default_version as pgvector
       from pg_available_extensions where name = 'vector'`,
  );
  await client.end();
  const versions: Record<string, string> = { ...rows[0] };
  for (const name of PACKAGES) {
    const folder = name === 'minisearch' ? '.' : packages;
    const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    versions[name] = (JSON.parse(manifest) as { version: string }).version;
  }
  return versions;
}

const scratch = await mkdtemp(join(tmpdir(), 'pathmend-peers-'));
const contenders: Contender[] = [];
const weightsOf: Record<string, measures.AllWeights> = {};
const figures: Record<string, Record<string, unknown>> = {};
try {
  const data = await prepareData(list(options.sites), count, most, scratch);
  const { pages, pagesFile, cases, realPages } = data;
  tell(`${pages.length} pages, ${realPages} of them of real sites, ${cases.length} cases`);
  const embedding = await measureEmbedding(model, pages);
  tell(`  embedding: ${embedding.toFixed(1)} s`);
  // One after the other, so that no building disturbs another.
  const pathmend = await startPathmend(data, model, server);
  contenders.push(pathmend);
  const outcomes = await measures.askAll(pathmend, cases);
  const share = measures.shareRedirected(outcomes);
  figures['pathmend'] = {
    build_s: pathmend.buildSeconds,
    redirected: share,
    ...measures.recallOf(outcomes, 3),
    ...measures.wrongRedirects(outcomes, share, true),
  };
  tell(`  pathmend: ${JSON.stringify(figures['pathmend'])}`);
  const vectors = await writeVectors(pathmend.databaseUrl, pages, join(scratch, 'vectors'));
  for (const name of PEERS.filter((peer) => list(options.only).includes(peer))) {
    const contender = await startPeer({ name, pagesFile, vectors, model, packages }, server);
    contenders.push(contender);
    const unranked = await measures.askAll(contender, cases);
    const weights = name === 'minisearch' ? {} : chooseWeights(unranked);
    weightsOf[name] = weights;
    const ranked = rankAll(unranked, weights);
    figures[name] = {
      // Without the embedding, which pathmend's building includes.
      build_s: contender.buildSeconds,
      weights,
      ...measures.recallOf(ranked, 3),
      ...measures.wrongRedirects(ranked, share, false),
    };
    tell(`  ${name}: ${JSON.stringify(figures[name])}`);
  }
  const loaded = cases.filter(({ kind }) => kind !== 'taken_off');
  const turns = contenders.map(
    (contender) =>
      [
        contender.name,
        () => measures.measureLoad(contender, loaded, weightsOf[contender.name] ?? {}, seconds),
      ] as const,
  );
  const medians = await takeTurns(Object.fromEntries(turns), rounds);
  for (const { name, pid } of contenders)
    figures[name] = { ...figures[name], ...medians[name], ...(await memoryOf(pid)) };
  const about = { pages: pages.length, real_pages: realPages, chunks: vectors.count, cases: cases.length, rounds };
  const made = { model, embedding_s: embedding, versions: await readVersions() };
  await keepResults(`${options.name}-${count}`, { ...about, ...made, contenders: figures });
} finally {
  for (const contender of contenders) await contender.stop();
  await rm(scratch, { recursive: true, force: true });
}
process.exit();
