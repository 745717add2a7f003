import { AsyncLocalStorage } from 'node:async_hooks';

/** Set while the code inside a transaction runs, however deep. */
const insideTransaction = new AsyncLocalStorage<true>();
let transactions = 0;

/**
 * Marks all that `work` does as the inside of a transaction. Where there is none, nothing is watched: on Node 20 each
 * promise of the process pays for a store that is in use, which was an eighth of a cached answer's CPU.
 */
export async function asTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  transactions++;
  try {
    return await insideTransaction.run(true, work);
  } finally {
    if (--transactions === 0) insideTransaction.disable();
  }
}

/** A session was asked for inside an open transaction: on the embedded database that waits for ever. */
export class ConnectionInsideTransaction extends Error {
  constructor() {
    super(
      'a second connection was asked for inside an open transaction: pass the transaction on instead of the database ' +
        '(the embedded database has one session, and a server runs out of connections the same way)',
    );
    this.name = 'ConnectionInsideTransaction';
  }
}

/** For what reaches the database past the pool and would not take part in the caller's transaction. */
export function refuseInsideTransaction(): void {
  if (insideTransaction.getStore()) throw new ConnectionInsideTransaction();
}
