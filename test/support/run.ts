import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PgBouncer } from './pgbouncer.js';
import type { TestService } from './service.js';

/** The state of a test run in this process; it exists before any file of tests is loaded. */
export const run: {
  /** True if a loaded file of tests uses the shared service. Tests of functions alone need not wait for it. */
  usesService: boolean;
  service?: TestService;
  /** The PgBouncer that TEST_PGBOUNCER asks for. */
  pooler?: PgBouncer;
} = { usesService: false };

/** Returns the folder of the run for all of its processes: the process that asks first starts the others. */
export function runFolder(): string {
  return (process.env['PATHMEND_TEST_RUN'] ??= mkdtempSync(join(tmpdir(), 'pathmend-run-')));
}
