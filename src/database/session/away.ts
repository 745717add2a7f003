import { sqlState } from './connect.js';
import { DatabaseBusy } from './deadline.js';

/**
 * SQLSTATE classes and codes, and errors of the socket, that mean: the database is away, not: what it was asked is
 * wrong. A replica that the address leads to says 25006 of writes, and 0A000 of admission's unlogged buckets.
 */
const AWAY =
  /^(08|57P|57014|53|25006|25P03|0A000|ECONNREFUSED$|ECONNRESET$|ENOENT$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** What pg says of it in words only. */
const CONNECTION_LOST = /timeout exceeded when trying to connect|Connection terminated|not queryable/;
const DISK_FULL = '53100';
/** query_canceled: by statement_timeout, or because nobody waited any more. */
const CANCELLED = '57014';
const FOREIGN_KEY = '23503';

/** Whether the same may be asked again later, and then be answered. */
export function isDatabaseAway(error: unknown): boolean {
  const state = sqlState(error);
  return (state !== undefined && AWAY.test(state)) || (error instanceof Error && CONNECTION_LOST.test(error.message));
}

/** Of those that are away, one that answers others: there is too much to do for it. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof DatabaseBusy || sqlState(error) === CANCELLED;
}

/** Of those that are away, one whose disk is full. */
export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === DISK_FULL;
}

/** A row of a project that was deleted meanwhile: every foreign key to a project is named `table__project`. */
export function isProjectGone(error: unknown): boolean {
  return (
    sqlState(error) === FOREIGN_KEY &&
    error instanceof Error &&
    'constraint' in error &&
    String(error.constraint).endsWith('__project')
  );
}
