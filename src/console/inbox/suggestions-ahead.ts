import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { FoundSuggestion } from '../../search/answer.js';
import type { Caller } from '../../projects/caller.js';
import { searchUnlogged, unloggedCaller, type AnswerNowDeps } from '../../search/search-unlogged.js';

/**
 * The maximum number of searches for one visit at the same time: the other slots are left to visitors of the site, and
 * the processor to the page.
 */
const AT_ONCE = 2;
/** The maximum time that a page waits for suggestions, even if none is known by then. */
export const MAX_PATIENCE_MS = 5_000;
const MAX_REMEMBERED = 5_000;
const REMEMBERED_MS = 600_000;

interface Remembered {
  /** The version of the index before the search. */
  version: number;
  best: FoundSuggestion | null;
}

/**
 * Looks up the best page of each missing path in the background, and remembers it. A page of the console waits no
 * longer than it asks for, however long searches take. The next time, more suggestions are known:
 * docs/evidence/decisions/0040-remembered-by-searches.md.
 */
export class SuggestionsAhead {
  readonly #deps: AnswerNowDeps;
  readonly #remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  readonly #inFlight = new Map<string, Promise<void>>();
  /** The latest visit to each project for which suggestions are being looked up. */
  readonly #latest = new Map<string, symbol>();

  constructor(deps: AnswerNowDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the best suggestion for each path, whatever its score; null: there is none; undefined: it is not known yet.
   * Unknown suggestions are looked up after the answer, until somebody looks at another page of the same inbox. A
   * suggestion of an earlier version of the index is returned until the new one is known.
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
        // The search was refused or too slow: the next visit searches again.
        .catch(() => undefined)
        .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, begun);
    await begun;
  }
}
