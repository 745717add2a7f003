/**
 * Kills api, worker, both, or the database, at random moments while clients write, and compares what is there afterwards
 * with what the clients were told: `DATABASE_URL=… node .build/scripts/faults/kills.js [--rounds 200] [--seed N]
 * [--restart-database COMMAND]`. The database is killed only where a command can start it again (on the same port, from
 * the same folder); it must run on this machine: its first process gets SIGQUIT, as `pg_ctl stop -m immediate` sends it.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/errors.js';
import { random } from '../bench/many-pages.js';
import { createUnlimitedProject, startServiceProcess } from '../bench/service-process.js';
import { throwawayDatabase } from '../bench/throwaway-database.js';
import { allIndexed, faultsOf } from './kills/check.js';
import { startClients } from './kills/clients.js';
import { postgresProcess } from './postgres-process.js';

const options = new Command('kills')
  .option('--rounds <n>', 'how often something is killed', '200')
  .option('--seed <n>', 'of what and when', '1')
  .option('--restart-database <command>', 'starts the killed database again; without it, it is not killed')
  .parse()
  .opts<{ rounds: string; seed: string; restartDatabase?: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new OperatorError('Set DATABASE_URL: the roles api and worker are two processes on one server.');

const CLIENTS = 4;
const next = random(Number(options.seed));
const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
pool.on('error', () => undefined);

type Role = 'api' | 'worker';
const running = new Map<Role, Awaited<ReturnType<typeof startServiceProcess>>>();
const start = async (role: Role): Promise<void> => {
  running.set(role, await startServiceProcess(role, environment));
};
const kill = (role: Role): void => {
  const it = running.get(role);
  running.delete(role);
  if (it) process.kill(it.pid, 'SIGKILL');
};

async function killDatabase(): Promise<void> {
  await (await postgresProcess(database.url)).quit();
  execFileSync('bash', ['-c', options.restartDatabase ?? 'false'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

await start('api');
const key = await createUnlimitedProject('kills', environment);
await start('worker');
const clients = startClients(CLIENTS, key, () => running.get('api')?.url);
const killed = { api: 0, worker: 0, both: 0, database: 0 };
const victims = (['api', 'worker', 'both', 'database'] as const).filter((victim) => victim !== 'database' || options.restartDatabase !== undefined);
const startedAt = performance.now();
for (let round = 0; round < Number(options.rounds); round++) {
  await pause(50 + next() * 1_000);
  const victim = victims[Math.floor(next() * victims.length)] ?? 'api';
  killed[victim]++;
  if (victim === 'database') {
    await killDatabase();
  } else {
    const roles: Role[] = victim === 'both' ? ['api', 'worker'] : [victim];
    roles.forEach(kill);
    await Promise.all(roles.map(start));
  }
}
await clients.stop();
await allIndexed(pool);

const faults = await faultsOf(pool, clients);
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
const { pages, events } = clients;
process.stdout.write(
  `kills: ${options.rounds} rounds in ${Math.round((performance.now() - startedAt) / 1000)} s, seed ${options.seed} ` +
    `(${Object.entries(killed).map(([victim, n]) => `${victim} ${n}`).join(', ')}): ${pages.acknowledged} acknowledged and ${pages.unanswered} unanswered changes of pages, ` +
    `${events.acknowledged.size} and ${events.unanswered.size} events; ${faults.length} faults\n`,
);
await pool.end();
for (const role of ['api', 'worker'] as const) kill(role);
await database.drop();
process.exit(faults.length > 0 ? 1 : 0);
