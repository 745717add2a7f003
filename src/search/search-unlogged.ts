import type { SearchKind } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { readIndexVersion } from '../projects/index-version.js';
import { readAnsweringModel } from '../projects/project-model.js';
import { answerFromIndex, type AnswerDeps, type SearchAnswer } from './answer.js';
import { searchRequest } from './routes/search-route.js';

export type AnswerNowDeps = AnswerDeps & { db: Db };

/** The index that answers a project's searches. */
export interface AnsweringIndex {
  modelId: number | null;
  version: number;
}

export async function readAnsweringIndex({ db }: AnswerNowDeps, projectId: string): Promise<AnsweringIndex> {
  const [modelId, version] = await Promise.all([readAnsweringModel(db, projectId), readIndexVersion(db, projectId)]);
  return { modelId, version };
}

/** The `limit` best pages whatever their score, with explanations. Neither logged nor counted as a search. */
export async function searchUnlogged(
  deps: AnswerNowDeps,
  projectId: string,
  { kind, input, limit }: { kind: SearchKind; input: string; limit: number },
  index?: AnsweringIndex,
): Promise<SearchAnswer> {
  const { modelId, version } = index ?? (await readAnsweringIndex(deps, projectId));
  const caller = { ...deps.tenants.of(projectId), keyId: '', isTest: true, modelId, indexVersion: version };
  const options = { limit, options: { searchThreshold: 0, explain: true } };
  return answerFromIndex(deps, caller, searchRequest(kind, input, options));
}
