import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { packageRoot } from '../base/package-root.js';
import { ModelUnavailable } from './embedder-errors.js';
import { downloadModel } from './hub-download.js';

export interface LocatedModel {
  folder: string;
  /** The hub id, or the folder's name. */
  id: string;
}

/** The models that come with pathmend, by the names that operators use. Their folders are in `models/`. */
export const OWN_MODELS = {
  english: 'all-MiniLM-L6-v2',
  multilingual: 'multilingual-e5-small-100k',
  static: 'pathmend-static-v2',
} as const;
export type OwnModel = keyof typeof OWN_MODELS;

/** The model of an installation that names none. */
export const DEFAULT_MODEL = 'pathmend-static-v2';
/** In `models/` may be those, too, of which an installation still has vectors. */
const FOLDER_NAME = /^[\w-][\w.-]*$/;
const HUB_ID = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;

/** The folder of a model that needs no network: one that comes with pathmend, by name, or any other that exists. */
export function localModel(value: string): string | undefined {
  const name = folderOf(value);
  const own = join(packageRoot(), 'models', name);
  return [...(FOLDER_NAME.test(name) ? [own] : []), resolve(value)].find(isFolder);
}

/** The name of a model's folder, where it comes with pathmend. It stays the same when `english` names another one. */
export function folderOf(value: string): string {
  return value in OWN_MODELS ? OWN_MODELS[value as OwnModel] : value;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Finds the folder of a model: {@link DEFAULT_MODEL} for undefined, one that is here ({@link localModel}), or a hub id.
 * Uses the network only for a hub id that `cacheFolder` does not hold. Throws ModelUnavailable.
 */
export async function locateModel(
  value: string | undefined,
  cacheFolder: string,
  hubUrl: string,
): Promise<LocatedModel> {
  const folder = localModel(value ?? DEFAULT_MODEL);
  if (folder !== undefined) return { folder, id: basename(folder) };
  if (value === undefined) {
    const path = join(packageRoot(), 'models', DEFAULT_MODEL);
    throw new ModelUnavailable(
      `The model that comes with pathmend is missing at ${path}: is the installation complete?`,
    );
  }
  if (!HUB_ID.test(value) || value.includes('..')) {
    throw new ModelUnavailable(
      `EMBEDDING_MODEL "${value}" is neither a folder that exists, nor a model of ours (${Object.keys(OWN_MODELS).join(', ')}), nor a hub id such as Xenova/all-MiniLM-L6-v2.`,
    );
  }
  return { folder: await downloadModel(value, cacheFolder, hubUrl), id: value };
}
