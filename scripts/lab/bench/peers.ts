/**
 * Other engines beside pathmend on the same pages and queries, each in a process of its own behind the same bare
 * Express, the load from another one: `DATABASE_URL=… node .build/scripts/lab/bench/peers.js --sites DIR,… [--pages
 * 10000] [--only NAME,…]`. A site's folder has pages.jsonl, redirects.jsonl, typos.jsonl and queries.jsonl.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapConcurrently } from '../../eval/index-site.js';
import { mean, rankOf } from '../../eval/measures.js';
import { CASE_KINDS, isQuestion } from '../../eval/site-data.js';
import { memoryOf } from '../../service/child.js';
import { generate, keepResults, readOptions, takeTurns, tell, type Figures } from '../harness.js';
import { neededServer } from '../processes.js';
import { ANSWERS, prepareData, type BenchCase } from './peers/data.js';
import { startPathmend, startPeer, type Contender } from './peers/start-contender.js';

const NAMES = ['pathmend', 'minisearch', 'postgres_by_hand'] as const;
const { sites, pages, only, most, rounds, seconds, name } = readOptions({
  sites: ['', 'folders of sites, with commas'],
  pages: [1000, 'of all sites together; what is missing is made'],
  only: [NAMES.join(','), 'some of these'],
  most: [40, 'cases of a kind per site at most, evenly spread'],
  rounds: [3, 'rounds of load'],
  seconds: [3, 'seconds of each'],
  name: ['peers', 'of the results, with the number of pages behind it'],
});
const CONNECTIONS = 16;
const AT_ONCE = 4;
const server = neededServer();
const wanted = NAMES.filter((one) => only.split(',').includes(one));

/** What every contender is asked: three answers, however unlike, so that all do the whole work. */
function bodyOf({ kind, input }: BenchCase): string {
  const asked = isQuestion(kind) ? 'query' : 'path';
  return JSON.stringify({ [asked]: input, limit: ANSWERS, options: { searchThreshold: 0 } });
}

/** The share of cases of each kind with a right page among the first three; of all cases of all sites alike. */
async function measureRecall(contender: Contender, cases: readonly BenchCase[]): Promise<Figures> {
  const found = await mapConcurrently(cases, AT_ONCE, async (one) => {
    const url = contender.urls[isQuestion(one.kind) ? 'query' : 'path'];
    const headers = { ...contender.headers, 'Content-Type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: bodyOf(one) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${contender.name} answered ${answer.status} to ${one.input}: ${text}`);
    const { suggestions } = JSON.parse(text) as { suggestions: { url: string }[] };
    return { kind: one.kind, right: rankOf(one.right, suggestions) > 0 };
  });
  const ofKind = (kind: string): number =>
    Math.round(1000 * mean(found.filter((one) => one.kind === kind).map(({ right }) => Number(right)))) / 1000;
  const kinds = CASE_KINDS.filter((kind) => cases.some((one) => one.kind === kind));
  return Object.fromEntries(kinds.map((kind) => [`recall3_${kind}`, ofKind(kind)]));
}

/** Paths, then questions, each from sixteen connections for some seconds. */
async function measureLoad(contender: Contender, cases: readonly BenchCase[]): Promise<Figures> {
  const figures: Figures = {};
  for (const asked of ['path', 'query'] as const) {
    const bodies = cases.filter(({ kind }) => isQuestion(kind) === (asked === 'query')).map(bodyOf);
    if (bodies.length === 0) continue;
    const headers = { ...contender.headers, 'Content-Type': 'application/json' };
    const load = await generate({ url: contender.urls[asked], headers, bodies, connections: CONNECTIONS, seconds });
    Object.assign(figures, {
      [`${asked}_per_second`]: load.perSecond,
      [`${asked}_p50_ms`]: load.p50,
      [`${asked}_p95_ms`]: load.p95,
      [`${asked}_failed`]: load.failed,
    });
  }
  return figures;
}

const scratch = await mkdtemp(join(tmpdir(), 'pathmend-peers-'));
const contenders: Contender[] = [];
const figures: Record<string, Record<string, number | string>> = {};
try {
  const data = await prepareData(sites === '' ? [] : sites.split(','), pages, most, scratch);
  const { cases, realPages } = data;
  tell(`${pages} pages, ${realPages} of them of real sites, ${cases.length} cases`);
  for (const one of wanted) {
    // One after the other, so that no building disturbs another.
    const contender = await (one === 'pathmend' ? startPathmend(data, server) : startPeer(one, data, server));
    contenders.push(contender);
    figures[one] = { build_s: contender.buildSeconds, ...(await measureRecall(contender, cases)) };
    tell(`  ${one}: ${JSON.stringify(figures[one])}`);
  }
  const turns = contenders.map((contender) => [contender.name, () => measureLoad(contender, cases)] as const);
  const medians = await takeTurns(Object.fromEntries(turns), rounds);
  for (const { name: one, pid } of contenders)
    figures[one] = { ...figures[one], ...medians[one], ...(await memoryOf(pid)) };
  const about = { pages, real_pages: realPages, cases: cases.length, rounds };
  await keepResults(`${name}-${pages}`, { ...about, contenders: figures });
} finally {
  for (const contender of contenders) await contender.stop();
  await rm(scratch, { recursive: true, force: true });
}
process.exit();
