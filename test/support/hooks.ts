import { rm } from 'node:fs/promises';
import { run, runFolder } from './run.js';

/** Around all tests of one process. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    if (!run.usesService) return;
    this.timeout(120_000);
    const { startTestService } = await import('./service.js');
    run.service = await startTestService();
  },
  async afterAll(this: Mocha.Context) {
    if (!run.service) return;
    this.timeout(60_000);
    const { send } = await import('./service.js');
    const metrics = await send(run.service.service.url, 'GET', '/metrics');
    if (metrics.status !== 200) throw new Error(`/metrics answered ${metrics.status}`);
    await run.service.stop();
  },
};

export function mochaGlobalSetup(): void {
  runFolder();
}

/** In the process that started the others, after all tests. What it throws fails the run, as a test would. */
export async function mochaGlobalTeardown(): Promise<void> {
  const { stopContainer } = await import('./database.js');
  await stopContainer();
  const { searchForSecrets } = await import('./said-aloud.js');
  const characters = searchForSecrets();
  if (run.usesService && characters === 0) throw new Error('nothing was said at all: the search is broken');
  if (characters > 0) console.log(`no key and no password among ${characters} characters of logs, answers and metrics`);
  await rm(runFolder(), { recursive: true });
}
