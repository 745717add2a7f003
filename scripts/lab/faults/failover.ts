/**
 * Fails over to a replica under load, again and again: `node .build/scripts/lab/faults/failover.js --folders DIR,DIR
 * --ports N,N [--rounds 4]`, as root. A primary and a standby that commits wait for, both of scripts/postgres (the
 * databases in both folders are removed); clients reach them by an address that is moved.
 *
 * killed: the primary loses its power, and with it every connection; the standby is promoted, then the address moves.
 * hung: the primary hangs, and old connections stay dead for ever without a word. early: the address leads to the
 * standby for some seconds before that is promoted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { until } from '../../../test/support/until.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { Answers } from '../../faults/away/answers.js';
import { startForwarder } from '../../faults/away/forwarder.js';
import { promote, queueListens, startEmpty, urlOf, waitForStandby, type Node } from './away/nodes.js';
import { allSay, nextIndexed, startProbes } from '../../faults/away/probes.js';
import { startSearchers } from '../../faults/away/searchers.js';
import { allIndexed, faultsOf } from '../../faults/kills/check.js';
import { startClients } from '../../faults/kills/clients.js';
import { postgresProcess } from '../../faults/postgres-process.js';

const options = new Command('failover')
  .requiredOption('--folders <list>', 'of scripts/postgres/start.sh, two')
  .option('--ports <list>', 'where they listen', '25801,25802')
  .option('--rounds <n>', 'fail-overs', '6')
  .parse()
  .opts<{ folders: string; ports: string; rounds: string }>();
const [first, second] = options.folders
  .split(',')
  .map((folder, i): Node => ({ folder, port: Number(options.ports.split(',')[i]) }));
if (!first || !second) throw new Error('two folders are needed');

const KINDS = ['killed', 'hung', 'early'] as const;
const RESUMES_WITHIN_MS = 30_000;
let primary = first;
let standby = second;
await startEmpty(primary);
const database = await throwawayDatabase(urlOf(primary));
const urlOn = (port: number): string => Object.assign(new URL(database.url), { port }).href;
const forwarder = await startForwarder(primary.port);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: urlOn(forwarder.port) };
const api = await startServiceProcess('api', environment, 'ignore');
const worker = await startServiceProcess('worker', environment, 'ignore');
const key = await createUnlimitedProject('failover', environment);
const answers = new Answers();
const clients = startClients(4, key, () => api.url, { heard: answers.add });
const searchers = startSearchers(4, key, () => api.url, answers.add);
const probes = startProbes([api.url, worker.url]);
const faults: string[] = [];
const total = { slowestMs: 0, resumedMs: 0, indexedMs: 0 };

for (let round = 0; round < Number(options.rounds); round++) {
  const kind = KINDS[round % KINDS.length] ?? 'killed';
  await startEmpty(standby, primary);
  await waitForStandby(primary);
  await pause(2_000);
  const usual = { ...answers.take(), ...probes.take() };
  const old = await postgresProcess(urlOf(primary));
  if (kind === 'killed') await old.kill();
  else old.freeze();
  await pause(1_000);
  const lost = kind === 'killed' ? 'cut' : 'forgotten';
  if (kind === 'early') {
    forwarder.moveTo(standby.port, lost);
    await allSay(503, [api.url, worker.url]);
    await pause(3_000);
  }
  await promote(standby);
  forwarder.moveTo(standby.port, lost);
  const from = performance.now();
  const during = { ...answers.take(), ...probes.take() };
  await Promise.all([
    ...['/v1/suggest', '/v1/pages/upsert', '/v1/events'].map((path) => answers.nextGood(path)),
    allSay(200, [api.url, worker.url]),
  ]);
  const resumedMs = Math.round(performance.now() - from);
  // What hangs must never come back.
  await old.kill();
  [primary, standby] = [standby, primary];
  const pool = new pg.Pool({ connectionString: urlOn(primary.port), max: 1 });
  const indexedMs = await nextIndexed(pool, from).catch(
    (error: unknown) => (faults.push(`${kind}: ${String(error)}`), 0),
  );
  await pool.end();
  await until('the queue listens again', () => queueListens(primary), 90_000).catch((error: unknown) =>
    faults.push(`${kind}: ${String(error)}`),
  );
  process.stderr.write(
    `${JSON.stringify({ kind, usual, during, resumedMs, indexedMs, listensMs: Math.round(performance.now() - from), after: { ...answers.take(), ...probes.take() } })}\n`,
  );
  if (resumedMs > RESUMES_WITHIN_MS) faults.push(`${kind}: resumed after ${resumedMs} ms`);
  total.slowestMs = Math.max(total.slowestMs, during.slowestMs);
  total.resumedMs = Math.max(total.resumedMs, resumedMs);
  total.indexedMs = Math.max(total.indexedMs, indexedMs);
}
await Promise.all([clients.stop(), searchers.stop(), probes.stop()]);
const pool = new pg.Pool({ connectionString: urlOn(primary.port), max: 2 });
await allIndexed(pool);
faults.push(...answers.faults, ...(await faultsOf(pool, clients)));
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `failover: ${options.rounds} fail-overs (${KINDS.join(', ')}), slowest answer ${total.slowestMs} ms, resumed after ${total.resumedMs} ms at most and indexing after ${total.indexedMs}; ` +
    `${clients.pages.acknowledged} acknowledged and ${clients.pages.unanswered} refused changes of pages, ` +
    `${clients.events.acknowledged.size} and ${clients.events.unanswered.size} events; ${faults.length} faults\n`,
);
await pool.end();
await Promise.all([api.stop(), worker.stop()]);
process.exit(faults.length > 0 ? 1 : 0);
