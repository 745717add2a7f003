import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracer.js';

/** For whom the code that runs works: what log lines, jobs and statements say about it. */
export interface Scope {
  /** A route's path, or the kind of a job; never the caller's text. */
  operation: string;
  /** Undefined: a batch of jobs of several requests, or of none. */
  requestId?: string | undefined;
  /** Where traces are exported. */
  span?: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
let entered = 0;

/**
 * Runs `work`, however deep, in a scope. The store is disabled while there is none: on Node 20 each promise of the
 * process pays for a store in use (src/platform/database/session/inside-transaction.ts), so searches enter one only
 * when traced.
 */
export async function inScope<Result>(scope: Scope, work: () => Promise<Result>): Promise<Result> {
  entered++;
  try {
    return await scopes.run(scope, work);
  } finally {
    if (--entered === 0) scopes.disable();
  }
}

export function currentScope(): Scope | undefined {
  return entered === 0 ? undefined : scopes.getStore();
}
