import type { SearchKind } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import type { Caller } from '../projects/caller.js';
import { readIndexVersion } from '../projects/index-version.js';
import { readAnsweringModel } from '../projects/project-model.js';
import { answerFromIndex, type AnswerDeps, type SearchAnswer } from './answer.js';
import { searchRequest } from './routes/search-route.js';

export type AnswerNowDeps = AnswerDeps & { db: Db };

/** Describes somebody who searches a project without a key, by the model and index that answer now. */
export async function unloggedCaller(
  { db, tenants }: Pick<AnswerNowDeps, 'db' | 'tenants'>,
  projectId: string,
  signal?: AbortSignal,
): Promise<Caller> {
  const [modelId, indexVersion] = await Promise.all([
    readAnsweringModel(db, projectId),
    readIndexVersion(db, projectId),
  ]);
  return { ...tenants.of(projectId, signal), keyId: '', isTest: true, modelId, indexVersion };
}

/** Finds the `limit` best pages whatever their score, with explanations. It is neither logged nor counted. */
export async function searchUnlogged(
  deps: AnswerNowDeps,
  projectId: string,
  { kind, input, limit, isTyped = false }: { kind: SearchKind; input: string; limit: number; isTyped?: boolean },
  caller?: Caller,
): Promise<SearchAnswer> {
  const options = { limit, options: { searchThreshold: 0, explain: true } };
  const request = { ...searchRequest(kind, input, options), isTyped };
  return answerFromIndex(deps, caller ?? (await unloggedCaller(deps, projectId)), request);
}
