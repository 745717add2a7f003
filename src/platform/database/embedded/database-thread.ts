/**
 * Entry of the thread that runs the embedded PostgreSQL and serves it on a Unix socket. A thread, since PGlite computes
 * on the thread that it runs on. Not a process: a thread ends with its server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { exitWhenPostgresDies, DeathReason } from './exit-when-postgres-dies.js';
import { WAL_SIZE_PARAMETERS } from './wal-checkpointer.js';
import { SharedSession } from './shared-session.js';
import { Connections, serveSession } from './socket-server.js';

export interface ThreadData {
  folder: string;
  /** Path of the Unix socket. */
  socket: string;
  /** See {@link SharedSession}. */
  maxSilenceMs?: number | undefined;
}

export type ThreadMessage = { type: 'listening' } | { type: 'died'; reason: string };

const { folder, socket, maxSilenceMs } = workerData as ThreadData;
if (!parentPort) throw new Error('this file is the entry of a worker thread');
const parent = parentPort;
const deathReason = new DeathReason();

/** Ends the thread at once, even inside PostgreSQL. Nothing is answered any more. */
function die(error: unknown): never {
  parent.postMessage({ type: 'died', reason: deathReason.reason(error) } satisfies ThreadMessage);
  process.exit(1);
}

/**
 * A quarter of PostgreSQL's default: the buffers are memory of this process, beside the operating system's, which has
 * the same files. 96 MB less, at the same speed (docs/decisions/0006-embedded-postgresql.md).
 */
const MEMORY_PARAMETERS = ['-c', 'shared_buffers=32MB'];
/**
 * What is read is in memory, as a rule. By PostgreSQL's default, 4, reading a small site's rows is so much of what a
 * search is expected to cost that the planner sorts them by page, where hashing is faster
 * (docs/decisions/0003-scan-up-to-20000-passages.md).
 */
const COST_PARAMETERS = ['-c', 'random_page_cost=1.1'];

// relaxedDurability off: when a statement is answered, the operating system has the write.
const database = await PGlite.create({
  dataDir: folder,
  // pg_trgm: for the baselines of the evaluation.
  extensions: { vector, fuzzystrmatch, btree_gin, pg_trgm },
  relaxedDurability: false,
  onStderr: deathReason.readLine,
  startParams: [...PGlite.defaultStartParams, ...WAL_SIZE_PARAMETERS, ...MEMORY_PARAMETERS, ...COST_PARAMETERS],
}).catch(die);
exitWhenPostgresDies(database, die);
const connections = new Connections();
const session = new SharedSession({ database, die, cutOff: connections.cutOff, maxSilenceMs });
const server = await serveSession(session, connections, socket);
parent.postMessage({ type: 'listening' } satisfies ThreadMessage);

parent.once('message', () => {
  void (async () => {
    await server.stop();
    await database.close();
    // PGlite leaves handles open.
    process.exit(0);
  })();
});
