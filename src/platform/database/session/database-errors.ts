import { DatabaseBusy } from './deadline.js';

/** The SQLSTATE of an error from PostgreSQL, if it is one. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/**
 * The SQLSTATEs of a refused connection. The server, the database or the role has too_many_connections. A pooler, or a
 * rented database, has configuration_limit_exceeded. With cannot_connect_now, the server starts, stops or recovers.
 */
const REFUSED = new Set(['53300', '53400', '57P03']);
/** Messages of PgBouncer, which come with the code of a protocol violation (08P01). */
const FULL_POOLER = /no more connections allowed|query_wait_timeout|too many (clients|connections)/;

/** Whether a new connection was refused for now: the server or pooler may take one in a moment. */
export function isConnectionRefused(error: unknown): error is Error {
  const code = sqlState(error) ?? '';
  return error instanceof Error && (REFUSED.has(code) || (code === '08P01' && FULL_POOLER.test(error.message)));
}

/**
 * The SQLSTATE classes and codes, and the socket errors, of a database that is unavailable: the statement is not at
 * fault. A replica answers 25006 to writes, and 0A000 to admission's unlogged buckets. A password that is being
 * changed, or a certificate that ran out, keeps new connections out (28P01, TLS).
 */
const UNAVAILABLE =
  /^(08|28P01|57P|57014|53|25006|25P03|0A000|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ECONNREFUSED$|ECONNRESET$|ENOENT$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** The driver's messages for an unavailable database that have no code. */
const CONNECTION_LOST = /timeout exceeded when trying to connect|Connection terminated|not queryable/;
const DISK_FULL = '53100';
/** The SQLSTATE of query_canceled: by statement_timeout, or because the caller went away. */
const CANCELLED = '57014';
const WORKER_AWAY = '08006';
const FOREIGN_KEY = '23503';

/** Whether the same statement may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return (
    (state !== undefined && UNAVAILABLE.test(state)) || (error instanceof Error && CONNECTION_LOST.test(error.message))
  );
}

/** Whether the database answers others but not this statement: it has too much to do, or takes no connections. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof DatabaseBusy || sqlState(error) === CANCELLED || isConnectionRefused(error);
}

/** Whether the server answers, but cannot reach the project's rows: a worker of Citus is away (connection_failure). */
export function isWorkerAway(error: unknown): boolean {
  return sqlState(error) === WORKER_AWAY;
}

export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === DISK_FULL;
}

/** Whether the project was deleted meanwhile. Foreign keys to it end in `__project`, on Citus with a shard's number. */
export function isProjectGone(error: unknown): boolean {
  return (
    sqlState(error) === FOREIGN_KEY &&
    error instanceof Error &&
    'constraint' in error &&
    /__project(?:_\d+)?$/.test(String(error.constraint))
  );
}
