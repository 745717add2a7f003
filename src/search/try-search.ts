import { findByContent } from '../database/queries/search/by-content.js';
import type { Tenants } from '../database/session/tenants.js';
import type { ModelRegistry } from '../embedding/model-registry.js';

/** The id of no project: what is looked for is found nowhere, at the price of a look into each index. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Asks the database what a search asks it, by the same statement, role and sessions; for readiness. Resolves when that
 * works, though it finds nothing.
 */
export async function trySearch(
  tenants: Tenants,
  { configured: { modelId, model } }: Pick<ModelRegistry, 'configured'>,
): Promise<void> {
  const space = {
    ...tenants.of(NOBODY),
    modelId,
    indexVersion: 0,
    filters: {},
    excludedUrls: [],
    excludedPaths: { paths: [], keys: [] },
  };
  const vector = new Float32Array(model.manifest.dimensions).fill(1);
  const question = { vector, terms: new Map([[1, 1]]), weights: { dense: 1, beginning: 1, lexical: 1 }, lookups: [] };
  await findByContent(space, question, 1, 1, false);
}
