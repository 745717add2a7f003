import type { JobWithMetadata } from 'pg-boss';
import { inTransaction } from '../database/connect.js';
import { bumpIndexVersion, lockUnchangedPages, replacePassages, type NewPassage } from '../database/queries/index-pages.js';
import { pagesWithoutModel, switchModel } from '../database/queries/models.js';
import { embedPage } from '../pages/embed-page.js';
import type { ChangeModelPayload } from './kinds.js';
import type { VectorizeDeps } from './vectorize-page.js';

const PAGES_AT_ONCE = 20;

/**
 * Embeds a project's indexed pages with the configured model, behind the one that answers, then switches. Pages that
 * change meanwhile are written under both by their own jobs. Interrupted, it goes on where it was: what has vectors
 * already is not done again.
 */
export async function changeProjectModel(deps: VectorizeDeps, job: JobWithMetadata<ChangeModelPayload>): Promise<void> {
  const { projectId, modelId } = job.data;
  const { db } = deps.tenants.of(projectId);
  if (modelId !== deps.models.configured.modelId) return;
  let embedded = 0;
  for (let after = ''; ; ) {
    const pages = await pagesWithoutModel(db, projectId, modelId, after, PAGES_AT_ONCE);
    const last = pages.at(-1);
    if (!last) break;
    after = last.page_id;
    const passages: NewPassage[] = [];
    for (const page of pages) {
      if (job.signal.aborted) throw new Error('interrupted: goes on with the next attempt');
      passages.push(...(await embedPage(deps.models, modelId, page.page_id, page.content)));
    }
    await inTransaction(db, async (trx) => {
      const versions = pages.map((page) => ({ pageId: page.page_id, contentVersion: page.content_version }));
      const unchanged = new Set((await lockUnchangedPages(trx, projectId, versions)).map((row) => row.page_id));
      await replacePassages(trx, projectId, [...unchanged], [modelId], passages.filter((p) => unchanged.has(p.pageId)));
    });
    embedded += pages.length;
  }
  await inTransaction(db, async (trx) => {
    await switchModel(trx, projectId, modelId);
    await bumpIndexVersion(trx, projectId);
  });
  deps.indexChanges.committed(projectId);
  await deps.growth.modelChanged(projectId);
  deps.logger.info('a project answers with another model now', { project_id: projectId, model_id: modelId, pages: embedded });
}
