/**
 * Entry of the thread that runs the embedded PostgreSQL and serves it on a Unix socket. It is a thread of its own,
 * since PGlite computes on the thread that it runs on. It is not a process, since a thread ends with its server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { WAL_SIZE_PARAMETERS } from './wal-checkpointer.js';
import { SharedSession } from './shared-session.js';
import { messageOf } from '../../../base/errors.js';
import { createServer, type Socket } from 'node:net';
import { PGLiteSocketHandler } from '@electric-sql/pglite-socket';

export interface ThreadData {
  folder: string;
  socket: string;
  maxSilenceMs?: number | undefined;
}

export type ThreadMessage = { type: 'listening' } | { type: 'died'; reason: string };

/** The status that the main loop throws for every ordinary error, to return to its top. */
const LONG_JUMP = 100;

/**
 * Calls `die` when PostgreSQL has died. PGlite does not report it: it catches everything from the main loop and goes
 * on. After a PANIC (no disk space for the write-ahead log: `could not write to file "pg_wal/xlogtemp.42": No space
 * left on device`) or a WebAssembly trap, the next statement would run in a dead PostgreSQL. Such a statement never
 * returned, and every connection waited for ever.
 * @param die must not return.
 */
function exitWhenPostgresDies(database: PGlite, die: (error: unknown) => never): void {
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
let lastFatal: string | undefined;

function readStderr(line: string): boolean {
  lastFatal = /(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? lastFatal;
  return false;
}

const MAX_CONNECTIONS = 100;

/** Connections to the embedded database, by their numbers. */
class Connections {
  readonly #all = new Map<number, { handler: PGLiteSocketHandler; socket: Socket }>();

  get size(): number {
    return this.#all.size;
  }

  async accept(socket: Socket, session: SharedSession): Promise<void> {
    type Queue = ConstructorParameters<typeof PGLiteSocketHandler>[0]['queryQueue'];
    const handler = new PGLiteSocketHandler({ queryQueue: session as unknown as Queue, closeOnDetach: true });
    const number = handler.handlerId;
    this.#all.set(number, { handler, socket });
    for (const end of ['close', 'error']) handler.addEventListener(end, () => this.#all.delete(number));
    await handler.attach(socket);
  }

  /** Ends a connection. Returns false, and leaves it open, when it has not read its answers yet. */
  readonly cutOff = (number: number): boolean => {
    const connection = this.#all.get(number);
    if (connection && connection.socket.writableLength > 0) return false;
    connection?.socket.destroy();
    return true;
  };

  async end(): Promise<void> {
    await Promise.all([...this.#all.values()].map(({ handler }) => handler.detach(true)));
  }
}

/** Serves the session. @returns a function that ends all connections; they leave nothing in the session */
async function serveSession(session: SharedSession, connections: Connections, path: string) {
  const server = createServer((socket) => {
    if (connections.size < MAX_CONNECTIONS) void connections.accept(socket, session);
    else socket.destroy();
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(path, done);
  });
  return async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    await connections.end();
    await closed;
  };
}

const { folder, socket, maxSilenceMs } = workerData as ThreadData;
if (!parentPort) throw new Error('this file is the entry of a worker thread');
const parent = parentPort;

/** Ends the thread at once, even inside PostgreSQL. No statement is answered after that. */
function die(error: unknown): never {
  parent.postMessage({ type: 'died', reason: lastFatal ?? messageOf(error) } satisfies ThreadMessage);
  process.exit(1);
}

/**
 * PostgreSQL gets a quarter of its default buffers. They are memory of this process, in addition to the cache of the
 * operating system, which holds the same files. This takes 96 MB less, at the same speed
 * (docs/evidence/decisions/0006-embedded-postgresql.md).
 */
const MEMORY_PARAMETERS = ['-c', 'shared_buffers=32MB'];
/**
 * The rows that statements read are in memory, as a rule. With PostgreSQL's default, 4, reading a small site's rows is
 * such a large part of the expected cost of a search that the planner sorts them by page, where hashing is faster
 * (docs/evidence/decisions/0003-scan-up-to-20000-passages.md).
 */
const COST_PARAMETERS = ['-c', 'random_page_cost=1.1'];

// With relaxedDurability off, the operating system has the write when a statement is answered.
const database = await PGlite.create({
  dataDir: folder,
  // The baselines of the evaluation need pg_trgm.
  extensions: { vector, fuzzystrmatch, btree_gin, pg_trgm },
  relaxedDurability: false,
  onStderr: readStderr,
  startParams: [...PGlite.defaultStartParams, ...WAL_SIZE_PARAMETERS, ...MEMORY_PARAMETERS, ...COST_PARAMETERS],
}).catch(die);
exitWhenPostgresDies(database, die);
const connections = new Connections();
const session = new SharedSession({ database, die, cutOff: connections.cutOff, maxSilenceMs });
const stopServing = await serveSession(session, connections, socket);
parent.postMessage({ type: 'listening' } satisfies ThreadMessage);

parent.once('message', () => {
  void (async () => {
    await stopServing();
    await database.close();
    // PGlite leaves handles open.
    process.exit(0);
  })();
});
