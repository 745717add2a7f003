import { answeringModel } from '../database/queries/models.js';
import type { SearchSpace } from '../database/queries/search/space.js';
import type { Tenants } from '../database/session/tenants.js';
import type { Caller } from '../keys/caller.js';
import type { OwnIndexCatalogue } from '../large-projects/own-index-catalogue.js';
import type { Bulkheads } from '../load/bulkheads.js';
import type { CandidateDeps } from './evidence/candidates.js';
import type { Calibration } from './rank/calibration.js';
import { spaceOf, type SpaceRequest } from './search-space.js';

/** What every search of an index needs. */
export interface IndexDeps extends CandidateDeps {
  bulkheads: Bulkheads;
  calibrationOf: (modelId: number) => Promise<Calibration>;
  ownIndexes: OwnIndexCatalogue;
  tenants: Tenants;
}

/** What was found; `byMeaning`: whether vectors spoke for any page. */
export interface Found<Answer> {
  answer: Answer;
  byMeaning: boolean;
}

/**
 * Searches the index, as one of the searches that may run at once. All of it is given up when the signal is aborted,
 * statements that the database is at as well.
 */
export function searchIndex<Answer>(
  deps: IndexDeps,
  caller: Caller,
  request: SpaceRequest,
  signal: AbortSignal | undefined,
  find: (space: SearchSpace, calibration: Calibration) => Promise<Found<Answer>>,
): Promise<Answer> {
  const configured = deps.models.configured.modelId;
  const work = (): Promise<Answer> => {
    const asking = signal ? { ...caller, ...deps.tenants.of(caller.projectId, signal) } : caller;
    return underOneModel(asking, configured, async (answering) => {
      // A model that this machine does not have any more cannot answer; what is embedded anew already can.
      const modelId = answering !== null && (await deps.models.available(answering)) ? answering : configured;
      return find(spaceOf(deps.ownIndexes, asking, modelId, request), await deps.calibrationOf(modelId));
    });
  };
  return deps.bulkheads.searches.run(caller.projectId, work, signal);
}

/**
 * Finds under the model that answers for the project; again, if another one took over meanwhile: the vectors that were
 * looked for are gone then. Where the configured model answers and its vectors spoke, nothing can have been missed.
 */
async function underOneModel<Answer>(
  { projectId, db, modelId }: Caller,
  configured: number,
  find: (modelId: number | null) => Promise<Found<Answer>>,
): Promise<Answer> {
  const { answer, byMeaning } = await find(modelId);
  if (modelId === null || (modelId === configured && byMeaning)) return answer;
  const now = await answeringModel(db, projectId);
  return now === modelId ? answer : (await find(now)).answer;
}
