import { ALL_PAGES, type SearchSpace } from '#src/search/store/space.js';
import type { LoadedModel } from '#src/embedding/embedder.js';
import { readAnsweringModel } from '#src/projects/project-model.js';
import type { Service } from '#src/app/service.js';
import type { Tenant } from '#src/platform/database/session/tenants.js';

/** All pages of a project, scanned: nothing filtered, nothing excluded, no indexes of its own. */
export function wholeProject(tenant: Tenant, modelId: number): SearchSpace {
  return { ...tenant, modelId, indexVersion: 1, ...ALL_PAGES };
}

/** The model that answers a project. */
export async function modelOf(
  { db, models }: Service,
  projectId: string,
): Promise<{ modelId: number; model: LoadedModel }> {
  const modelId = (await readAnsweringModel(db, projectId)) ?? 0;
  const model = await models.find(modelId);
  if (!model) throw new Error('no model answers the project');
  return { modelId, model };
}
