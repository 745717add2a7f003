import { Socket } from 'node:net';
import pg from 'pg';
import type { SessionSettings } from './settings.js';

/** A client of pg that knows its socket, to break it, and how its session is set, which outlasts a loan. */
export class SessionClient extends pg.Client {
  readonly socket: Socket;
  settings: SessionSettings = {};
  /** When it last threw its generic plans away, in monotonic milliseconds. */
  plansFrom = 0;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

export type PooledClient = SessionClient & Pick<pg.PoolClient, 'release'>;
