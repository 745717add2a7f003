/**
 * Sends requests of every kind to every operation and counts the answers that break a promise: `node
 * .build/scripts/faults/fuzz.js [--requests 100000] [--seed N]`; DATABASE_URL names a server, else embedded. They are
 * made by fast-check from the schemas that the routes themselves check by: values of wrong types, huge, deep, Unicode
 * of every plane and none, damaged JSON, frames and heads. A fault is shown in its smallest form, with the seed to
 * repeat it.
 */
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { indexManyPages } from '../service/index-many-pages.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { fuzz } from './fuzz/run.js';

const options = new Command('fuzz')
  .option('--requests <n>', 'how many', '100000')
  .option('--seed <n>', 'of the values', String(Date.now() % 1_000_000))
  .parse()
  .opts<{ requests: string; seed: string }>();

let logged = '';
const log = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
const { service, stop } = await startThrowawayService(process.env, createLogger('error', log));
const { key } = await indexManyPages(service, 100, 1);
const startedAt = performance.now();
const { requests, statuses, faults } = await fuzz(service, key, Number(options.requests), Number(options.seed));
const ready = (await fetch(`${service.url}/readyz`)).status;
const failed = logged.split('\n').filter((line) => line.includes('request failed'));
for (const line of [...faults, ...failed.slice(0, 20)]) process.stderr.write(`${line}\n`);
const spread = Object.entries(statuses)
  .map(([status, n]) => `${n} × ${status}`)
  .join(', ');
process.stdout.write(
  `fuzz: ${requests} requests in ${Math.round((performance.now() - startedAt) / 1000)} s, seed ${options.seed}: ${faults.length} operations with a fault, ` +
    `${failed.length} failures in the log, ready ${ready} (${spread})\n`,
);
await stop();
process.exit(faults.length + failed.length > 0 || ready !== 200 ? 1 : 0);
