import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { packageRoot } from '../package-root.js';
import { ModelUnavailable } from './embedder-errors.js';
import { downloadModel } from './hub-download.js';

export interface LocatedModel {
  folder: string;
  /** The hub id, or the folder's name. */
  id: string;
}

const BUNDLED = 'pathmend-static-v1';
/** Names of models that come with pathmend, in its folder `models`. */
export const OWN_MODEL = /^pathmend-[\w-]+$/;
const HUB_ID = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;

/**
 * Finds the folder of a model: the bundled one for undefined, the name of one that comes with pathmend, an existing
 * folder, or a hub id. Uses the network only
 * for a hub id that `cacheFolder` does not hold. Throws ModelUnavailable.
 */
export async function locateModel(
  value: string | undefined,
  cacheFolder: string,
  hubUrl: string,
): Promise<LocatedModel> {
  const own = value === undefined || OWN_MODEL.test(value);
  const path = own ? join(packageRoot(), 'models', value ?? BUNDLED) : resolve(value);
  if (existsSync(path) && statSync(path).isDirectory()) return { folder: path, id: basename(path) };
  if (value === undefined) {
    throw new ModelUnavailable(`The bundled model is missing at ${path}: is the installation complete?`);
  }
  if (!HUB_ID.test(value) || value.includes('..')) {
    throw new ModelUnavailable(
      `EMBEDDING_MODEL "${value}" is neither a folder that exists, nor a model of ours (pathmend-static-v2), nor a hub id such as Xenova/all-MiniLM-L6-v2.`,
    );
  }
  return { folder: await downloadModel(value, cacheFolder, hubUrl), id: value };
}
