import { setTimeout as sleep } from 'node:timers/promises';
import { readAnsweringModel } from '../database/queries/models.js';
import type { SearchKind } from '../glossary.js';
import { answerFromIndex } from '../search/answer-from-index.js';
import type { FoundSuggestion } from '../search/answer.js';
import type { ConsoleDeps } from './console-deps.js';

/** Of one visit, at once: visitors of the site have the other slots. */
const AT_ONCE = 4;
/** No search is begun later than this after the first: people wait for the page. */
const BEGUN_WITHIN_MS = 60;

/**
 * What visitors would be shown, for each input the `limit` best pages whatever their score, with explanations. Neither
 * logged nor counted as a search. Undefined where there was no time or room to search.
 * @param patienceMs no search begins later than this, and no answer is waited for longer.
 */
export async function suggestPages(
  deps: ConsoleDeps,
  projectId: string,
  kind: SearchKind,
  inputs: readonly string[],
  limit: number,
  patienceMs?: number,
): Promise<(readonly FoundSuggestion[] | undefined)[]> {
  const until = performance.now() + (patienceMs ?? BEGUN_WITHIN_MS);
  const modelId = await readAnsweringModel(deps.db, projectId);
  const caller = { ...deps.tenants.of(projectId), keyId: '', isTest: true, modelId, indexVersion: 0 };
  const found: (readonly FoundSuggestion[] | undefined)[] = inputs.map(() => undefined);
  const waiting = [...inputs.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && performance.now() < until; next = waiting.shift()) {
      const [at, input] = next;
      const request = { kind, input, limit, threshold: 0, filters: {}, excludeUrls: [], explain: true };
      found[at] = (await answerFromIndex(deps, caller, request).catch(() => undefined))?.suggestions;
    }
  };
  const done = Promise.all(Array.from({ length: AT_ONCE }, work));
  await (patienceMs === undefined ? done : Promise.race([done, sleep(patienceMs, undefined, { ref: false })]));
  return [...found];
}
