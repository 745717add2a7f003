import { deriveManifest } from './derive-manifest.js';
import { ModelUnavailable } from './embedder-errors.js';
import { locateModel } from './locate-model.js';
import { computeFingerprint, readManifest, verifyFiles } from './model-manifest.js';
import { OnnxModel, type NativeCall } from './onnx-model.js';

export interface OpenOptions {
  cacheFolder: string;
  hubUrl: string;
  native?: NativeCall;
}

/**
 * Finds, verifies, loads and warms up a model, or takes it from `models` by its fingerprint. The warm-up is needed
 * because a first inference takes 10 to 20 times as long as later ones. Throws ModelUnavailable.
 */
export async function openModel(value: string, options: OpenOptions, models: Map<string, OnnxModel>) {
  const { folder, id } = await locateModel(value, options.cacheFolder, options.hubUrl);
  const ours = await readManifest(folder);
  if (ours) await verifyFiles(folder, ours);
  const manifest = ours ?? (await deriveManifest(folder, id));
  const fingerprint = computeFingerprint(manifest);
  // Two folders may hold the same files with different calibrations: one session, two manifests.
  const known = models.get(fingerprint);
  const model = known ?? (await OnnxModel.open(folder, manifest, options.native));
  try {
    const { dimensions, chunkMs } = await warmUp(model, folder);
    if (ours && ours.dimensions !== dimensions)
      throw new ModelUnavailable(
        `${folder}/manifest.json says ${ours.dimensions} dimensions, but the model gives ${dimensions}.`,
      );
    manifest.dimensions = dimensions;
    models.set(fingerprint, model);
    return { fingerprint, manifest, location: folder, chunkMs };
  } catch (error) {
    if (!known) await model.dispose();
    throw error;
  }
}

/** A model is measured at least 5 times, and up to 16 times within 50 ms. */
const MIN_MEASURED = 5;
const MAX_MEASURED = 16;
const MAX_WARM_UP_MS = 50;

/**
 * Embeds a short text, then a text of maximum length some times, and measures the fastest. V8 compiles meanwhile: the
 * second embedding took 0.8 to 15 ms with a model that later takes 0.1 ms. By that measurement, batches of pages had
 * from 11 to 128 pages.
 */
async function warmUp(model: OnnxModel, folder: string): Promise<{ dimensions: number; chunkMs: number }> {
  try {
    const full = 'word '.repeat(model.manifest.maximumTokens);
    const short = await model.embed('query', 'warm up');
    await model.embed('passage', full);
    let chunkMs = Infinity;
    const until = performance.now() + MAX_WARM_UP_MS;
    for (let times = 0; times < MIN_MEASURED || (times < MAX_MEASURED && performance.now() < until); times++) {
      const from = performance.now();
      await model.embed('passage', full);
      chunkMs = Math.min(chunkMs, performance.now() - from);
    }
    return { dimensions: short.length, chunkMs };
  } catch (cause) {
    if (cause instanceof ModelUnavailable) throw cause;
    throw new ModelUnavailable(`The model in ${folder} was loaded but cannot embed: ${String(cause)}`, { cause });
  }
}
