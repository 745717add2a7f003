/**
 * too_many_connections: of the server, the database or the role. configuration_limit_exceeded: of a pooler, or of a
 * service that rents databases out. cannot_connect_now: the server starts, stops or recovers.
 */
const REFUSED = new Set(['53300', '53400', '57P03']);
/** Of PgBouncer, with the code of a violated protocol. */
const FULL_POOLER = /no more connections allowed|query_wait_timeout|too many (clients|connections)/;

/** Whether a new connection was refused that may be taken in a moment. */
export function isConnectionRefused(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return REFUSED.has(code) || (code === '08P01' && FULL_POOLER.test(error.message));
}

/** For so long a pool goes on with the connections that it has, before it asks for another. */
const REFUSED_FOR_MS = 10_000;

/** The connections that a pool may have: as many as are set, until the database refuses one; then those that it has. */
export class ConnectionLimit {
  readonly configured: number;
  /** The connections that the pool has; those that it is making are not among them. */
  has = 0;
  private refusedAt = -Infinity;
  private refusal: Error | undefined;

  constructor(configured: number) {
    this.configured = configured;
  }

  /** The last refusal, if it is of the last ten seconds and no connection was made since. */
  get refused(): Error | undefined {
    return performance.now() - this.refusedAt < REFUSED_FOR_MS ? this.refusal : undefined;
  }

  get max(): number {
    return this.refused ? Math.max(1, this.has) : this.configured;
  }

  refuse(error: Error): void {
    this.refusal = error;
    this.refusedAt = performance.now();
  }

  connected(): void {
    this.has++;
    this.refusal = undefined;
  }

  disconnected(): void {
    this.has--;
  }
}
