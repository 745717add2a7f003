import type pg from 'pg';

/** A service whose parts are killed one by one. */
export interface Target {
  /** Settings with which its commands reach its database. */
  environment: NodeJS.ProcessEnv;
  /** Starts all of it. */
  start: () => Promise<void>;
  /** The address of the API; undefined while no process answers. */
  address: () => string | undefined;
  /** The parts of the service; each function kills a part and starts it again. */
  victims: Record<string, () => Promise<void>>;
  /** A connection to its database, for looking. */
  pool: () => pg.Pool;
  /** Kills what is left and removes its database. */
  end: () => Promise<void>;
}
