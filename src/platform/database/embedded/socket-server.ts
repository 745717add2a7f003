import { createServer, type Socket } from 'node:net';
import { PGLiteSocketHandler } from '@electric-sql/pglite-socket';
import type { SharedSession } from './shared-session.js';

const MAX_CONNECTIONS = 100;

export interface SocketServer {
  /** Ends all connections. Nothing of them stays in the session. */
  stop(): Promise<void>;
}

/** Connections to the embedded database, by their numbers. */
export class Connections {
  readonly #all = new Map<number, { handler: PGLiteSocketHandler; socket: Socket }>();

  get size(): number {
    return this.#all.size;
  }

  async accept(socket: Socket, session: SharedSession): Promise<void> {
    type Queue = ConstructorParameters<typeof PGLiteSocketHandler>[0]['queryQueue'];
    const handler = new PGLiteSocketHandler({ queryQueue: session as unknown as Queue, closeOnDetach: true });
    const number = handler.handlerId;
    this.#all.set(number, { handler, socket });
    for (const end of ['close', 'error']) handler.addEventListener(end, () => this.#all.delete(number));
    await handler.attach(socket);
  }

  /** False when the connection has not read its answers yet: then it stays. */
  readonly cutOff = (number: number): boolean => {
    const one = this.#all.get(number);
    if (one && one.socket.writableLength > 0) return false;
    one?.socket.destroy();
    return true;
  };

  async end(): Promise<void> {
    await Promise.all([...this.#all.values()].map(({ handler }) => handler.detach(true)));
  }
}

export async function serveSession(
  session: SharedSession,
  connections: Connections,
  path: string,
): Promise<SocketServer> {
  const server = createServer((socket) => {
    if (connections.size < MAX_CONNECTIONS) void connections.accept(socket, session);
    else socket.destroy();
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(path, done);
  });
  return {
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      await connections.end();
      await closed;
    },
  };
}
