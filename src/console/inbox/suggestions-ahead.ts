import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { FoundSuggestion } from '../../search/answer.js';
import type { Caller } from '../../projects/caller.js';
import { searchUnlogged, unloggedCaller, type AnswerNowDeps } from '../../search/search-unlogged.js';

/** So many searches run for a page: other slots are left to the site's visitors, the processor to the console. */
const AT_ONCE = 2;
/** The maximum time that a console page waits for suggestions; it passes this, or less, to `suggest`. */
export const MAX_PATIENCE_MS = 5_000;
const MAX_REMEMBERED = 5_000;
const REMEMBERED_MS = 600_000;

interface Remembered {
  /** The version of the index that was read before the search began. */
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
  /** The latest console page of each project whose suggestions are still being looked up. */
  readonly #latest = new Map<string, symbol>();

  constructor(deps: AnswerNowDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the best suggestion for each path, whatever its score; null: there is none; undefined: it is not known, yet
   * or because its search failed. Unknown ones are looked up at once, and on after the answer until the next call for
   * the project. A suggestion of an earlier version of the index is returned until the new one is known.
   */
  async suggest(projectId: string, paths: readonly string[], patienceMs: number) {
    const deadline = performance.now() + patienceMs;
    const caller = await unloggedCaller(this.#deps, projectId);
    const recall = (path: string): Remembered | undefined => this.#remembered.get(`${projectId} ${path}`);
    const isUnknownOrOld = (path: string): boolean => recall(path)?.version !== caller.indexVersion;
    const waiting = [
      ...paths.filter((path) => recall(path) === undefined),
      ...paths.filter((path) => recall(path) !== undefined && isUnknownOrOld(path)),
    ];
    const visit = Symbol(projectId);
    this.#latest.set(projectId, visit);
    const isWanted = (): boolean => performance.now() < deadline || this.#latest.get(projectId) === visit;
    const work = async (): Promise<void> => {
      for (let path = waiting.shift(); path !== undefined && isWanted(); path = waiting.shift())
        if (isUnknownOrOld(path)) await this.#lookUp(projectId, path, caller);
    };
    const done = Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
      if (this.#latest.get(projectId) === visit) this.#latest.delete(projectId);
    });
    await Promise.race([done, sleep(patienceMs, undefined, { ref: false })]);
    return paths.map((path) => recall(path)?.best);
  }

  async #lookUp(projectId: string, path: string, caller: Caller): Promise<void> {
    const key = `${projectId} ${path}`;
    const begun =
      this.#inFlight.get(key) ??
      searchUnlogged(this.#deps, projectId, { kind: 'suggest', input: path, limit: 1 }, caller)
        .then(({ suggestions: [best] }) => {
          // Metadata may be 64 KiB, and is not shown.
          const shown = best ? { ...best, metadata: undefined } : null;
          this.#remembered.set(key, { version: caller.indexVersion, best: shown });
        })
        // The search failed, most often refused or too slow: the next console page searches again.
        .catch(() => undefined)
        .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, begun);
    await begun;
  }
}
