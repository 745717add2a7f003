/**
 * A database that fails over by itself, under load, again and again: `node .build/scripts/lab/faults/patroni.js
 * [--rounds 5]`, as root. scripts/lab/patroni/start.sh makes it: three servers under Patroni with synchronous
 * replication, etcd, HAProxy. Two api and two workers know HAProxy's address alone, and are never restarted.
 *
 * killed: the primary's Patroni and PostgreSQL get SIGKILL. switchover: `patronictl switchover`. hung: both get
 * SIGSTOP, and go on when another is the primary. muted: for twelve seconds its log reaches no standby, then it is
 * killed. etcd: gets SIGSTOP until nobody is the primary. Clients push, delete, send events and search all the time.
 */
import pg from 'pg';
import { until } from '../../../test/support/until.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import type { Heard } from '../../faults/ask.js';
import { Answers } from '../../faults/away/answers.js';
import { allSay, nextIndexed, startProbes } from '../../faults/away/probes.js';
import { startSearchers } from '../../faults/away/searchers.js';
import { allIndexed, faultsOf } from '../../faults/kills/check.js';
import { startClients } from '../../faults/kills/clients.js';
import { readOptions } from '../harness.js';
import { startCluster } from './patroni/cluster.js';
import { measureGaps } from './patroni/gaps.js';
import { KINDS } from './patroni/kinds.js';

const options = readOptions({
  rounds: [5, 'fail-overs'],
  kinds: [Object.keys(KINDS).join(), 'which, in turn'],
  folder: ['/var/tmp/pathmend-patroni-18', 'of scripts/lab/patroni/start.sh; its databases are removed'],
});
const kinds = options.kinds.split(',');
const unknown = kinds.find((kind) => !(kind in KINDS));
if (unknown !== undefined) throw new Error(`there is no ${unknown}`);
const RESUMES_WITHIN_MS = 60_000;
const GOOD_ANSWERS = 50;

const cluster = await startCluster(options.folder);
const setUp = new pg.Client({ connectionString: cluster.url('postgres') });
await setUp.connect();
for (const role of ['tenant', 'service', 'analyst']) await setUp.query(`create role pathmend_${role}`);
await setUp.query('create database pages');
await setUp.end();
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: cluster.url('pages') };
const processes: Awaited<ReturnType<typeof startServiceProcess>>[] = [];
for (const role of ['api', 'api', 'worker', 'worker'] as const)
  processes.push(await startServiceProcess(role, environment, 'ignore'));
process.once('exit', () => {
  for (const { pid } of processes) signal(pid);
});
const urls = processes.map(({ url }) => url);
const key = await createUnlimitedProject('patroni', environment);
const answers = new Answers();
const gaps = measureGaps();
const heard = (answer: Heard): void => {
  answers.add(answer);
  gaps.heard(answer);
};
let turn = 0;
const anyApi = (): string => urls[turn++ % 2] ?? '';
const clients = startClients(4, key, anyApi, { heard });
const searchers = startSearchers(2, key, anyApi, heard);
const probes = startProbes(urls);
const faults: string[] = [];
const longest: Record<string, { writesMs: number; searchesMs: number }> = {};

for (let round = 1; round <= options.rounds; round++) {
  const kind = kinds[(round - 1) % kinds.length] ?? '';
  await changesGoOn();
  const old = (await cluster.primary()) ?? '';
  const usual = { ...gaps.take(), ...answers.take(), ...probes.take() };
  const from = performance.now();
  const { next, after } = (await KINDS[kind]?.(cluster, old, gaps)) ?? { next: old };
  const chosenMs = Math.round(performance.now() - from);
  const direct = new pg.Pool({ connectionString: cluster.urlOf(next, 'pages'), max: 1 });
  const [indexedMs] = await Promise.all([nextIndexed(direct, from), changesGoOn(), allSay(200, urls)]);
  await direct.end();
  const during = { ...gaps.take(), ...answers.take(), ...probes.take() };
  await until('the queue listens', () => cluster.queueListens(next), RESUMES_WITHIN_MS);
  const listensMs = Math.round(performance.now() - from);
  after?.();
  await cluster.mend();
  if ((await cluster.primary()) !== next) faults.push(`${kind}: ${next} is no longer the primary`);
  if (Object.keys(during.health).join() !== '200')
    faults.push(`${kind}: /healthz said ${JSON.stringify(during.health)}`);
  process.stderr.write(`${JSON.stringify({ kind, old, next, usual, chosenMs, during, indexedMs, listensMs })}\n`);
  longest[kind] = {
    writesMs: Math.max(longest[kind]?.writesMs ?? 0, during.writesMs),
    searchesMs: Math.max(longest[kind]?.searchesMs ?? 0, during.searchesMs),
  };
}
await Promise.all([clients.stop(), searchers.stop(), probes.stop()]);
const pool = new pg.Pool({ connectionString: cluster.url('pages'), max: 2 });
await allIndexed(pool);
faults.push(...answers.faults, ...(await faultsOf(pool, clients)));
await pool.end();
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `patroni: ${options.rounds} fail-overs; longest without an acknowledged write and without an answered search, by kind: ` +
    `${JSON.stringify(longest)}; ${clients.pages.acknowledged} acknowledged and ${clients.pages.unanswered} refused ` +
    `changes of pages, ${clients.events.acknowledged.size} and ${clients.events.unanswered.size} events; ` +
    `${faults.length} faults\n`,
);
await Promise.all(processes.map((serviceProcess) => serviceProcess.stop()));
await cluster.stop();
process.exit(faults.length > 0 ? 1 : 0);

/** Waits until changes are acknowledged as usual. */
async function changesGoOn(): Promise<void> {
  for (let n = 0; n < GOOD_ANSWERS; n++) await answers.nextGood('/v1/pages/upsert');
}

/** One that has ended needs no signal. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
