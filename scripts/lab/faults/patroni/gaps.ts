import type { Heard } from '../../../faults/ask.js';

/** The longest time in which nobody's change was acknowledged, or no search answered, since the last call of `take`. */
export interface Gaps {
  heard(answer: Heard): void;
  take(): { writesMs: number; searchesMs: number };
  /** Since the latest acknowledged change. */
  sinceWriteMs(): number;
}

const WRITES = new Set(['/v1/pages/upsert', '/v1/pages/delete', '/v1/events']);

export function measureGaps(): Gaps {
  const last = { writesMs: performance.now(), searchesMs: performance.now() };
  let longest = { writesMs: 0, searchesMs: 0 };
  /** Up to now: what lasts still counts too. */
  const end = (kind: keyof typeof last): void => {
    longest[kind] = Math.max(longest[kind], Math.round(performance.now() - last[kind]));
  };
  return {
    heard: ({ path, status }) => {
      // A page that is not there cannot be deleted: 404 is an answer of the database, too.
      if (status === undefined || (status >= 300 && status !== 404)) return;
      const kind = WRITES.has(path) ? 'writesMs' : 'searchesMs';
      end(kind);
      last[kind] = performance.now();
    },
    sinceWriteMs: () => performance.now() - last.writesMs,
    take: () => {
      end('writesMs');
      end('searchesMs');
      const taken = longest;
      longest = { writesMs: 0, searchesMs: 0 };
      [last.writesMs, last.searchesMs] = [performance.now(), performance.now()];
      return taken;
    },
  };
}
