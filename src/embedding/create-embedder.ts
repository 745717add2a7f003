import type { Embedder, EmbedderOptions } from './embedder.js';
import { OnnxEmbedder } from './onnx-embedder.js';

/** Nothing is started before the first `load`. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  return new OnnxEmbedder(options);
}
