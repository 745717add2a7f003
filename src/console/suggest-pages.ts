import { readAnsweringModel } from '../pages/store/models.js';
import type { SearchKind } from '../base/glossary.js';
import { answerFromIndex, type FoundSuggestion } from '../search/answer.js';
import type { ConsoleDeps } from './shared/console-deps.js';

type SearchingDeps = Omit<ConsoleDeps, 'suggestionsAhead'>;

/** What visitors would be shown: none where there was no room to search. As {@link searchPages}. */
export async function suggestPages(
  deps: SearchingDeps,
  projectId: string,
  kind: SearchKind,
  input: string,
  limit: number,
): Promise<readonly FoundSuggestion[]> {
  const modelId = await readAnsweringModel(deps.db, projectId);
  return searchPages(deps, { projectId, modelId, version: 0 }, kind, input, limit).catch(() => []);
}

/** The `limit` best pages whatever their score, with explanations. Neither logged nor counted as a search. */
export async function searchPages(
  deps: SearchingDeps,
  { projectId, modelId, version }: { projectId: string; modelId: number | null; version: number },
  kind: SearchKind,
  input: string,
  limit: number,
): Promise<readonly FoundSuggestion[]> {
  const caller = { ...deps.tenants.of(projectId), keyId: '', isTest: true, modelId, indexVersion: version };
  const request = { kind, input, limit, threshold: 0, filters: {}, excludeUrls: [], explain: true };
  return (await answerFromIndex(deps, caller, request)).suggestions;
}
