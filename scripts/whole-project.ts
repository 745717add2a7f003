import type { Scope } from '#src/database/queries/search/scope.js';
import type { Tenant } from '#src/database/session/tenants.js';

/** All pages of a project, scanned: nothing filtered, nothing excluded, no indexes of its own. */
export function wholeProject(tenant: Tenant, modelId: number): Scope {
  return { ...tenant, modelId, indexVersion: 1, filters: {}, excludedUrls: [], excludedPaths: { paths: [], keys: [] } };
}
