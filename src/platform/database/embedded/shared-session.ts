import { protocol, type PGlite } from '@electric-sql/pglite';
import { discardAll, isGuest, isStartup, saveSettings } from './guest-sessions.js';
import { PreparedStatements, PARSE_COMPLETE } from './prepared-statements.js';

/** Message types of the PostgreSQL protocol, as bytes: EXTENDED are those of an extended query before its Sync. */
const EXTENDED = new Set([...'PBDECH'].map((letter) => letter.charCodeAt(0)));
const [QUERY, EXECUTE, TERMINATE] = [0x51, 0x45, 0x58];

/**
 * This message is sent after every statement of a guest; only COPY reads it. PGlite does not wait for input: `COPY …
 * FROM STDIN` would read the end of the connection, which is fatal, and the whole database would restart.
 */
const NO_COPY = protocol.serialize.copyFail('the embedded database takes no COPY from its clients; use INSERT');

/** The max silence of a connection that holds the session while others wait. After that the connection is cut off. */
const MAX_SILENCE_MS = 60_000;

interface Waiting {
  from: number;
  message: Uint8Array;
  answer: (data: Uint8Array) => void;
  done: (bytes: number) => void;
  failed: (error: Error) => void;
}

export interface SharedSessionOptions {
  database: PGlite;
  /** Ends the thread; must not return. */
  die: (error: unknown) => never;
  /** Ends a connection. Returns false, and leaves it open, when it has not read its answers yet. */
  cutOff: (connection: number) => boolean;
  maxSilenceMs?: number | undefined;
}

/**
 * Shares the one session of PGlite among many connections. A connection has the session from the first message of a
 * query to its Sync, and from the beginning of a transaction to its end. (The queue of pglite-socket takes turns by
 * message: the Parse of another connection replaced the unnamed statement before its Bind.)
 *
 * Connections of pathmend leave the session as they found it. Guests (psql, pg_dump) need not: their settings are saved
 * while another has the session (guest-sessions.ts), and nothing of a guest stays when it leaves. Why:
 * docs/evidence/decisions/0006-embedded-postgresql.md.
 *
 * The public methods are those that connections of pglite-socket call on its queue. SQL errors are answers of the
 * protocol; when a call itself throws, the database is broken.
 */
export class SharedSession {
  readonly #database: PGlite;
  readonly #die: (error: unknown) => never;
  readonly #cutOff: (connection: number) => boolean;
  readonly #maxSilenceMs: number;
  #waiting: Waiting[] = [];
  /** The connection that has the session, or had it last. */
  #holder: number | undefined;
  #insideQuery = false;
  #running: Promise<void> | undefined;
  /** The connected guests, each with the statement that restores its settings. */
  readonly #guests = new Map<number, string>();
  readonly #left = new Set<number>();
  readonly #kept = new PreparedStatements();
  #heardAt = 0;
  #silenceTimer: NodeJS.Timeout | undefined;

  constructor({ database, die, cutOff, maxSilenceMs = MAX_SILENCE_MS }: SharedSessionOptions) {
    this.#database = database;
    this.#die = die;
    this.#cutOff = cutOff;
    this.#maxSilenceMs = maxSilenceMs;
  }

  enqueue(from: number, message: Uint8Array, answer: (data: Uint8Array) => void): Promise<number> {
    // A Terminate is ignored: the clean-up follows when the connection is closed.
    if (message[0] === TERMINATE) return Promise.resolve(0);
    if (isStartup(message) && isGuest(message)) this.#guests.set(from, '');
    return new Promise((done, failed) => {
      this.#waiting.push({ from, message, answer, done, failed });
      void this.#run();
    });
  }

  clearQueueForHandler(from: number): void {
    const dropped = this.#waiting.filter((request) => request.from === from);
    this.#waiting = this.#waiting.filter((request) => request.from !== from);
    for (const request of dropped) request.failed(new Error('the connection has ended'));
  }

  /** Cleans up after a connection that has ended. Resolves when nothing of it is left in the session. */
  async clearTransactionIfNeeded(from: number): Promise<void> {
    if (from === this.#holder) {
      this.#left.add(from);
      await this.#run();
      this.#left.delete(from);
    }
    this.#guests.delete(from);
  }

  #run(): Promise<void> {
    return (this.#running ??= this.#takeTurns());
  }

  async #takeTurns(): Promise<void> {
    clearTimeout(this.#silenceTimer);
    // `#running` has to be set before this ends.
    await Promise.resolve();
    for (;;) {
      if (this.#holder !== undefined && this.#left.has(this.#holder)) await this.#clearHolder(this.#holder);
      const next = this.#next();
      if (!next) break;
      try {
        if (next.from !== this.#holder) await this.#handOver(this.#holder, next.from);
      } catch (error) {
        next.failed(error instanceof Error ? error : new Error(String(error)));
        continue;
      }
      next.done(await this.#execute(next));
      this.#heardAt = performance.now();
    }
    this.#running = undefined;
    this.#cutOffWhenSilent();
  }

  #next(): Waiting | undefined {
    if (!this.#isTaken()) return this.#waiting.shift();
    const at = this.#waiting.findIndex(({ from }) => from === this.#holder);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #isTaken(): boolean {
    return this.#holder !== undefined && (this.#insideQuery || this.#database.isInTransaction());
  }

  async #execute({ from, message, answer }: Waiting): Promise<number> {
    const type = message[0] ?? 0;
    this.#insideQuery = EXTENDED.has(type);
    const parsed = this.#guests.has(from) ? undefined : this.#kept.nameIn(message);
    let bytes = 0;
    const hear = (data: Uint8Array): void => {
      bytes += data.length;
      if (parsed !== undefined) this.#kept.learn(parsed, message, data);
      answer(data);
    };
    if (parsed !== undefined && this.#kept.has(parsed)) {
      hear(PARSE_COMPLETE);
      return bytes;
    }
    const missing = this.#guests.has(from) ? undefined : this.#kept.missingFor(message);
    if (missing) {
      const { name, parse } = missing;
      const hearAgain = (data: Uint8Array): void => {
        this.#kept.learn(name, parse, data);
        if (!this.#kept.has(name)) hear(data);
      };
      await this.#database.execProtocolRawStream(parse, { onRawData: hearAgain }).catch(this.#die);
    }
    const sent =
      this.#guests.has(from) && (type === QUERY || type === EXECUTE) ? Buffer.concat([message, NO_COPY]) : message;
    await this.#database.execProtocolRawStream(sent, { onRawData: hear }).catch(this.#die);
    return bytes;
  }

  async #clearHolder(connection: number): Promise<void> {
    if (this.#insideQuery) await this.#send(protocol.serialize.sync());
    this.#insideQuery = false;
    if (this.#database.isInTransaction()) await this.#send(protocol.serialize.query('rollback'));
    if (this.#guests.has(connection)) await this.#discardAll();
    this.#holder = undefined;
  }

  /** @throws Error when a guest's settings cannot be restored: it must not go on with those of another */
  async #handOver(from: number | undefined, to: number): Promise<void> {
    // The holder is set first: if `to` ends meanwhile, it is known as the holder.
    this.#holder = to;
    if (from !== undefined && this.#guests.has(from)) {
      const settings = await saveSettings(this.#database).catch(this.#die);
      if (this.#guests.has(from)) this.#guests.set(from, settings);
      await this.#discardAll();
    }
    const settings = this.#guests.get(to) ?? '';
    if (settings !== '') await this.#database.execProtocolStream(protocol.serialize.query(settings));
  }

  async #discardAll(): Promise<void> {
    this.#kept.clear();
    await discardAll(this.#database).catch(this.#die);
  }

  async #send(message: Uint8Array): Promise<void> {
    await this.#database.execProtocolRawStream(message, { onRawData: () => undefined }).catch(this.#die);
  }

  #cutOffWhenSilent(): void {
    const silent = this.#holder;
    if (silent === undefined || this.#waiting.length === 0) return;
    this.#silenceTimer = setTimeout(
      () => {
        if (!this.#cutOff(silent)) this.#heardAt = performance.now();
        this.#cutOffWhenSilent();
      },
      Math.max(100, this.#heardAt + this.#maxSilenceMs - performance.now()),
    );
  }
}
