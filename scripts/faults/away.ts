/**
 * Takes the database away for a while under load, in several ways, and looks at what callers and operators were told
 * meanwhile and at what is there afterwards: `DATABASE_URL=… node .build/scripts/faults/away.js --seconds 1,30,300
 * [--kinds stopped,hung,dropped,lost] [--times 1] [--roles api,worker] [--restart-database COMMAND]`.
 *
 * For the kinds see away/outages.ts. The server must run on this machine.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { until } from '../../test/support/until.js';
import { createUnlimitedProject, startServiceProcess } from '../service/service-process.js';
import { throwawayDatabase } from '../service/throwaway-database.js';
import { Answers } from './away/answers.js';
import { startForwarder } from './away/forwarder.js';
import { outages } from './away/outages.js';
import { allSay, connections, nextIndexed, startProbes } from './away/probes.js';
import { startSearchers } from './away/searchers.js';
import { allIndexed, faultsOf } from './kills/check.js';
import { startClients } from './kills/clients.js';

type Role = 'all' | 'api' | 'worker';
const options = new Command('away')
  .option('--seconds <list>', 'how long it is away', '1,30')
  .option('--kinds <list>', 'in which ways', 'stopped,hung,dropped,lost')
  .option('--times <n>', 'how often each', '1')
  .option('--roles <list>', 'processes of the service; the first is asked', 'api,worker')
  .option('--restart-database <command>', 'starts the stopped database again; without it, it is not stopped')
  .parse()
  .opts<{ seconds: string; kinds: string; times: string; roles: string; restartDatabase?: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: the embedded database goes with its process.');

/** From the end of the outage until everything works again. */
const RESUMES_WITHIN_MS = 30_000;
const database = await throwawayDatabase(server);
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
pool.on('error', () => undefined);
const forwarder = await startForwarder(Number(new URL(server).port));
const through = new URL(database.url);
through.port = String(forwarder.port);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: through.href };

const ways = outages(database.url, forwarder, options.restartDatabase);
const kinds = options.kinds.split(',').filter((kind) => ways[kind] !== undefined);
const processes = [];
for (const role of options.roles.split(',') as Role[])
  processes.push(
    await startServiceProcess(role, environment, process.env['LOG_LEVEL'] === undefined ? 'ignore' : 'inherit'),
  );
const urls = processes.map(({ url }) => url);
const key = await createUnlimitedProject('away', environment);
const answers = new Answers();
const clients = startClients(4, key, () => urls[0], { heard: answers.add });
const searchers = startSearchers(6, key, () => urls[0], answers.add);
const probes = startProbes(urls);
const faults: string[] = [];
const good = (): Promise<unknown> =>
  Promise.all(['/v1/suggest', '/v1/pages/upsert', '/v1/events'].map((path) => answers.nextGood(path)));
const say = (line: object): boolean => process.stderr.write(`${JSON.stringify(line)}\n`);
const total = { outages: 0, slowestMs: 0, resumedMs: 0, indexedMs: 0 };

for (const seconds of options.seconds.split(',').map(Number)) {
  for (const kind of kinds) {
    for (let time = 0; time < Number(options.times); time++) {
      await pause(2_000);
      const before = await connections(pool, urls);
      const usual = { ...answers.take(), ...probes.take() };
      let over = false;
      // A restart within a second need not be seen by whoever asks four times in it.
      const red = seconds >= 5 ? Promise.all(urls.map((url) => allSay(503, [url]))) : undefined;
      await Promise.all([
        ways[kind]?.(seconds).finally(() => (over = true)),
        red?.then((ms) => {
          if (over) faults.push(`/readyz stayed green (${ms.join()} ms)`);
        }),
      ]);
      const from = performance.now();
      const during = { ...answers.take(), ...probes.take() };
      await Promise.all([good(), allSay(200, urls)]);
      const resumedMs = Math.round(performance.now() - from);
      const indexedMs = await nextIndexed(pool, from).catch(
        (error: unknown) => (faults.push(`${kind} ${seconds} s: ${String(error)}`), 0),
      );
      const settled = { pools: 0, queue: 0, metrics: -1 };
      await until(
        'the server has no connection that the service does not know',
        async () => {
          Object.assign(settled, await connections(pool, urls));
          return (
            settled.pools - forwarder.forgotten() <= settled.metrics &&
            settled.queue <= 5 * (urls.length + forwarder.forgotten())
          );
        },
        60_000,
      ).catch((error: unknown) => faults.push(`${kind} ${seconds} s: ${String(error)}: ${JSON.stringify(settled)}`));
      const after = { ...answers.take(), ...probes.take() };
      say({
        kind,
        seconds,
        usual,
        during,
        resumedMs,
        indexedMs,
        after,
        connections: { before, after: settled, forgotten: forwarder.forgotten() },
      });
      total.outages++;
      total.slowestMs = Math.max(total.slowestMs, during.slowestMs, after.slowestMs);
      total.indexedMs = Math.max(total.indexedMs, indexedMs);
      total.resumedMs = Math.max(total.resumedMs, resumedMs);
      for (const { health } of [during, after])
        if (Object.keys(health).some((status) => status !== '200')) faults.push(`/healthz: ${JSON.stringify(health)}`);
      if (resumedMs > RESUMES_WITHIN_MS) faults.push(`${kind} ${seconds} s: resumed after ${resumedMs} ms`);
    }
  }
}
await Promise.all([clients.stop(), searchers.stop(), probes.stop()]);
await allIndexed(pool);
faults.push(...answers.faults, ...(await faultsOf(pool, clients)));
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `away: ${total.outages} outages (${kinds.join(', ')}; ${options.seconds} s), slowest answer ${total.slowestMs} ms, resumed after ${total.resumedMs} ms at most and indexing after ${total.indexedMs}; ` +
    `${clients.pages.acknowledged} acknowledged and ${clients.pages.unanswered} refused changes of pages, ` +
    `${clients.events.acknowledged.size} and ${clients.events.unanswered.size} events; ${faults.length} faults\n`,
);
await Promise.all(processes.map((serviceProcess) => serviceProcess.stop()));
await pool.end();
forwarder.close();
await database.drop();
process.exit(faults.length > 0 ? 1 : 0);
