import type pg from 'pg';

/** A service that is killed in pieces. */
export interface Target {
  /** Settings with which its commands reach its database. */
  environment: NodeJS.ProcessEnv;
  /** Starts all of it. */
  start: () => Promise<void>;
  /** Where requests go; undefined while nobody answers. */
  address: () => string | undefined;
  /** What may be killed, and started again. */
  victims: Record<string, () => Promise<void>>;
  /** A connection to its database, for looking. */
  pool: () => pg.Pool;
  /** Kills what is left and removes its database. */
  end: () => Promise<void>;
}
