import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening<S = Server> {
  server: S;
  url: string;
  /** Ends open connections, too. */
  stop(): Promise<void>;
}

/** Has a server listen on a free port of this machine. */
export async function listen<S extends Server>(server: S): Promise<Listening<S>> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
