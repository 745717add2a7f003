/**
 * An earlier release goes on working while this one migrates the database under it: `DATABASE_URL=… node
 * .build/scripts/lab/faults/upgrade.js [--release COMMIT] [--requests 400]`. That release is built from git, its api
 * and worker serve clients that write and search, and `migrate` of this release runs in between. No request may fail.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { startChild } from '../../service/child.js';
import { runCommand } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { ask, type Heard } from '../../faults/ask.js';
import { allIndexed, faultsOf } from '../../faults/kills/check.js';
import { startClients } from '../../faults/kills/clients.js';
import { readOptions } from '../harness.js';
import { neededServer } from '../processes.js';

const options = readOptions({
  release: ['', 'commit of the earlier release; without it, the one before the last change of db/migrations'],
  requests: [400, 'acknowledged changes of pages before the migration, and again after it'],
});
const server = neededServer();

const git = (...argv: string[]): string => execFileSync('git', argv, { cwd: packageRoot(), encoding: 'utf8' }).trim();
const release =
  options.release === ''
    ? git('rev-parse', `${git('log', '--first-parent', '-1', '--format=%H', '--', 'db/migrations')}^1`)
    : options.release;
const folder = mkdtempSync(join(tmpdir(), 'pathmend-earlier-'));
git('worktree', 'add', '--detach', folder, release);
symlinkSync(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const earlier = join(folder, 'dist', 'cli.js');

const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  DATABASE_URL: database.url,
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
};
const command = (...argv: string[]): unknown =>
  JSON.parse(execFileSync(process.execPath, [earlier, ...argv, '--json'], { env: environment, encoding: 'utf8' }));
const api = await startChild([earlier, 'serve', '--role', 'api', '--json'], environment);
const worker = await startChild([earlier, 'serve', '--role', 'worker', '--json'], environment);
const { url } = api.ready as { url: string };
const unlimited = ['read-rate', 'read-burst', 'write-rate', 'write-burst'].flatMap((rate) => [`--${rate}`, '100000']);
command('project', 'create', '--name', 'upgrade', '--plan', 'enterprise', ...unlimited);
const { key } = command('key', 'create', '--project', 'upgrade', '--mode', 'live') as { key: string };
const pool = new pg.Pool({ connectionString: database.url, max: 2 });

const failed: string[] = [];
const heard = ({ status, text }: Heard): void => {
  // A page that is not there cannot be deleted: 404 says as much as 200.
  if (status === undefined || (status >= 400 && status !== 404))
    failed.push(`${status ?? 'no answer'}: ${text.slice(0, 200)}`);
};
const clients = startClients(4, key, () => url, { heard });
let searches = 0;
const searching = new AbortController();
/** Never the same question twice: each reads the index. */
async function search(path: string, body: (turn: number) => object): Promise<void> {
  for (let turn = 0; !searching.signal.aborted; turn++) {
    heard(await ask(url + path, path, 'POST', key, body(turn)));
    searches++;
  }
}
const searchers = Promise.all([
  search('/v1/suggest', (turn) => ({ path: `/lantern-harbour/${turn}` })),
  search('/v1/semantic-search', (turn) => ({ query: `which teapot and compass, asked for time ${turn}` })),
]);
async function acknowledged(more: number): Promise<void> {
  const enough = clients.pages.acknowledged + more;
  while (clients.pages.acknowledged < enough) await pause(20);
}

await acknowledged(options.requests);
const began = performance.now();
const { applied } = (await runCommand(['migrate'], environment)) as { applied: string[] };
const took = performance.now() - began;
await acknowledged(options.requests);
const ready = (await fetch(`${url}/readyz`)).status;
searching.abort();
await Promise.all([clients.stop(), searchers]);
await allIndexed(pool);

const faults = [...failed, ...(await faultsOf(pool, clients))];
if (applied.length === 0) faults.push(`nothing was migrated: ${release} is of the same schema`);
for (const fault of faults.slice(0, 50)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `upgrade: ${applied.join(', ')} in ${Math.round(took)} ms under ${release.slice(0, 7)}: ${clients.pages.acknowledged} changes of pages, ` +
    `${clients.events.acknowledged.size} events and ${searches} searches acknowledged; its /readyz after that: ${ready}; ${faults.length} faults\n`,
);
await pool.end();
await Promise.all([api.stop(), worker.stop()]);
await database.drop();
git('worktree', 'remove', '--force', folder);
process.exit(faults.length > 0 ? 1 : 0);
