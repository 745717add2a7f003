import pg from 'pg';

/**
 * So many at once: what finds no place is ended by the server itself a moment later, see
 * client_connection_check_interval in open.ts.
 */
const MOST_AT_ONCE = 8;
const WITHIN_MS = 3_000;

let underWay = 0;

/** What pg knows of a session and its types do not say. */
interface Session {
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  processID: number | null;
  secretKey: number | null;
}

interface Courier extends pg.Connection {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Tells the server to stop what a session is at, as the protocol has it: by a connection of its own, which says nothing
 * else and needs no password. The session itself must not be used any more: whatever it would do next might be what is
 * stopped.
 */
export function cancelWhatRuns(client: pg.ClientBase): void {
  const { host, port, ssl, processID, secretKey } = client as unknown as Session;
  if (processID === null || secretKey === null || underWay >= MOST_AT_ONCE) return;
  underWay++;
  const courier = new pg.Connection({ ssl }) as Courier;
  const timer = setTimeout(() => courier.stream.destroy(), WITHIN_MS);
  courier.once('connect', () => {
    if (ssl === undefined || ssl === false) courier.cancel(processID, secretKey);
    else courier.requestSsl();
  });
  courier.once('sslconnect', () => {
    courier.cancel(processID, secretKey);
  });
  // A server that cannot be reached need not be told.
  courier.on('error', () => courier.stream.destroy());
  courier.once('end', () => {
    clearTimeout(timer);
    underWay--;
  });
  if (host.startsWith('/')) courier.connect(`${host}/.s.PGSQL.${port}`);
  else courier.connect(port, host);
}
