import { Socket } from 'node:net';
import pg from 'pg';
import type { SessionSettings } from './session-settings.js';

/** A client of pg with its socket, so that it can be broken, and its session's settings, which outlast a checkout. */
export class SessionClient extends pg.Client {
  readonly socket: Socket;
  settings: SessionSettings = {};
  /** When its session's generic plans were last discarded, in monotonic ms. Clients of one session share this. */
  plans = { from: 0 };
  /** A pooler stands between: the session may be another's in a moment (prepare-connection.ts). */
  isPooled = false;
  /**
   * It leads to a coordinator of Citus. Other nodes hear of settings of a transaction only, and a statement is planned
   * with its values, which say where it goes.
   */
  isDistributed = false;
  /** The pooler keeps the plans of prepared statements, whichever session they meet. */
  keepsPlans = false;
  /** Statements that each transaction through the pooler, or to Citus, begins with. */
  ofTransactions: readonly string[] = [];

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    // The pool hides the password from spreading.
    super({ ...config, ...(config?.password && { password: config.password }), stream: () => socket });
    this.socket = socket;
  }
}

export type PooledClient = SessionClient & Pick<pg.PoolClient, 'release'>;
