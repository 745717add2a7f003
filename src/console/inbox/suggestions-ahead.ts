import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { FoundSuggestion } from '../../search/answer.js';
import type { Caller } from '../../projects/caller.js';
import { searchUnlogged, unloggedCaller, type AnswerNowDeps } from '../../search/search-unlogged.js';

/** Of one visit, at once: visitors of the site have the other slots, and the page its processor. */
const AT_ONCE = 2;
/** A page that somebody waits for comes then, whatever is known. */
export const MAX_PATIENCE_MS = 5_000;
const MAX_REMEMBERED = 5_000;
const REMEMBERED_MS = 600_000;

interface Remembered {
  /** Of the index, before it was asked. */
  version: number;
  best: FoundSuggestion | null;
}

/**
 * The best page of each missing path, looked up behind a page of the inbox and remembered: a page waits no longer than
 * it says, however long searches take, and the next time more of it is known:
 * docs/evidence/decisions/0040-remembered-by-searches.md.
 */
export class SuggestionsAhead {
  readonly #deps: AnswerNowDeps;
  readonly #remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  readonly #inFlight = new Map<string, Promise<void>>();
  /** The visit that came last to each project that is looked up for. */
  readonly #latest = new Map<string, symbol>();

  constructor(deps: AnswerNowDeps) {
    this.#deps = deps;
  }

  /**
   * Whatever their score; null: there is none; undefined: it is not known yet. What is not is looked up after the
   * answer, until somebody looks at another page of the same inbox. What is remembered of an index before its last
   * change is shown until it is known anew.
   */
  async suggest(projectId: string, paths: readonly string[], patienceMs: number) {
    const until = performance.now() + patienceMs;
    const index = await unloggedCaller(this.#deps, projectId);
    const recall = (path: string): Remembered | undefined => this.#remembered.get(`${projectId} ${path}`);
    const isDue = (path: string): boolean => recall(path)?.version !== index.indexVersion;
    const waiting = [
      ...paths.filter((path) => recall(path) === undefined),
      ...paths.filter((path) => recall(path) !== undefined && isDue(path)),
    ];
    const visit = Symbol(projectId);
    this.#latest.set(projectId, visit);
    const isWanted = (): boolean => performance.now() < until || this.#latest.get(projectId) === visit;
    const work = async (): Promise<void> => {
      for (let path = waiting.shift(); path !== undefined && isWanted(); path = waiting.shift())
        if (isDue(path)) await this.#lookUp(projectId, path, index);
    };
    const done = Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
      if (this.#latest.get(projectId) === visit) this.#latest.delete(projectId);
    });
    await Promise.race([done, sleep(patienceMs, undefined, { ref: false })]);
    return paths.map((path) => recall(path)?.best);
  }

  async #lookUp(projectId: string, path: string, index: Caller): Promise<void> {
    const key = `${projectId} ${path}`;
    const begun =
      this.#inFlight.get(key) ??
      searchUnlogged(this.#deps, projectId, { kind: 'suggest', input: path, limit: 1 }, index)
        .then(({ suggestions: [best] }) => {
          // Metadata may be 64 KiB, and is not shown.
          this.#remembered.set(key, {
            version: index.indexVersion,
            best: best ? { ...best, metadata: undefined } : null,
          });
        })
        // Refused, or too slow: somebody who looks again asks again.
        .catch(() => undefined)
        .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, begun);
    await begun;
  }
}
