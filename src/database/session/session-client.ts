import { Socket } from 'node:net';
import pg from 'pg';
import type { SessionSettings } from './session-settings.js';

/** A client of pg with its socket, so that it can be broken, and its session's settings, which outlast a checkout. */
export class SessionClient extends pg.Client {
  readonly socket: Socket;
  settings: SessionSettings = {};
  /** When its generic plans were last discarded, in monotonic milliseconds. */
  plansFrom = 0;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

export type PooledClient = SessionClient & Pick<pg.PoolClient, 'release'>;
