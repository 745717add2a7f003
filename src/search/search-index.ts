import { readAnsweringModel } from '../projects/project-model.js';
import { type SearchSpace, isFiltered } from './store/space.js';
import type { ReadReplica } from './read-replica.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { Caller } from '../projects/caller.js';
import type { SegmentCatalogue } from '../pages/large-projects/segment-catalogue.js';
import type { Bulkheads } from '../platform/limits/bulkheads.js';
import type { CandidateDeps } from './candidates/site-words.js';
import type { Calibration } from './ranking/scores/calibration.js';
import type { Filters } from '../base/glossary.js';
import { parseExclusion } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

export interface IndexDeps extends CandidateDeps {
  bulkheads: Bulkheads;
  calibrationOf: (modelId: number) => Promise<Calibration>;
  ownIndexes: SegmentCatalogue;
  tenants: Tenants;
  /** Answers searches where DATABASE_READ_URL names one. */
  replica?: ReadReplica | undefined;
}

interface IndexAnswer<Answer> {
  answer: Answer;
  /** Whether the model's vectors gave evidence for any page. */
  byVectors: boolean;
}

/** Searches the index in a slot of the bulkhead. An abort of the signal also cancels running statements. */
export function searchIndex<Answer>(
  deps: IndexDeps,
  caller: Caller,
  request: SpaceRequest,
  signal: AbortSignal | undefined,
  find: (space: SearchSpace, calibration: Calibration) => Promise<IndexAnswer<Answer>>,
): Promise<Answer> {
  const searchAs = (searcher: Caller): Promise<Answer> =>
    withOneModel(searcher, async (answering) => {
      const modelId = answering ?? NO_MODEL;
      return find(buildSearchSpace(deps.ownIndexes, searcher, modelId, request), await deps.calibrationOf(modelId));
    });
  const work = async (): Promise<Answer> => {
    const { replica } = deps;
    const replayed = await replica?.tenant(caller.projectId, caller.indexVersion, signal);
    if (replayed) {
      try {
        return await searchAs({ ...caller, ...replayed });
      } catch (error) {
        if (!replica?.failed(error, signal)) throw error;
      }
    }
    return searchAs(signal ? { ...caller, ...deps.tenants.of(caller.projectId, signal, caller.operation) } : caller);
  };
  return deps.bulkheads.searches.run(caller.projectId, work, signal);
}

/** Searches again if the project's model changed, which deletes the vectors of the first, unless these were found. */
async function withOneModel<Answer>(
  { projectId, db, modelId }: Caller,
  find: (modelId: number | null) => Promise<IndexAnswer<Answer>>,
): Promise<Answer> {
  const { answer, byVectors } = await find(modelId);
  if (modelId === null || byVectors) return answer;
  const now = await readAnsweringModel(db, projectId);
  return now === modelId ? answer : (await find(now)).answer;
}

/** This id stands for no model, as before the first page is indexed. */
export const NO_MODEL = 0;
/** The part of a request that defines its search space. */
export interface SpaceRequest {
  filters: Filters;
  excludeUrls: readonly string[];
}

function buildSearchSpace(
  ownIndexes: SegmentCatalogue,
  { projectId, db, indexVersion }: Caller,
  modelId: number,
  request: SpaceRequest,
): SearchSpace {
  const exclusions = request.excludeUrls.map(parseExclusion);
  const paths = exclusions.flatMap((exclusion) => ('path' in exclusion ? [exclusion.path] : []));
  // Different spellings of a path may have one key.
  const keys = new Map(paths.map(pathKey).map((key) => [key.toString('latin1'), key]));
  return {
    projectId,
    db,
    modelId,
    indexVersion,
    filters: request.filters,
    excludedUrls: exclusions.flatMap((exclusion) => ('href' in exclusion ? [exclusion.hash] : [])),
    excludedPaths: { paths, keys: [...keys.values()] },
    // With filters the matching pages are scanned: pgvector filters after the index, which may then find too few.
    covered: isFiltered(request) ? undefined : ownIndexes.covered(projectId, modelId),
  };
}
