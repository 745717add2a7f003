import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../base/errors.js';
import { deriveManifest } from '../../embedding/derive-manifest.js';
import { AUTO, localModel, locateModel } from '../../embedding/locate-model.js';
import { computeFingerprint, readManifest, verifyFiles } from '../../embedding/model-manifest.js';
import type { Config } from '../../platform/settings/config.js';
import { ok, problem, size, warning, type Finding } from './finding.js';

/** Below, a day's growth or a log that is replayed may fill the disk. */
const MIN_FREE_BYTES = { warning: 2e9, problem: 200e6 };
const MIN_FREE_SHARE = 0.05;

/** The space of the disk that DATA_DIR is on, or will be. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  let folder = resolve(dataDir);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = await statfs(folder);
  return judgeDisk(resolve(dataDir), bavail * bsize, blocks * bsize);
}

export function judgeDisk(folder: string, free: number, total: number): Finding {
  const message = `${size(free)} of ${size(total)} free for DATA_DIR (${folder})`;
  const action = 'Free some space, or move DATA_DIR to a larger disk (docs/operate/performance.md, Full disk).';
  if (free < MIN_FREE_BYTES.problem) return problem('disk', message, action);
  if (free < MIN_FREE_BYTES.warning || free < total * MIN_FREE_SHARE) return warning('disk', message, action);
  return ok('disk', message);
}

/** Whether the files of the models that workers load here are those of their manifests. Fetches nothing. */
export function checkModels({ embeddingModel, modelCacheDir }: Config): Promise<Finding[]> {
  const names = embeddingModel === AUTO ? ['english', 'multilingual'] : [embeddingModel];
  return Promise.all(names.map((name) => checkModel(name, modelCacheDir)));
}

async function checkModel(name: string, modelCacheDir: string): Promise<Finding> {
  const cached = join(modelCacheDir, ...name.split('/'));
  if (localModel(name) === undefined && !existsSync(cached))
    return warning(
      'model',
      `EMBEDDING_MODEL ${JSON.stringify(name)} is neither a folder nor in MODEL_CACHE_DIR`,
      'The next start fetches it from the hub, if there is such a model; without a network, copy its folder here.',
    );
  try {
    const { folder, id } = await locateModel(name, modelCacheDir, '');
    const manifest = await readManifest(folder);
    if (manifest) await verifyFiles(folder, manifest);
    const fingerprint = computeFingerprint(manifest ?? (await deriveManifest(folder, id)));
    const how = manifest ? 'its files have the hashes of its manifest' : 'it has no manifest to compare with';
    return ok('model', `${id} (${fingerprint.slice(0, 12)}): ${how}`);
  } catch (error) {
    const action = 'Copy the model again from its source, or install the release again.';
    return problem('model', messageOf(error), action);
  }
}
