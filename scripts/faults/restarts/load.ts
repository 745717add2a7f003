import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** The results of some clients that keep their connections open and send one request after the other. */
export interface Load {
  readonly sent: number;
  /** Answers with `Connection: close`: the last of their connection. */
  readonly last: number;
  /** Connections that were refused because no process listened: the request was not sent. */
  readonly refused: number;
  /** Everything else that was no good answer: a request that was sent, and cut off or answered badly. */
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

const CALLS: [path: string, status: number, body: (turn: number) => object][] = [
  ['/v1/suggest', 200, (turn) => ({ path: `/old/lantern-${turn}` })],
  [
    '/v1/pages/upsert',
    202,
    (turn) => ({ url: `https://restarts.example/lantern-${turn % 200}`, content: `Turn ${turn} of the lantern.` }),
  ],
  ['/v1/semantic-search', 200, (turn) => ({ query: `lantern ${turn % 20}` })],
  ['/v1/events', 204, (turn) => ({ raw_path: `/gone/${turn}` })],
];

/**
 * Every second client rests up to this long between requests: its connection may be idle when the service closes it.
 */
const REST_MS = 200;

/** @param address where to send the next request; it changes when a process is started again. */
export function startLoad(connections: number, key: string, address: () => string): Load {
  const load = { sent: 0, last: 0, refused: 0, failed: [] as string[] };
  let stopped = false;

  async function client(id: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopped) {
      const turn = load.sent++;
      const [path, expected, body] = CALLS[turn % CALLS.length] ?? ['', 0, () => ({})];
      try {
        const { status, last } = await send(agent, address() + path, key, JSON.stringify(body(turn)));
        if (last) load.last++;
        if (status !== expected) load.failed.push(`${path} answered ${status}`);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        if (code === 'ECONNREFUSED') {
          load.sent--;
          load.refused++;
          await pause(20);
        } else {
          load.failed.push(`${path} was cut off: ${code}`);
        }
      }
      if (id % 2 === 1) await pause(Math.random() * REST_MS);
    }
    agent.destroy();
  }

  const all = Promise.all(Array.from({ length: connections }, (_, id) => client(id)));
  return Object.assign(load, {
    stop: async () => {
      stopped = true;
      await all;
    },
  });
}

/** Resolves with a whole answer only. */
function send(agent: Agent, url: string, key: string, body: string): Promise<{ status: number; last: boolean }> {
  return new Promise((done, failed) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        done({ status: answer.statusCode ?? 0, last: answer.headers.connection === 'close' });
      });
      answer.once('error', failed);
    });
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}
