import { stopContainer } from './database.js';
import { searchForSecrets } from './said-aloud.js';
import { send, startTestService, type TestService } from './service.js';

let running: TestService | undefined;

/** One service for all tests that need no settings of their own; each makes its own project in it. */
export function sharedService(): TestService {
  if (!running) throw new Error('the shared service runs inside tests and hooks only');
  return running;
}

export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    this.timeout(120_000);
    running = await startTestService();
  },
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    const metrics = await send(running?.service.url ?? '', 'GET', '/metrics');
    if (metrics.status !== 200) throw new Error(`/metrics answered ${metrics.status}`);
    await running?.stop();
    await stopContainer();
    // What it finds fails the run, as a test would.
    const { characters } = searchForSecrets();
    console.log(`no key and no password among ${characters} characters of logs, answers and metrics`);
  },
};
