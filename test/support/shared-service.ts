import { run } from './run.js';
import type { TestService } from './service.js';

run.usesService = true;

/**
 * One service for all tests that need no settings of their own; each makes its own project in it. It starts before the
 * tests of the first file that imports this one.
 */
export function sharedService(): TestService {
  if (!run.service) throw new Error('the shared service runs inside tests and hooks only');
  return run.service;
}

export { mochaGlobalSetup, mochaGlobalTeardown, mochaHooks } from './hooks.js';
