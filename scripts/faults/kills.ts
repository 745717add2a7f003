/**
 * Kills pieces of the service at random moments while clients write, and compares what is there afterwards with what
 * the clients were told. On a server, api, worker, both, or the database: `DATABASE_URL=… node
 * .build/scripts/faults/kills.js [--rounds 200] [--seed N] [--restart-database COMMAND]`. The database is killed only
 * where a command can start it again (on the same port, from the same folder); it must run on this machine: its first
 * process gets SIGQUIT, as `pg_ctl stop -m immediate` sends it. With `--embedded`, the one process that serves a data
 * folder, and in some rounds its next start as well.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { OperatorError } from '#src/base/errors.js';
import { random } from '../seeded.js';
import { createUnlimitedProject } from '../service/service-process.js';
import { allIndexed, faultsOf } from './kills/check.js';
import { startClients } from './kills/clients.js';
import { onEmbedded } from './kills/on-embedded.js';
import { onServer } from './kills/on-server.js';
import type { Target } from './kills/target.js';

const options = new Command('kills')
  .option('--rounds <n>', 'how often something is killed', '200')
  .option('--seed <n>', 'of what and when', '1')
  .option('--embedded', 'one process on a data folder of its own, in place of a server')
  .option('--restart-database <command>', 'starts the killed database again; without it, it is not killed')
  .parse()
  .opts<{ rounds: string; seed: string; embedded?: true; restartDatabase?: string }>();

const CLIENTS = 4;
const ANSWERS_WITHIN_MS = 20_000;
const next = random(Number(options.seed));

async function openTarget(): Promise<Target> {
  if (options.embedded) return onEmbedded(next);
  const server = process.env['DATABASE_URL'];
  if (server === undefined || server === '')
    throw new OperatorError(
      'Set DATABASE_URL: the roles api and worker are two processes on one server. Or say --embedded.',
    );
  return onServer(server, options.restartDatabase);
}

/** Waits for some more answers, so that a slow machine too is killed in the middle of its work; not for ever. */
async function acknowledged(more: number): Promise<void> {
  const enough = clients.pages.acknowledged + more;
  const end = performance.now() + ANSWERS_WITHIN_MS;
  while (clients.pages.acknowledged < enough && performance.now() < end) await pause(5);
}

const target = await openTarget();
await target.start();
const key = await createUnlimitedProject('kills', target.environment);
const clients = startClients(CLIENTS, key, target.address);
const victims = Object.entries(target.victims);
const killed = new Map(victims.map(([name]) => [name, 0]));
const startedAt = performance.now();
const interrupted = new AbortController();
// Whoever interrupts it still hears what the rounds so far have lost.
process.once('SIGINT', () => {
  interrupted.abort();
});
let rounds = 0;
for (; rounds < Number(options.rounds) && !interrupted.signal.aborted; rounds++) {
  await pause(50 + next() * 1_000);
  await acknowledged(Math.floor(next() * 20));
  const [name, killAndStart] = victims[Math.floor(next() * victims.length)] ?? ['', () => Promise.resolve()];
  killed.set(name, (killed.get(name) ?? 0) + 1);
  await killAndStart();
}
await clients.stop();
const pool = target.pool();
await allIndexed(pool);
const faults = await faultsOf(pool, clients);
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
const { pages, events } = clients;
process.stdout.write(
  `kills: ${rounds} rounds in ${Math.round((performance.now() - startedAt) / 1000)} s, seed ${options.seed} ` +
    `(${[...killed].map(([victim, n]) => `${victim} ${n}`).join(', ')}): ${pages.acknowledged} acknowledged and ${pages.unanswered} unanswered changes of pages, ` +
    `${events.acknowledged.size} and ${events.unanswered.size} events; ${faults.length} faults\n`,
);
await target.end();
process.exit(faults.length > 0 ? 1 : 0);
