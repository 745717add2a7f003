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
  /** This is called with each answer. */
  heard?: (answer: Heard) => void;
  /** Returns the text that ends the next page's content. */
  more?: () => string;
}

const URLS_EACH = 12;
const WORDS = ['lantern', 'harbour', 'teapot', 'compass', 'orchard', 'glacier', 'violin', 'saddle', 'pepper', 'ribbon'];

/**
 * Starts clients that upsert, change and delete pages and send events, each about urls of its own and one request after
 * the other, whether or not the service answers. `address` is called for each request: a restarted service has another
 * address.
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
    // A client that gets an error at once must not send the next request at once.
    if (answer.status === undefined || answer.status >= 500) await pause(20);
    return answer.status;
  }

  async function client(id: number): Promise<void> {
    while (!stopped) {
      const base = address();
      // Without an address nothing is sent, and the ledger must not allow a change that was never sent.
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
      pages.recordRequest(url, state);
      const status =
        state === 'gone'
          ? await call(base, 'DELETE', '/v1/pages/delete', { url })
          : await call(base, 'POST', '/v1/pages/upsert', { url, ...state });
      // A missing page cannot be deleted: 404 confirms that it is gone, as 200 does.
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
