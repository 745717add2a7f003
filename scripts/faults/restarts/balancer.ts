import { once } from 'node:events';
import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An instance of the service, as its balancer knows it. */
export interface Backend {
  url: string;
  up: boolean;
}

/**
 * Stands for the operator's balancer, and does what balancers do by default: asks each instance for /readyz, and sends
 * a request to another instance only if a connection was refused. A request that breaks later may have been carried out
 * already, and is answered with 502.
 */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

const CHECK_EVERY_MS = 500;

/** @param keepAlive false: each request to an instance opens a new connection. */
export async function startBalancer(backends: readonly Backend[], keepAlive: boolean): Promise<Balancer> {
  const agent = new Agent({ keepAlive });
  let turn = 0;
  let closed = false;

  async function check(backend: Backend): Promise<void> {
    while (!closed) {
      const { url } = backend;
      const up = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        (answer) => answer.ok,
        () => false,
      );
      // Meanwhile the instance may have been started again at another url.
      if (backend.url === url) backend.up = up;
      await pause(CHECK_EVERY_MS);
    }
  }

  function choose(tried: ReadonlySet<Backend>): Backend | undefined {
    const left = backends.filter((backend) => backend.up && !tried.has(backend));
    return left[turn++ % left.length];
  }

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const tried = new Set<Backend>();
    for (;;) {
      const backend = choose(tried);
      if (!backend) {
        fail(response, 503);
        return;
      }
      try {
        await pass(agent, backend.url, incoming, Buffer.concat(chunks), response);
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) {
          fail(response, 502);
          return;
        }
        backend.up = false;
        tried.add(backend);
      }
    }
  }

  const server = createServer((incoming, response) => void forward(incoming, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const checks = Promise.all(backends.map(check));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      closed = true;
      await checks;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

function fail(response: ServerResponse, status: number): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status).end();
}

function pass(
  agent: Agent,
  base: string,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  return new Promise((done, failed) => {
    const outgoing = request(
      base + (incoming.url ?? ''),
      { method: incoming.method ?? 'GET', agent, headers: ofMessage(incoming.headers) },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, ofMessage(answer.headers));
        answer.pipe(response);
        answer.once('error', failed);
        answer.once('end', done);
      },
    );
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}

/** Leaves out the headers about a connection: they are for its next hop only. */
function ofMessage(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['connection', 'keep-alive', 'host'].includes(name)),
  );
}
