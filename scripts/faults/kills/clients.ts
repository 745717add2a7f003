import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Heard } from '../ask.js';
import { EventLedger, PageLedger } from './ledger.js';

export interface Clients {
  pages: PageLedger;
  events: EventLedger;
  /** Resolves when every client has had its last answer. */
  stop(): Promise<void>;
}

export interface ClientOptions {
  /** Is told each answer. */
  heard?: (answer: Heard) => void;
  /** What every content ends with. */
  more?: () => string;
}

const URLS_EACH = 12;
const WORDS = ['lantern', 'harbour', 'teapot', 'compass', 'orchard', 'glacier', 'violin', 'saddle', 'pepper', 'ribbon'];

/**
 * Some clients that upsert, change and delete pages and send events, each about urls of its own and one request after
 * the other, whatever becomes of the service. `address` is asked anew each time: a restarted one has another.
 */
export function startClients(
  count: number,
  key: string,
  address: () => string | undefined,
  { heard, more = () => '' }: ClientOptions = {},
): Clients {
  const pages = new PageLedger();
  const events = new EventLedger();
  let stopped = false;
  let serial = 0;

  async function call(base: string, method: string, path: string, body: object): Promise<number | undefined> {
    const answer = await ask(base + path, path, method, key, body);
    heard?.(answer);
    // Whoever is answered at once that nothing works need not ask at once again.
    if (answer.status === undefined || answer.status >= 500) await pause(20);
    return answer.status;
  }

  async function client(id: number): Promise<void> {
    while (!stopped) {
      const base = address();
      // What was never asked for cannot have come to be: the ledger must not allow it.
      if (base === undefined) {
        await pause(20);
        continue;
      }
      const turn = serial++;
      const kind = turn % 10;
      if (kind < 3) {
        const path = `/gone/${id}/${turn}`;
        events.unanswered.add(path);
        if ((await call(base, 'POST', '/v1/events', { raw_path: path })) === 204) {
          events.unanswered.delete(path);
          events.acknowledged.add(path);
        }
        continue;
      }
      const url = `https://kills.example/${id}/${WORDS[turn % WORDS.length] ?? ''}-${turn % URLS_EACH}`;
      const state =
        kind === 9
          ? ('gone' as const)
          : {
              content: `Turn ${turn} of ${WORDS[(turn * 7) % WORDS.length] ?? ''} and ${WORDS[(turn * 3) % WORDS.length] ?? ''}.${more()}`,
            };
      pages.asked(url, state);
      const status =
        state === 'gone'
          ? await call(base, 'DELETE', '/v1/pages/delete', { url })
          : await call(base, 'POST', '/v1/pages/upsert', { url, ...state });
      // A page that is not there cannot be deleted: 404 says as much as 200.
      if (status === 200 || status === 202 || status === 404) pages.heard(url, state);
      else pages.lost();
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, id) => client(id)));
  return {
    pages,
    events,
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}
