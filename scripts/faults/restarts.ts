/**
 * Ends processes by SIGTERM under load, and restarts two instances in turn behind a balancer:
 * `DATABASE_URL=… node .build/scripts/faults/restarts.js [--rounds 20]`. 16 connections search, push pages and send
 * events. A request fails if it was sent and not answered whole and well.
 */
import { Command } from 'commander';
import { OperatorError } from '#src/base/errors.js';
import { throwawayDatabase } from '../service/throwaway-database.js';
import { restartInTurn, terminateUnderLoad, type Restarts } from './restarts/rounds.js';

const { rounds } = new Command('restarts')
  .option('--rounds <n>', 'how often each', '20')
  .parse()
  .opts<{ rounds: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: two instances are two processes on one server.');

let faults = 0;
for (const [name, run] of [
  ['SIGTERM under load, --role api', (environment) => terminateUnderLoad(environment, 'api', Number(rounds))],
  ['SIGTERM under load, --role all', (environment) => terminateUnderLoad(environment, 'all', Number(rounds))],
  ['two instances in turn', (environment) => restartInTurn(environment, Number(rounds), true)],
  [
    'two instances in turn, a connection for each request',
    (environment) => restartInTurn(environment, Number(rounds), false),
  ],
] satisfies [string, (environment: Record<string, string>) => Promise<Restarts>][]) {
  const database = await throwawayDatabase(server);
  const { restarts, requests, last, slowestEndMs, failed } = await run({ DATABASE_URL: database.url });
  for (const failure of failed.slice(0, 20)) process.stderr.write(`${failure}\n`);
  process.stdout.write(
    `restarts, ${name}: ${restarts} restarts, ${requests} requests, ${last} told that their connection ends, ` +
      `slowest end ${slowestEndMs} ms; ${failed.length} failed\n`,
  );
  faults += failed.length;
  await database.drop();
}
process.exit(faults > 0 ? 1 : 0);
