import { systemClock } from '../../base/clock.js';
import { modelStore } from '../../pages/store/models.js';
import { EmbedderPool } from '../../embedding/embedder-pool.js';
import { openModels } from '../../embedding/model-registry.js';
import type { Caller } from '../../projects/caller.js';
import { createSegmentCatalogue } from '../../pages/large-projects/segment-catalogue.js';
import { createBulkheads } from '../../platform/limits/bulkheads.js';
import { answerFromIndex, type AnswerDeps, type FoundSuggestion, type SearchRequest } from '../../search/answer.js';
import { createHeadingReader } from '../../search/ranking/evidence/heading-evidence.js';
import { createLivePathCache } from '../../search/ranking/evidence/page-path.js';
import { parseCalibration } from '../../search/ranking/scores/calibration.js';
import { unloggedCaller } from '../../search/search-unlogged.js';
import { createVocabulary } from '../../search/candidates/site-vocabulary.js';
import type { CommandDatabase } from './command-database.js';

export interface CommandSearch {
  answer: (request: SearchRequest) => Promise<{ suggestions: readonly FoundSuggestion[] }>;
  caller: Caller;
}

/** Runs work with the service's search for one project, without cache and log. The model ends with the work. */
export async function withSearch<T>(
  { config, db, tenants, logger }: CommandDatabase,
  projectId: string,
  work: (search: CommandSearch) => Promise<T>,
): Promise<T> {
  const embedder = new EmbedderPool({
    pageThreads: config.embeddingThreads,
    cacheFolder: config.modelCacheDir,
    onFault: (reason) => logger.error('inference failed and is started again', { reason }),
  });
  try {
    const models = openModels(modelStore(db), embedder, { logger });
    const ownIndexes = createSegmentCatalogue(db, systemClock, logger);
    await ownIndexes.refresh();
    const deps: AnswerDeps = {
      tenants,
      models,
      ownIndexes,
      vocabulary: createVocabulary(),
      livePaths: createLivePathCache(),
      headings: createHeadingReader(),
      bulkheads: createBulkheads(config.databasePool),
      calibrationOf: async (modelId) => parseCalibration((await models.find(modelId))?.manifest.calibration ?? null),
      pathEvidence: config.suggestPathEvidence,
    };
    const caller = await unloggedCaller({ db, tenants }, projectId);
    return await work({ answer: (request) => answerFromIndex(deps, caller, request), caller });
  } finally {
    await embedder.stop();
  }
}
