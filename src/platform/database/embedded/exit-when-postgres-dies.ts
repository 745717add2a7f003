import type { PGlite } from '@electric-sql/pglite';
import { messageOf } from '../../../base/errors.js';

/** The status that the main loop throws for every ordinary error, to return to its top. */
const LONG_JUMP = 100;

/**
 * Calls `die` when PostgreSQL has died. PGlite does not report it: it catches everything from the main loop and goes
 * on. After a PANIC (no disk space for the write-ahead log: `could not write to file "pg_wal/xlogtemp.42": No space
 * left on device`) or a WebAssembly trap, the next statement would run in a dead process. It never returned, and every
 * connection waited for ever.
 * @param die must not return.
 */
export function exitWhenPostgresDies(database: PGlite, die: (error: unknown) => never): void {
  const postgres = database.Module;
  const once = postgres._PostgresMainLoopOnce;
  postgres._PostgresMainLoopOnce = () => {
    try {
      once();
    } catch (error) {
      if ((error as { status?: unknown } | null)?.status !== LONG_JUMP) die(error);
      throw error;
    }
  };
}

/** The last PANIC or FATAL message on stderr. It never contains a statement of a client. */
export class DeathReason {
  #message: string | undefined;

  readonly readLine = (line: string): boolean => {
    const [, message] = /(?:PANIC|FATAL): +(.*)/.exec(line) ?? [];
    if (message !== undefined) this.#message = message;
    return false;
  };

  reason(error: unknown): string {
    return this.#message ?? messageOf(error);
  }
}
