import { isFiltered, type SearchSpace } from './store/space.js';
import type { Filters } from '../base/glossary.js';
import type { Caller } from '../projects/caller.js';
import type { SegmentCatalogue } from '../pages/large-projects/segment-catalogue.js';
import { parseExclusion } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

/** The part of a request that defines its search space. */
export interface SpaceRequest {
  filters: Filters;
  excludeUrls: readonly string[];
}

export function buildSearchSpace(
  ownIndexes: SegmentCatalogue,
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
    // With filters the matching pages are scanned: pgvector filters after the index, which may then find too few.
    indexSegments: isFiltered(request) ? undefined : ownIndexes.segments(projectId, modelId),
  };
}

/** Different spellings of a path may have one key. */
function distinctKeys(paths: readonly string[]): Buffer[] {
  return [...new Map(paths.map(pathKey).map((key) => [key.toString('latin1'), key])).values()];
}
