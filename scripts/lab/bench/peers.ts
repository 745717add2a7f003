/**
 * Other engines beside pathmend on the same pages and queries, each in a process of its own behind the same bare
 * Express, the load from another one: `npm install --no-save --prefix scripts/lab/bench/peers && npm run build:tools`,
 * then `node .build/scripts/lab/bench/peers.js --sites DIR,… [--pages 1000,10000] [--only NAME,…]`. DATABASE_URL names
 * a server, without which pathmend runs on its embedded database and postgres_by_hand is left out; sqlite_hybrid needs
 * Node 24, so run all of it on that.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { OperatorError } from '#src/base/errors.js';
import { keepResults, rounded, takeTurns } from './harness.js';
import { prepareData } from './peers/data.js';
import { measureLoad, measureRecall } from './peers/measure.js';
import { memoryOf } from '../../service/child.js';
import { startContender, type Contender } from './peers/start-contender.js';
import { printTable, type PeerFigures } from './peers/table.js';

const NAMES = [
  'pathmend',
  'minisearch',
  'orama_full_text',
  'orama_hybrid',
  'lancedb_hybrid',
  'sqlite_hybrid',
  'postgres_by_hand',
];

const options = new Command('peers')
  .requiredOption(
    '--sites <dirs>',
    'folders with pages.jsonl, redirects.jsonl, typos.jsonl and queries.jsonl, with commas',
  )
  .option('--pages <counts>', 'sizes, with commas', '1000')
  .option('--only <names>', `some of ${NAMES.join(', ')}`, NAMES.join(','))
  .option('--most <n>', 'cases of a kind per site at most, evenly spread', '40')
  .option('--rounds <n>', 'rounds of load', '3')
  .option('--seconds <n>', 'seconds of each', '3')
  .option('--patience <seconds>', 'recall: cases that a contender has not answered by then are left out', '900')
  .option('--name <name>', 'of the results, with the number of pages behind it', 'peers')
  .option('--folder <dir>', 'keeps pages and vectors there for another run')
  .option('--database <url>', 'pathmend: a database in which these pages are indexed already; with --key')
  .option('--key <key>', 'pathmend: the key of a project without rate limits there')
  .parse()
  .opts<{
    sites: string;
    pages: string;
    only: string;
    most: string;
    rounds: string;
    seconds: string;
    patience: string;
    name: string;
    folder?: string;
    database?: string;
    key?: string;
  }>();

const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const server = process.env['DATABASE_URL'] === '' ? undefined : process.env['DATABASE_URL'];
const hasSqlite = Number(process.versions.node.split('.')[0]) >= 24;
const indexed =
  options.database !== undefined && options.key !== undefined
    ? { database: options.database, key: options.key }
    : undefined;
const leftOut: Record<string, string> = {
  ...(server === undefined ? { postgres_by_hand: 'no DATABASE_URL' } : {}),
  ...(hasSqlite
    ? {}
    : { sqlite_hybrid: `node:sqlite with FTS5 and extensions needs Node 24, this is ${process.version}` }),
};
const wanted = options.only.split(',');
const unknown = wanted.find((name) => !NAMES.includes(name));
if (unknown !== undefined) throw new OperatorError(`--only names ${unknown}, which is none of ${NAMES.join(', ')}.`);
const scratch = await mkdtemp(join(tmpdir(), 'pathmend-peers-'));
const dataFolder = options.folder === undefined ? scratch : resolve(options.folder);
await mkdir(dataFolder, { recursive: true });

async function measureSize(count: number): Promise<void> {
  const data = await prepareData(options.sites.split(','), count, Number(options.most), dataFolder);
  tell(
    `${count} pages, ${data.realPages} of them of ${data.sites.length} real sites, ${data.cases.length} cases; their vectors took ${data.embeddingSeconds.toFixed(0)} s`,
  );
  const contenders: Contender[] = [];
  const figures: Record<string, PeerFigures> = {};
  const absent: Record<string, string> = {};
  try {
    for (const name of wanted) {
      const reason = leftOut[name];
      try {
        if (reason !== undefined) throw new Error(reason);
        // One after the other, so that no building disturbs another.
        const contender = await startContender(name, { data, folder: join(scratch, String(count)), server, indexed });
        const recall = await measureRecall(contender, data.cases, Number(options.patience)).catch(
          async (error: unknown) => {
            await contender.stop();
            throw error;
          },
        );
        contenders.push(contender);
        figures[name] = {
          ...(contender.buildSeconds === undefined ? {} : { build_s: rounded(contender.buildSeconds) }),
          ...recall,
          ...contender.details,
        };
        tell(`  ${name}: built in ${contender.buildSeconds?.toFixed(1) ?? '?'} s`);
      } catch (error) {
        absent[name] = error instanceof Error ? error.message : String(error);
        tell(`  ${name} is left out: ${absent[name]}`);
      }
    }
    const turns = contenders.map(
      (contender) => [contender.name, () => measureLoad(contender, data.cases, Number(options.seconds))] as const,
    );
    const medians = await takeTurns(Object.fromEntries(turns), Number(options.rounds));
    for (const { name, pid } of contenders) {
      const measured = Object.entries({ ...medians[name], ...(await memoryOf(pid)) }).map(([key, value]) => [
        key,
        rounded(value),
      ]);
      figures[name] = { ...figures[name], ...(Object.fromEntries(measured) as PeerFigures) };
    }
  } finally {
    for (const contender of contenders) await contender.stop();
  }
  const about = {
    pages: count,
    real_pages: data.realPages,
    cases: data.cases.length,
    embedding_s: rounded(data.embeddingSeconds),
    rounds: Number(options.rounds),
  };
  await keepResults(`${options.name}-${count}`, { ...about, contenders: figures, left_out: absent });
  tell(printTable(figures));
}

try {
  for (const count of options.pages.split(',')) await measureSize(Number(count));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit();
