/**
 * Fills the disk that the database lies on while clients write, gives the space back, and compares what is stored
 * afterwards with the answers that the clients got: `node .build/scripts/lab/faults/disk-full.js [--rounds 5] [--seed
 * N]` makes a small file system of its own (tmpfs; as root) for the embedded database. For a server whose data folder
 * lies on a small file system already: `DATABASE_URL=… … --disk FOLDER --restart-database COMMAND`, where FOLDER is on
 * it: a server that cannot write its log stops, and somebody must start it again.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '#src/base/errors.js';
import { random } from '../../seeded.js';
import { createUnlimitedProject } from '../../service/service-process.js';
import { readOptions } from '../harness.js';
import { fillDisk, startOnFullDisk } from './full-disk.js';
import { allIndexed, faultsOf } from '../../faults/kills/check.js';
import { startClients } from '../../faults/kills/clients.js';
import { onEmbedded } from '../../faults/kills/on-embedded.js';
import { onServer } from '../../faults/kills/on-server.js';

const options = readOptions({
  rounds: [5, 'how often the disk is filled'],
  seed: [1, 'of how full'],
  disk: ['', 'a folder on the small file system that the server of DATABASE_URL writes to'],
  restartDatabase: ['', 'a command that starts the server again if it stopped'],
});
const next = random(options.seed);
const MEGABYTE = 2 ** 20;
const REFUSED_WITHIN_MS = 180_000;
const BACK_WITHIN_MS = 120_000;
const STAYS_FULL_MS = 8_000;
const PROBE_WITHIN_MS = 15_000;

const smallDisk = options.disk === '' ? mkdtempSync(join(tmpdir(), 'pathmend-small-disk-')) : undefined;
if (smallDisk !== undefined)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'pathmend-small-disk', smallDisk]);
const disk = smallDisk ?? options.disk;
if (statfsSync(disk).bsize * statfsSync(disk).blocks > 8_192 * MEGABYTE)
  throw new OperatorError(`${disk} is on a large file system: this would fill it.`);
const target =
  smallDisk === undefined
    ? await onServer(process.env['DATABASE_URL'] ?? '', undefined)
    : await onEmbedded(next, smallDisk);
/** The name of a refusal for a request that got no answer in time. */
const HANGS = 'no answer in time';

await target.start();
const key = await createUnlimitedProject('disk-full', target.environment);
/** The number of answers that acknowledge nothing, by status and message, or by why there was no answer. */
const refused = new Map<string, number>();
const clients = startClients(4, key, target.address, {
  more: () => ` ${randomBytes(6_000).toString('base64url')}`,
  heard: ({ status, text }) => {
    if (status !== undefined && (status < 400 || status === 404)) return;
    const what =
      status === undefined
        ? /timeout/i.test(text)
          ? HANGS
          : 'no connection'
        : `${status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 100)}`;
    refused.set(what, (refused.get(what) ?? 0) + 1);
  },
});
const faults: string[] = [];

/** Returns the status that an operator's probe gets; a probe without an answer is a fault. */
async function probe(path: string): Promise<number> {
  try {
    return (await fetch((target.address() ?? '') + path, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) })).status;
  } catch (error) {
    faults.push(`${path} is not answered: ${String(error)}`);
    return 0;
  }
}

async function waitFor(what: string, ms: number, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) {
      faults.push(`waited ${ms / 1000} s in vain: ${what}`);
      return;
    }
    await pause(200);
  }
}

const refusals = (): number => [...refused.values()].reduce((sum, n) => sum + n, 0);
const ready = new Map<number, number>();
const startedAt = performance.now();
for (let round = 0; round < options.rounds; round++) {
  const before = refusals();
  const ballast = await fillDisk(disk, Math.floor(next() * 24 * MEGABYTE));
  await waitFor('something is refused', REFUSED_WITHIN_MS, () => refusals() > before);
  const fullUntil = performance.now() + STAYS_FULL_MS;
  while (performance.now() < fullUntil) {
    const status = await probe('/readyz');
    ready.set(status, (ready.get(status) ?? 0) + 1);
    if ((await probe('/healthz')) !== 200) faults.push('the process does not live');
    await pause(500);
  }
  if (smallDisk !== undefined && round === 0) faults.push(...(await startOnFullDisk(disk)));
  ballast.remove();
  if (options.restartDatabase !== '')
    execFileSync('bash', ['-c', options.restartDatabase], { stdio: ['ignore', 'ignore', 'inherit'] });
  const acknowledged = clients.pages.acknowledged;
  await waitFor(
    'it is ready again and acknowledges',
    BACK_WITHIN_MS,
    async () => clients.pages.acknowledged > acknowledged + 10 && (await probe('/readyz')) === 200,
  );
}
await clients.stop();
const pool = target.pool();
await allIndexed(pool);
faults.push(...(await faultsOf(pool, clients)));
const hangs = refused.get(HANGS) ?? 0;
if (hangs > 0) faults.push(`${hangs} requests without an answer in time`);
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
const { pages, events } = clients;
process.stdout.write(
  `disk full: ${options.rounds} times in ${Math.round((performance.now() - startedAt) / 1000)} s, seed ${options.seed}: ` +
    `${pages.acknowledged} acknowledged changes of pages and ${events.acknowledged.size} events; refused: ` +
    `${[...refused].map(([what, n]) => `${n} × ${what}`).join(', ')}; /readyz while full: ` +
    `${[...ready].map(([status, n]) => `${n} × ${status}`).join(', ')}; ${faults.length} faults\n`,
);
await target.end();
if (smallDisk !== undefined) {
  execFileSync('umount', ['-l', smallDisk]);
  rmdirSync(smallDisk);
}
process.exit(faults.length > 0 ? 1 : 0);
