import { AsyncLocalStorage } from 'node:async_hooks';

/** The store is set while the code inside a transaction runs, however deep. */
const insideTransaction = new AsyncLocalStorage<true>();
let transactions = 0;

/**
 * Marks everything that `work` does as inside a transaction. The store is disabled while there is no transaction: on
 * Node 20 each promise of the process pays for a store in use, which was an eighth of a cached answer's CPU.
 */
export async function asTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  transactions++;
  try {
    return await insideTransaction.run(true, work);
  } finally {
    if (--transactions === 0) insideTransaction.disable();
  }
}

/** Code asked for a second session inside an open transaction. On the embedded database that would wait for ever. */
export class ConnectionInsideTransaction extends Error {
  constructor() {
    super(
      'a second connection was asked for inside an open transaction: pass the transaction on instead of the database ' +
        '(the embedded database has one session, and a server runs out of connections the same way)',
    );
    this.name = 'ConnectionInsideTransaction';
  }
}

/** Throws inside a transaction. Code that reaches the database outside the caller's transaction calls it. */
export function refuseInsideTransaction(): void {
  if (insideTransaction.getStore()) throw new ConnectionInsideTransaction();
}
