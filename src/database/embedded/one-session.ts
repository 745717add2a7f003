import type { PGlite } from '@electric-sql/pglite';

/** Frontend message types of the PostgreSQL protocol, as bytes. */
const PARSE = 0x50;
const BIND = 0x42;
const DESCRIBE = 0x44;
const EXECUTE = 0x45;
const CLOSE = 0x43;
const FLUSH = 0x48;
const SYNC_MESSAGE = Uint8Array.from([0x53, 0, 0, 0, 4]);
const EXTENDED = new Set([PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, FLUSH]);

/**
 * Gives each connection of pglite-socket the session to itself from the first message of an extended query to its
 * Sync.
 *
 * pglite-socket shares one session between connections and lets them take turns message by message, except inside a
 * transaction. A query too large for one socket read arrives as Parse now and Bind later; another connection's Parse
 * in between replaces the unnamed statement, and the Bind binds to the wrong query (seen here: five of fifty 3 MB
 * queries at eight connections failed with "bind message supplies 2 parameters, but prepared statement requires 1").
 * The socket server asks `isInTransaction()` to decide who may go on; answering yes until Sync closes the gap.
 *
 * Errors of SQL are answers of the protocol. If a call itself throws, the database is past use, and the socket server would
 * never take another message from its queue: `die` must not return.
 */
export function shareByWholeQueries(database: PGlite, die: (error: unknown) => never): PGlite {
  let insideQuery = false;
  return new Proxy(database, {
    get(target, property) {
      if (property === 'isInTransaction') return () => insideQuery || target.isInTransaction();
      if (property === 'execProtocolRawStream') {
        return async (message: Uint8Array, options: Parameters<PGlite['execProtocolRawStream']>[1]) => {
          insideQuery = EXTENDED.has(message[0] ?? 0);
          await target.execProtocolRawStream(message, options).catch(die);
        };
      }
      if (property === 'exec') {
        // The socket server's roll-back after a client that went away, perhaps in the middle of a query.
        return async (query: string) => {
          if (insideQuery) {
            insideQuery = false;
            await target.execProtocolRawStream(SYNC_MESSAGE, { onRawData: () => undefined }).catch(die);
          }
          return target.exec(query);
        };
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
