import { isFiltered, type SearchSpace } from '../database/queries/search/space.js';
import type { Filters } from '../glossary.js';
import type { Caller } from '../keys/caller.js';
import type { OwnIndexCatalogue } from '../large-projects/own-index-catalogue.js';
import { parseExclusion } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

/** What of a request says which pages it may be answered with. */
export interface SpaceRequest {
  filters: Filters;
  excludeUrls: readonly string[];
}

/** Which pages a request may be answered with, under this model, and how they are reached. */
export function spaceOf(
  ownIndexes: OwnIndexCatalogue,
  { projectId, db, indexVersion }: Caller,
  modelId: number,
  request: SpaceRequest,
): SearchSpace {
  const exclusions = request.excludeUrls.map(parseExclusion);
  const paths = exclusions.flatMap((one) => ('path' in one ? [one.path] : []));
  return {
    projectId,
    db,
    modelId,
    indexVersion,
    filters: request.filters,
    excludedUrls: exclusions.flatMap((one) => ('href' in one ? [one.hash] : [])),
    excludedPaths: { paths, keys: distinctKeys(paths) },
    // A filter's matching set is scanned: an index would have to guess how far to look (pgvector filters behind it).
    indexSegments: isFiltered(request) ? undefined : ownIndexes.segments(projectId, modelId),
  };
}

/** Many spellings of a path have one key. */
function distinctKeys(paths: readonly string[]): Buffer[] {
  return [...new Map(paths.map(pathKey).map((key) => [key.toString('latin1'), key])).values()];
}
