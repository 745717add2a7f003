import { answeringModel } from '../database/queries/models.js';
import { isFiltered, type Scope } from '../database/queries/search/scope.js';
import type { Tenants } from '../database/session/tenants.js';
import type { Filters } from '../glossary.js';
import type { Caller } from '../keys/caller.js';
import { pathKey } from '../text/paths/plain-path.js';
import { parseExclusion } from '../text/page-url.js';
import type { CandidateDeps } from './evidence/candidates.js';
import type { Calibration } from './rank/calibration.js';
import type { OwnIndexCatalogue } from '../large-projects/own-index-catalogue.js';

/** What every search of an index needs. */
export interface IndexDeps extends CandidateDeps {
  calibrationOf: (modelId: number) => Promise<Calibration>;
  ownIndexes: OwnIndexCatalogue;
  tenants: Tenants;
}

/**
 * Runs a search, and again if another model took over the project under it: the vectors that it looked for are gone
 * then. Where the configured model answers and its vectors spoke, nothing can have been missed. All of it is given up
 * when the signal is aborted, statements that the database is at as well.
 */
export async function underOneModel<Answer>(
  deps: IndexDeps,
  asking: Caller,
  signal: AbortSignal | undefined,
  run: (caller: Caller) => Promise<{ answer: Answer; byMeaning: boolean }>,
): Promise<Answer> {
  const caller = signal ? { ...asking, ...deps.tenants.of(asking.projectId, signal) } : asking;
  const { answer, byMeaning } = await run(caller);
  if (caller.modelId === null || (caller.modelId === deps.models.configured.modelId && byMeaning)) return answer;
  const modelId = await answeringModel(caller.db, caller.projectId);
  return modelId === caller.modelId ? answer : (await run({ ...caller, modelId })).answer;
}

/** Which pages a request may be answered with, and under which model. */
export async function scopeOf(
  deps: IndexDeps,
  caller: Caller,
  request: { filters: Filters; excludeUrls: readonly string[] },
): Promise<Scope> {
  const exclusions = request.excludeUrls.map(parseExclusion);
  const paths = exclusions.flatMap((one) => ('path' in one ? [one.path] : []));
  // An old model that this machine does not have any more cannot answer; what is embedded anew already can.
  const { modelId: own } = caller;
  const modelId = own !== null && (await deps.models.available(own)) ? own : deps.models.configured.modelId;
  return {
    projectId: caller.projectId,
    db: caller.db,
    modelId,
    indexVersion: caller.indexVersion,
    filters: request.filters,
    excludedUrls: exclusions.flatMap((one) => ('href' in one ? [one.hash] : [])),
    excludedPaths: { paths, keys: distinctKeys(paths) },
    // A filter's matching set is scanned: an index would have to guess how far to look (pgvector filters behind it).
    segments: isFiltered(request) ? undefined : deps.ownIndexes.segments(caller.projectId, modelId),
  };
}

/** Many spellings of a path have one key. */
function distinctKeys(paths: readonly string[]): Buffer[] {
  return [...new Map(paths.map(pathKey).map((key) => [key.toString('latin1'), key])).values()];
}
