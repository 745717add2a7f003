import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from './database.js';
import { run, runFolder } from './run.js';

/** Databases of shared services that a process leaves behind: mocha ends its workers without a word. */
const LEFT = 'database-of-';

/** Around the tests of one file in a worker of mocha's, around all tests where there are none. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    if (!run.usesService || run.service) return;
    this.timeout(120_000);
    const { startTestService } = await import('./service.js');
    run.service = await startTestService();
    writeFileSync(join(runFolder(), `${LEFT}${process.pid}`), JSON.stringify(run.service.database));
  },
  async afterAll(this: Mocha.Context) {
    if (!run.service) return;
    this.timeout(60_000);
    const { send } = await import('./service.js');
    const metrics = await send(run.service.service.url, 'GET', '/metrics');
    if (metrics.status !== 200) throw new Error(`/metrics answered ${metrics.status}`);
  },
};

export async function mochaGlobalSetup(): Promise<void> {
  runFolder();
  if (process.env['TEST_DATABASE'] !== 'docker' || process.env['TEST_DATABASE_URL'] !== undefined) return;
  const { startContainer } = await import('./database.js');
  await startContainer();
}

/** In the process that started the others, after all tests. What it throws fails the run, as a test would. */
export async function mochaGlobalTeardown(): Promise<void> {
  const folder = runFolder();
  const { dropTestDatabase, stopContainer } = await import('./database.js');
  await run.service?.service.stop();
  const left = readdirSync(folder).filter((name) => name.startsWith(LEFT));
  for (const name of left) await dropTestDatabase(JSON.parse(readFileSync(join(folder, name), 'utf8')) as TestDatabase);
  await stopContainer();
  const { searchForSecrets } = await import('./said-aloud.js');
  const characters = searchForSecrets();
  if (left.length > 0 && characters === 0) throw new Error('nothing was said at all: the search is broken');
  if (characters > 0) console.log(`no key and no password among ${characters} characters of logs, answers and metrics`);
  await rm(folder, { recursive: true });
}
