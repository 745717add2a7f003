import type { Config } from '#src/platform/settings/config.js';
import type { Embedder } from '#src/embedding/embedder.js';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { wrapEmbedder } from './wrap-embedder.js';

let started: EmbedderPool | undefined;

/** The bundled model in one thread for all services of this process. A service that stops leaves it running. */
export function sharedEmbedder({ modelCacheDir, embeddingThreads }: Config): Embedder {
  started ??= new EmbedderPool({
    cacheFolder: modelCacheDir,
    pageThreads: embeddingThreads,
    onFault: (reason) => {
      console.error(`inference failed and is started again: ${reason}`);
    },
  });
  return wrapEmbedder(started, { stop: () => Promise.resolve() });
}

/** After all tests. */
export async function stopSharedEmbedder(): Promise<void> {
  await started?.stop();
}
