import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Between the service and PostgreSQL: stands for the network, and for the address that an operator redirects from one
 * server to another. What is swallowed is not closed, and an end is not told to the other side: as when every packet
 * is dropped.
 */
export interface Forwarder {
  port: number;
  /** Connections that the server still has and nobody will ever use. */
  forgotten(): number;
  swallow(): void;
  /** The network is back, with what it held; or without any memory of old connections, which stay as they are. */
  pass(old: 'resumed' | 'forgotten'): void;
  /** New connections go to another server; old ones are cut, as by who takes over an address, or forgotten. */
  moveTo(port: number, old: 'cut' | 'forgotten'): void;
  close(): void;
}

interface Pair {
  client: Socket;
  server: Socket | undefined;
}

export async function startForwarder(target: number): Promise<Forwarder> {
  let port = target;
  let swallowing = false;
  let pairs = new Set<Pair>();
  const forgotten = new Set<Pair>();

  /** An end on one side is an end on the other, as long as the network carries it. */
  function end(pair: Pair): void {
    if (swallowing || !pairs.delete(pair)) return;
    pair.client.destroy();
    pair.server?.destroy();
  }

  function join(pair: Pair): void {
    const server = connect(port, '127.0.0.1');
    pair.server = server;
    server.setNoDelay(true);
    for (const socket of [pair.client, server])
      socket.on('close', () => {
        end(pair);
      });
    server.on('error', () => undefined);
    pair.client.pipe(server).pipe(pair.client);
  }

  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    const pair: Pair = { client, server: undefined };
    pairs.add(pair);
    client.on('error', () => undefined);
    if (!swallowing) join(pair);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');

  function forget(): void {
    for (const pair of pairs) hold(pair);
    for (const pair of pairs) forgotten.add(pair);
    pairs = new Set();
  }

  function hold({ client, server }: Pair): void {
    if (!server) return;
    client.unpipe(server).pause();
    server.unpipe(client).pause();
  }

  return {
    port: (listener.address() as AddressInfo).port,
    forgotten: () => [...forgotten].filter(({ server }) => server?.closed === false).length,
    swallow: () => {
      swallowing = true;
      pairs.forEach(hold);
    },
    pass: (old) => {
      swallowing = false;
      if (old === 'forgotten') forget();
      for (const pair of [...pairs]) {
        if (pair.client.destroyed || pair.server?.destroyed === true) end(pair);
        else if (pair.server) pair.client.pipe(pair.server).pipe(pair.client);
        else join(pair);
      }
    },
    moveTo: (next, old) => {
      port = next;
      if (old === 'forgotten') forget();
      else for (const pair of [...pairs]) end(pair);
    },
    close: () => {
      listener.close();
      for (const { client, server } of [...pairs, ...forgotten]) {
        client.destroy();
        server?.destroy();
      }
    },
  };
}
