/**
 * A replica that answers searches is promoted under load, again and again:
 * `node .build/scripts/lab/faults/promotion.js [--rounds 3]`, as root, with the chroot of scripts/postgres/start.sh.
 * Servers of its own, on one machine: a primary, and a standby that commits wait for and that replays them late
 * (recovery_min_apply_delay), so that searches meet a steady lag. Two api and two workers reach the primary by an
 * address that is moved, and the replica by another.
 *
 * A round kills the primary, promotes the replica, moves the address, and makes a new replica. Meanwhile clients push,
 * delete, send events and search; one asks for each page that he pushed as soon as it is indexed, and must find it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { createOwnServer, type OwnServer } from '../../../test/support/own-server.js';
import { createUnlimitedProject, startServiceProcess } from '../../service/service-process.js';
import { Answers } from '../../faults/away/answers.js';
import { startForwarder } from '../../faults/away/forwarder.js';
import { allSay, nextIndexed } from '../../faults/away/probes.js';
import { startSearchers } from '../../faults/away/searchers.js';
import { until } from '../../../test/support/until.js';
import { allIndexed, faultsOf } from '../../faults/kills/check.js';
import { startClients } from '../../faults/kills/clients.js';
import { startReader } from './promotion/reader.js';

const options = new Command('promotion')
  .option('--rounds <n>', 'promotions', '3')
  .option('--lag <ms>', 'how late the replica replays', '300')
  .parse()
  .opts<{ rounds: string; lag: string }>();
const RESUMES_WITHIN_MS = 30_000;
let primary: OwnServer = await createOwnServer();
await on(primary, 'create database pages');
for (const role of ['tenant', 'service', 'analyst']) await on(primary, `create role pathmend_${role}`);
let replica = await follow(primary);
const writes = await startForwarder(primary.port);
const reads = await startForwarder(replica.port);
const at = (port: number): string => `postgres://postgres@127.0.0.1:${port}/pages`;
const environment = { ...process.env, DATABASE_URL: at(writes.port), DATABASE_READ_URL: at(reads.port) };
const processes = [];
for (const role of ['api', 'api', 'worker', 'worker'] as const)
  processes.push(await startServiceProcess(role, environment, 'ignore'));
const urls = processes.map(({ url }) => url);
const apis = urls.slice(0, 2);
const key = await createUnlimitedProject('promotion', environment);
const answers = new Answers();
let turn = 0;
const anyApi = (): string => apis[turn++ % apis.length] ?? '';
const clients = startClients(4, key, anyApi, { heard: answers.add });
const searchers = startSearchers(2, key, anyApi, answers.add);
const reader = startReader(apis, key, () => at(primary.port));
const faults: string[] = [];
const longest = { withoutWrites: 0, resumed: 0, indexed: 0 };
const uses: Record<string, number> = {};

for (let round = 1; round <= Number(options.rounds); round++) {
  await pause(5_000);
  const found = reader.found();
  const old = primary;
  // Clients hear of the last write before the death, and of the first after it.
  const lastGood = answers.nextGood('/v1/pages/upsert').then(() => performance.now());
  const from = await lastGood;
  await old.kill();
  await on(replica, 'select pg_promote(true, 60)');
  // It stands alone: with the setting that it took over from the old primary, each commit would wait for a standby.
  await setStandbys(replica, '');
  primary = replica;
  writes.moveTo(primary.port, 'cut');
  const moved = performance.now();
  await answers.nextGood('/v1/pages/upsert');
  const withoutWrites = Math.round(performance.now() - from);
  await Promise.all([...['/v1/suggest', '/v1/events'].map((path) => answers.nextGood(path)), allSay(200, urls)]);
  const resumed = Math.round(performance.now() - moved);
  const pool = new pg.Pool({ connectionString: at(primary.port), max: 1 });
  const indexed = await nextIndexed(pool, moved);
  await pool.end();
  await old.remove();
  replica = await follow(primary);
  reads.moveTo(replica.port, 'cut');
  await until(
    'searches use the new replica',
    async () => ((await replicaUses())['used'] ?? 0) > (uses['used'] ?? 0),
    60_000,
  );
  Object.assign(uses, await replicaUses());
  process.stderr.write(`${JSON.stringify({ round, withoutWrites, resumed, indexed, foundBefore: found, uses })}\n`);
  if (withoutWrites > RESUMES_WITHIN_MS) faults.push(`round ${round}: ${withoutWrites} ms without writes`);
  longest.withoutWrites = Math.max(longest.withoutWrites, withoutWrites);
  longest.resumed = Math.max(longest.resumed, resumed);
  longest.indexed = Math.max(longest.indexed, indexed);
}
await Promise.all([clients.stop(), searchers.stop(), reader.stop()]);
const pool = new pg.Pool({ connectionString: at(primary.port), max: 2 });
await allIndexed(pool);
faults.push(
  ...answers.faults,
  ...reader.faults,
  ...(await faultsOf(pool, clients)).filter((one) => !one.includes('/mine/')),
);
await pool.end();
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `promotion: ${options.rounds} promotions, at most ${longest.withoutWrites} ms without an acknowledged write, all resumed ` +
    `${longest.resumed} ms and indexing ${longest.indexed} ms after the address moved; ` +
    `${clients.pages.acknowledged} acknowledged changes of pages, ${clients.events.acknowledged.size} events; ` +
    `${reader.found()} pages found by who pushed them, with ${options.lag} ms of lag; ` +
    `searches ${JSON.stringify(uses)}; ${faults.length} faults\n`,
);
await Promise.all(processes.map((one) => one.stop()));
await replica.remove();
await primary.remove();
process.exit(faults.length > 0 ? 1 : 0);

/** A standby that commits wait for, and that replays them late. */
async function follow(server: OwnServer): Promise<OwnServer> {
  const follower = await createOwnServer({
    follows: server,
    settings: [`recovery_min_apply_delay = ${options.lag}`],
  });
  await setStandbys(server, '*');
  await until(
    'the standby follows',
    async () => (await on(server, `select from pg_stat_replication where sync_state = 'sync'`)) === 1,
    60_000,
  );
  return follower;
}

/** Which standbys a commit waits for. */
async function setStandbys(server: OwnServer, names: string): Promise<void> {
  await on(server, `alter system set synchronous_standby_names = '${names}'`);
  await on(server, 'select pg_reload_conf()');
}

async function on(server: OwnServer, statement: string): Promise<number> {
  const client = await server.connect();
  return (await client.query(statement).finally(() => client.end())).rowCount ?? 0;
}

async function replicaUses(): Promise<Record<string, number>> {
  const sum: Record<string, number> = { used: 0, behind: 0, away: 0, failed: 0 };
  for (const url of apis) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, use = '', n] of text.matchAll(/^pathmend_replica_searches_total\{use="(\w+)"\} (\d+)$/gm))
      sum[use] = (sum[use] ?? 0) + Number(n);
  }
  return sum;
}
