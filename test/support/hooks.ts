import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import type { TestDatabase } from './database.js';
import { killServers } from './processes.js';
import { run, runFolder } from './run.js';

/** Databases of shared services that a process leaves behind: mocha ends its workers without a word. */
const LEFT = 'database-of-';

/**
 * The name of a file, to which each file of tests adds a line: the seconds that it took, the seconds of CPU time (of
 * this process and the programs that it ran), and its path. This is for `--parallel`.
 */
const times = process.env['TEST_TIMES'];
let began = performance.now();
let used = times === undefined ? 0 : cpuSeconds();

/** True once record-statements.ts records statements, into the file that TEST_STATEMENTS names. */
let isRecording = false;

/** These hooks run around the tests of one file in a worker of mocha's, and around all tests without workers. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    const statements = process.env['TEST_STATEMENTS'];
    if (statements !== undefined && !isRecording) {
      isRecording = true;
      const { recordStatements } = await import('./record-statements.js');
      recordStatements(statements);
    }
    if (!run.usesService || run.service) return;
    this.timeout(120_000);
    const { startTestService } = await import('./service.js');
    run.service = await startTestService();
    writeFileSync(join(runFolder(), `${LEFT}${process.pid}`), JSON.stringify(run.service.database));
  },
  async afterAll(this: Mocha.Context) {
    await killServers();
    const file = this.test?.parent?.suites[0]?.file ?? '';
    if (times !== undefined) {
      const [now, cpu] = [performance.now(), cpuSeconds()];
      const took = [(now - began) / 1000, cpu - used].map((seconds) => seconds.toFixed(1));
      appendFileSync(times, `${took.join(' ')} ${relative(packageRoot(), file)}\n`);
      [began, used] = [now, cpu];
    }
    if (!run.service) return;
    this.timeout(60_000);
    const { send } = await import('./service.js');
    const metrics = await send(run.service.service.url, 'GET', '/metrics');
    if (metrics.status !== 200) throw new Error(`/metrics answered ${metrics.status}`);
  },
};

/**
 * The processor time of this process, its threads, and its children that have ended: the fields 14 to 17 of proc(5), in
 * hundredths of a second.
 */
function cpuSeconds(): number {
  // Only Linux counts the children.
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  return fields
    .split(' ')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

export async function mochaGlobalSetup(): Promise<void> {
  runFolder();
  await startPooler();
  if (process.env['TEST_DATABASE'] !== 'docker' || process.env['TEST_DATABASE_URL'] !== undefined) return;
  const { startContainer } = await import('./database.js');
  await startContainer();
}

/** Starts a PgBouncer before TEST_DATABASE_URL in the mode of TEST_PGBOUNCER, for all processes of the run. */
async function startPooler(): Promise<void> {
  const { TEST_PGBOUNCER: mode, TEST_DATABASE_URL: server } = process.env;
  if (mode === undefined) return;
  if (server === undefined || (mode !== 'session' && mode !== 'transaction'))
    throw new Error('TEST_PGBOUNCER is session or transaction, and goes with TEST_DATABASE_URL');
  const { startPgBouncer } = await import('./pgbouncer.js');
  // This size is for each database and login. A session pooler needs as many connections as there are clients.
  run.pooler = await startPgBouncer(server, mode, [`default_pool_size = ${mode === 'session' ? 100 : 10}`]);
  process.env['PATHMEND_TEST_POOLER'] = String(run.pooler.port);
}

/** This runs after all tests, in the process that started the others. An error that it throws fails the run. */
export async function mochaGlobalTeardown(): Promise<void> {
  const folder = runFolder();
  const { dropTemplate, dropTestDatabase, stopContainer } = await import('./database.js');
  const { stopSharedEmbedder } = await import('./shared-embedder.js');
  await run.service?.service.stop();
  await stopSharedEmbedder();
  const left = readdirSync(folder).filter((name) => name.startsWith(LEFT));
  for (const name of left) await dropTestDatabase(JSON.parse(readFileSync(join(folder, name), 'utf8')) as TestDatabase);
  await dropTemplate();
  await stopContainer();
  await run.pooler?.stop();
  const { searchForSecrets } = await import('./said-aloud.js');
  const characters = searchForSecrets();
  if (left.length > 0 && characters === 0) throw new Error('nothing was said at all: the search is broken');
  if (characters > 0) console.log(`no key and no password among ${characters} characters of logs, answers and metrics`);
  await rm(folder, { recursive: true });
}
