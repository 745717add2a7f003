/** scripts/faults/confined.sh runs this confined: it tries what it may write, starts the service, indexes and asks. */
import { constants } from 'node:fs';
import { access, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { OperatorError } from '#src/base/errors.js';
import { packageRoot } from '#src/base/package-root.js';
import { throwawayDatabase } from '../service/throwaway-database.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../service/service-process.js';

const dataDir = process.env['DATA_DIR'] ?? '';
const faults: string[] = [];

/** A folder and all inside it but packages. A folder that this user may not list counts as empty. */
async function foldersWithin(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return [];
    throw error;
  });
  const inside = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return [folder, ...(await Promise.all(inside.map((entry) => foldersWithin(join(folder, entry.name))))).flat()];
}

/** Finds every mount, folder of the package and common folder of a system that a file can be written into. */
async function writableFolders(): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '/');
  const writable: string[] = [];
  for (const folder of new Set([
    ...mounts,
    ...(await foldersWithin(packageRoot())),
    '/',
    '/etc',
    '/usr',
    '/var',
    '/var/tmp',
    '/home',
    '/root',
    '/run',
    '/dev',
    '/dev/shm',
  ])) {
    const file = join(folder, `confined-${process.pid}`);
    const written = await writeFile(file, '#!/bin/sh\n', { mode: 0o755 }).then(
      () => true,
      () => false,
    );
    if (!written) continue;
    writable.push(folder);
    if (
      folder === '/tmp' &&
      (await access(file, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      faults.push('what is written to /tmp can be run');
    await unlink(file);
  }
  return writable.sort();
}

const status = await readFile('/proc/self/status', 'utf8');
const of = (field: string): string => new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
if (process.getuid?.() === 0)
  throw new OperatorError('This is for scripts/faults/confined.sh to run, and not as root.');
for (const capabilities of ['CapEff', 'CapPrm', 'CapBnd'])
  if (!/^0+$/.test(of(capabilities))) faults.push(`${capabilities} is ${of(capabilities)}`);
if (of('NoNewPrivs') !== '1') faults.push('new privileges can be had');
const writable = await writableFolders();
if (writable.join() !== ['/tmp', dataDir].sort().join()) faults.push(`it may write to ${writable.join(', ')}`);

const server = process.env['DATABASE_URL'] ?? '';
const database = server === '' ? undefined : await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database?.url ?? '' };
const first = await startServiceProcess(database ? 'api' : 'all', environment);
const worker = database ? await startServiceProcess('worker', environment) : undefined;
const key = await createUnlimitedProject('confined', environment);
const call = async (path: string, body: unknown): Promise<{ suggestions?: { url: string }[] }> => {
  const answer = await fetch(first.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) faults.push(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (answer.ok ? await answer.json() : {}) as { suggestions?: { url: string }[] };
};
const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
for (const { url, title, content, metadata } of pages)
  await call('/v1/pages/upsert', { url, title, content, metadata });
const indexed = async (): Promise<number> =>
  ((await runCommand(['project', 'show', '--project', 'confined'], environment)) as { pages: { INDEXED: number } })
    .pages.INDEXED;
const until = performance.now() + 120_000;
while ((await indexed()) < pages.length && performance.now() < until) await pause(200);
const inIndex = await indexed();
if (inIndex !== pages.length) faults.push(`${inIndex} of ${pages.length} pages are indexed`);
const mistypedPaths = ['/help/retruns/return-an-itme', '/products/cofee/tasting-box', '/legal/privcy'];
const right = ['/help/returns/return-an-item', '/products/coffee/tasting-box', '/legal/privacy'];
let answered = 0;
for (const [i, path] of mistypedPaths.entries())
  if ((await call('/v1/suggest', { path })).suggestions?.[0]?.url === right[i]) answered++;
if (answered < mistypedPaths.length) faults.push(`${answered} of ${mistypedPaths.length} paths got their page`);
const threads = (await readdir(`/proc/${first.pid}/task`)).length;
const memory = /^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${first.pid}/status`, 'utf8'))?.[1] ?? '0';
await first.stop();
await worker?.stop();
await database?.drop();

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `confined: user ${process.getuid?.() ?? '?'}, no capabilities, writes to ${writable.join(' and ')} alone; ${inIndex} of ${pages.length} pages indexed, ` +
    `${answered} of ${mistypedPaths.length} paths answered, ${threads} threads, ${Math.round((Number(memory) * 1024) / 1e6)} MB at most; ${faults.length} faults\n`,
);
process.exit(faults.length > 0 ? 1 : 0);
