import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PgBouncer } from './pgbouncer.js';
import type { TestService } from './service.js';

/** What a process of a test run knows of it before any file of tests is loaded. */
export const run: {
  /** A file that was loaded uses the shared service. Tests of functions alone need not wait for one. */
  usesService: boolean;
  service?: TestService;
  /** What TEST_PGBOUNCER asked for. */
  pooler?: PgBouncer;
} = { usesService: false };

/** A folder of the run, for all of its processes: mocha starts the others from the one that asks first. */
export function runFolder(): string {
  return (process.env['PATHMEND_TEST_RUN'] ??= mkdtempSync(join(tmpdir(), 'pathmend-run-')));
}
