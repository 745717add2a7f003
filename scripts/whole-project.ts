import type { SearchSpace } from '#src/search/store/space.js';
import type { Tenant } from '#src/platform/database/session/tenants.js';

/** All pages of a project, scanned: nothing filtered, nothing excluded, no indexes of its own. */
export function wholeProject(tenant: Tenant, modelId: number): SearchSpace {
  return { ...tenant, modelId, indexVersion: 1, filters: {}, excludedUrls: [], excludedPaths: { paths: [], keys: [] } };
}
