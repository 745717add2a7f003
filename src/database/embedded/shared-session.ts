import { protocol, type PGlite } from '@electric-sql/pglite';
import { forgetAll, isGuest, isStartup, saveSettings } from './guests.js';

/**
 * Frontend message types of the PostgreSQL protocol, as bytes: those of an extended query before its Sync, and others.
 */
const EXTENDED = new Set([...'PBDECH'].map((letter) => letter.charCodeAt(0)));
const [QUERY, EXECUTE, TERMINATE] = [0x51, 0x45, 0x58];

/**
 * Follows every statement of a guest: one that is no COPY ignores it. PGlite waits for nobody, so a `COPY … FROM STDIN`
 * would read the end of its client's connection, which is fatal, and the whole database would begin anew.
 */
const NO_COPY = protocol.serialize.copyFail('the embedded database takes no COPY from its clients; use INSERT');

/** A connection that holds the session in silence for longer, while others wait for it, is cut off. */
const MAX_SILENCE_MS = 60_000;

interface Asked {
  from: number;
  message: Uint8Array;
  answer: (data: Uint8Array) => void;
  done: (bytes: number) => void;
  failed: (error: Error) => void;
}

export interface SharedSessionOptions {
  database: PGlite;
  /** Must not return. */
  die: (error: unknown) => never;
  /** Ends a connection, unless it has not taken yet all that it was answered: then it says no. */
  cutOff: (connection: number) => boolean;
  maxSilenceMs?: number | undefined;
}

/**
 * Lends PGlite's one session to many connections: to each from the first message of a query to its Sync, and from the
 * beginning of a transaction to its end. (pglite-socket's own queue takes turns by the message: another connection's
 * Parse before one's Bind replaced the unnamed statement.)
 *
 * The program's own connections leave the session as they found it. Guests (psql, pg_dump) need not: a guest's settings
 * are put aside while another has the session (guests.ts), and nothing stays of a guest that leaves. Why:
 * docs/decisions/0063-guests-of-the-embedded-database.md.
 *
 * The public methods are those that pglite-socket's connections call on its own queue. Errors of SQL are answers of the
 * protocol; if a call itself throws, the database is broken.
 */
export class SharedSession {
  readonly #database: PGlite;
  readonly #die: (error: unknown) => never;
  readonly #cutOff: (connection: number) => boolean;
  readonly #maxSilenceMs: number;
  #waiting: Asked[] = [];
  /** Who has the session, or had it last. */
  #holder: number | undefined;
  #insideQuery = false;
  #running: Promise<void> | undefined;
  /** The guests that are connected, with what brings their settings back. */
  readonly #guests = new Map<number, string>();
  readonly #left = new Set<number>();
  #heardAt = 0;
  #silence: NodeJS.Timeout | undefined;

  constructor({ database, die, cutOff, maxSilenceMs = MAX_SILENCE_MS }: SharedSessionOptions) {
    this.#database = database;
    this.#die = die;
    this.#cutOff = cutOff;
    this.#maxSilenceMs = maxSilenceMs;
  }

  enqueue(from: number, message: Uint8Array, answer: (data: Uint8Array) => void): Promise<number> {
    // A polite end; what it means is done when the connection is gone.
    if (message[0] === TERMINATE) return Promise.resolve(0);
    if (isStartup(message) && isGuest(message)) this.#guests.set(from, '');
    return new Promise((done, failed) => {
      this.#waiting.push({ from, message, answer, done, failed });
      void this.#run();
    });
  }

  clearQueueForHandler(from: number): void {
    const dropped = this.#waiting.filter((one) => one.from === from);
    this.#waiting = this.#waiting.filter((one) => one.from !== from);
    for (const one of dropped) one.failed(new Error('the connection has ended'));
  }

  /** The connection has ended. Resolves when nothing of it is left in the session. */
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
    clearTimeout(this.#silence);
    // So that this has begun before it ends.
    await Promise.resolve();
    for (;;) {
      if (this.#holder !== undefined && this.#left.has(this.#holder)) await this.#leave(this.#holder);
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
    this.#watchSilence();
  }

  #next(): Asked | undefined {
    if (!this.#isTaken()) return this.#waiting.shift();
    const at = this.#waiting.findIndex(({ from }) => from === this.#holder);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #isTaken(): boolean {
    return this.#holder !== undefined && (this.#insideQuery || this.#database.isInTransaction());
  }

  async #execute({ from, message, answer }: Asked): Promise<number> {
    const type = message[0] ?? 0;
    this.#insideQuery = EXTENDED.has(type);
    let bytes = 0;
    const hear = (data: Uint8Array): void => {
      bytes += data.length;
      answer(data);
    };
    const sent =
      this.#guests.has(from) && (type === QUERY || type === EXECUTE) ? Buffer.concat([message, NO_COPY]) : message;
    await this.#database.execProtocolRawStream(sent, { onRawData: hear }).catch(this.#die);
    return bytes;
  }

  async #leave(connection: number): Promise<void> {
    if (this.#insideQuery) await this.#tell(protocol.serialize.sync());
    this.#insideQuery = false;
    if (this.#database.isInTransaction()) await this.#tell(protocol.serialize.query('rollback'));
    if (this.#guests.has(connection)) await forgetAll(this.#database).catch(this.#die);
    this.#holder = undefined;
  }

  /** @throws Error when a guest's settings cannot be brought back: it must not go on with others. */
  async #handOver(from: number | undefined, to: number): Promise<void> {
    // At once: whoever ends meanwhile is known as the holder.
    this.#holder = to;
    if (from !== undefined && this.#guests.has(from)) {
      const settings = await saveSettings(this.#database).catch(this.#die);
      if (this.#guests.has(from)) this.#guests.set(from, settings);
      await forgetAll(this.#database).catch(this.#die);
    }
    const settings = this.#guests.get(to) ?? '';
    if (settings !== '') await this.#database.execProtocolStream(protocol.serialize.query(settings));
  }

  async #tell(message: Uint8Array): Promise<void> {
    await this.#database.execProtocolRawStream(message, { onRawData: () => undefined }).catch(this.#die);
  }

  #watchSilence(): void {
    const silent = this.#holder;
    if (silent === undefined || this.#waiting.length === 0) return;
    this.#silence = setTimeout(
      () => {
        if (!this.#cutOff(silent)) this.#heardAt = performance.now();
        this.#watchSilence();
      },
      Math.max(100, this.#heardAt + this.#maxSilenceMs - performance.now()),
    );
  }
}
