import type { PGlite } from '@electric-sql/pglite';
import { messageOf } from '../../errors.js';

/** What PostgreSQL's main loop throws for every ordinary error: control goes back to its top. */
const LONG_JUMP = 100;

/**
 * Ends the thread when its PostgreSQL has died, which PGlite tells nobody.
 *
 * PGlite catches everything that comes out of PostgreSQL's main loop and goes on. After a PANIC (a disk without space
 * for the write-ahead log: `could not write to file "pg_wal/xlogtemp.42": No space left on device`) or a trap of
 * WebAssembly the next statement would run in what is left of a dead process; seen here: it never came back, and every
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

/** What PostgreSQL says on stderr before it dies; a client's statement is never part of that. */
export class DeathReason {
  #said: string | undefined;

  readonly hear = (line: string): boolean => {
    const [, words] = /(?:PANIC|FATAL): +(.*)/.exec(line) ?? [];
    if (words !== undefined) this.#said = words;
    return false;
  };

  reason(error: unknown): string {
    return this.#said ?? messageOf(error);
  }
}
