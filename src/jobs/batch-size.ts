import type { ModelRegistry } from '../embedding/model-registry.js';
import { embedPage } from '../pages/embed-page.js';

/** What a batch should take a model: who upserts a page meanwhile waits for one or two of these. */
const BATCH_MS = 500;
const FEWEST = 4;
/** Words that pages share are counted once for a batch: 256 pages took a third less of our time each than 64, beyond it gains little. */
const MOST = 256;
const MOST_MS_OF_MEASURING = 100;

/** A page of ordinary length: some 300 words, no two sentences alike. */
const ORDINARY = Array.from({ length: 30 }, (_, i) => `Sentence ${i} of this page says what a page of a site may say.`).join(' ');

/**
 * How many pages make a batch for this model on this machine: by the best of a few tries, since the first ones warm it
 * up. A model that fails here fails again with the pages, where it is said and tried again.
 */
export async function pagesOfBatch(models: ModelRegistry): Promise<number> {
  const startedAt = performance.now();
  let best = Infinity;
  try {
    do {
      const from = performance.now();
      await embedPage(models, models.configured.modelId, '', ORDINARY);
      best = Math.min(best, performance.now() - from);
    } while (performance.now() - startedAt < MOST_MS_OF_MEASURING);
  } catch {
    return FEWEST;
  }
  return Math.max(FEWEST, Math.min(MOST, Math.round(BATCH_MS / best)));
}
