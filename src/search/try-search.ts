import { findByContent } from './store/by-content.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { ModelRegistry } from '../embedding/model-registry.js';

/** The id of no project: the search finds nothing and costs one look into each index. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/**
 * Checks for readiness that the database answers a search: runs the same statement with the same role and sessions.
 */
export async function trySearch(
  tenants: Tenants,
  { configured: { modelId, model } }: Pick<ModelRegistry, 'configured'>,
): Promise<void> {
  const space = {
    ...tenants.of(NO_PROJECT),
    modelId,
    indexVersion: 0,
    filters: {},
    excludedUrls: [],
    excludedPaths: { paths: [], keys: [] },
  };
  const vector = new Float32Array(model.manifest.dimensions).fill(1);
  const question = { vector, terms: new Map([[1, 1]]), weights: { dense: 1, beginning: 1, lexical: 1 }, lookups: [] };
  await findByContent(space, question, 1);
}
