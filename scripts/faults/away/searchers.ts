import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Heard } from '../ask.js';

const QUESTIONS: [path: string, body: (turn: number) => object][] = [
  ['/v1/suggest', (turn) => ({ path: `/old/lantern-${turn % 50}` })],
  [
    '/v1/semantic-search',
    (turn) => ({ query: `a harbour with ${turn % 50} lanterns`, options: { searchThreshold: 0 } }),
  ],
  ['/v1/retrieve', (turn) => ({ query: `teapot ${turn % 50}`, top_k: 3 })],
];

/** Clients that search, one request after the other; each answer goes to `heard`. */
export function startSearchers(
  count: number,
  key: string,
  address: () => string | undefined,
  heard: (answer: Heard) => void,
): { stop: () => Promise<void> } {
  let stopped = false;
  let serial = 0;
  const searcher = async (): Promise<void> => {
    while (!stopped) {
      const turn = serial++;
      const [path, body] = QUESTIONS[turn % QUESTIONS.length] ?? ['', () => ({})];
      const answer = await ask(`${address() ?? ''}${path}`, path, 'POST', key, body(turn));
      heard(answer);
      if (answer.status !== 200) await pause(20);
    }
  };
  const all = Promise.all(Array.from({ length: count }, searcher));
  return {
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}
