import { setTimeout as pause } from 'node:timers/promises';
import { EventLedger, PageLedger } from './ledger.js';

export interface Clients {
  pages: PageLedger;
  events: EventLedger;
  /** How often something else was heard than an acknowledgement: the status and message, or why there was none. */
  refusals: Map<string, number>;
  /** Resolves when every client has had its last answer. */
  stop(): Promise<void>;
}

/** What a refusal is called that never came. */
export const HANGS = 'no answer in time';

const ANSWER_WITHIN_MS = 20_000;
const URLS_EACH = 12;
const WORDS = ['lantern', 'harbour', 'teapot', 'compass', 'orchard', 'glacier', 'violin', 'saddle', 'pepper', 'ribbon'];

/**
 * Some clients that upsert, change and delete pages and send events, each about urls of its own and one request after
 * the other, whatever becomes of the service. `address` is asked anew each time: a restarted one has another. `more` is what
 * every content ends with.
 */
export function startClients(count: number, key: string, address: () => string | undefined, more = (): string => ''): Clients {
  const pages = new PageLedger();
  const events = new EventLedger();
  const refusals = new Map<string, number>();
  const refused = (what: string): void => {
    refusals.set(what, (refusals.get(what) ?? 0) + 1);
  };
  let stopped = false;
  let serial = 0;

  async function call(base: string, method: string, path: string, body: object): Promise<number | undefined> {
    try {
      const answer = await fetch(base + path, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.text();
      if (answer.status >= 400 && answer.status !== 404) refused(`${answer.status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 100)}`);
      return answer.status;
    } catch (error) {
      refused(error instanceof Error && error.name === 'TimeoutError' ? HANGS : 'no connection');
      return undefined;
    }
  }

  async function client(id: number): Promise<void> {
    while (!stopped) {
      const base = address();
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
      const state = kind === 9 ? ('gone' as const) : { content: `Turn ${turn} of ${WORDS[(turn * 7) % WORDS.length] ?? ''} and ${WORDS[(turn * 3) % WORDS.length] ?? ''}.${more()}` };
      pages.asked(url, state);
      const status = state === 'gone' ? await call(base, 'DELETE', '/v1/pages/delete', { url }) : await call(base, 'POST', '/v1/pages/upsert', { url, ...state });
      // A page that is not there cannot be deleted: 404 says as much as 200.
      if (status === 200 || status === 202 || status === 404) pages.heard(url, state);
      else pages.lost();
      if (status === undefined) await pause(20);
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, id) => client(id)));
  return {
    pages,
    events,
    refusals,
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}
