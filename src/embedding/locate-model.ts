import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { packageRoot } from '../base/package-root.js';
import { ModelUnavailable } from './embedder-errors.js';
import { downloadModel } from './hub-download.js';

interface LocatedModel {
  folder: string;
  /** The hub id, or the folder's name. */
  id: string;
}

/** The models that come with pathmend, by the names that operators use. Their folders are in `models/`. */
export const OWN_MODELS = {
  english: 'pathmend-english-v1',
  multilingual: 'pathmend-multilingual-v1',
  static: 'pathmend-static-v2',
} as const;
type OwnModel = keyof typeof OWN_MODELS;

/** Each project's model follows its pages. */
export const AUTO = 'auto';

/** `models/` may contain earlier models with stored vectors, too. */
const FOLDER_NAME = /^[\w-][\w.-]*$/;
/** Bound of the database column. */
const MAX_NAME = 500;
const HUB_ID = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;

/** The folder of a model that needs no network: one that comes with pathmend, by name, or any other that exists. */
export function localModel(value: string): string | undefined {
  const name = folderOf(value);
  return [...(FOLDER_NAME.test(name) ? [ownFolder(name)] : []), resolve(value)].find(isFolder);
}

/** The folder name of a model that comes with pathmend: it stays when `english` becomes another model. */
export function folderOf(value: string): string {
  return isOwnName(value) ? OWN_MODELS[value] : value;
}

/**
 * The stored name of a model: a name or hub id as given, a folder by its absolute path.
 * @throws ModelUnavailable for a name that no model can have
 */
function modelName(value: string): string {
  if (isOwnName(value)) return value;
  const folder = localModel(value);
  if ((folder ?? value).length > MAX_NAME)
    throw new ModelUnavailable(`The name of the model is longer than ${MAX_NAME} characters.`);
  if (folder !== undefined) return folder === ownFolder(value) ? value : folder;
  if (isHubId(value) || isOwn(value)) return value;
  throw new ModelUnavailable(
    `The model "${value}" is neither a folder that exists, nor a model of ours (${Object.keys(OWN_MODELS).join(', ')}), nor a hub id such as Xenova/all-MiniLM-L6-v2. EMBEDDING_MODEL and \`project update --model\` name one.`,
  );
}

/** {@link AUTO}, or the stored name of a model. @throws ModelUnavailable */
export function modelChoice(value: string): string {
  return value === AUTO ? AUTO : modelName(value);
}

const isOwnName = (value: string): value is OwnModel => Object.hasOwn(OWN_MODELS, value);
const ownFolder = (name: string): string => join(packageRoot(), 'models', name);
const isOwn = (folder: string): boolean => Object.values<string>(OWN_MODELS).includes(folder);
const isHubId = (value: string): boolean => HUB_ID.test(value) && !value.includes('..');

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Finds the folder of a model: a local one ({@link localModel}) or a hub id. Uses the network only for a hub id that is
 * not in `cacheFolder`. @throws ModelUnavailable
 */
export async function locateModel(value: string, cacheFolder: string, hubUrl: string): Promise<LocatedModel> {
  const folder = localModel(value);
  if (folder !== undefined) return { folder, id: basename(folder) };
  const name = modelName(value);
  if (!isHubId(name)) {
    const path = ownFolder(folderOf(name));
    throw new ModelUnavailable(`A model that comes with pathmend is missing at ${path}: is the installation complete?`);
  }
  return { folder: await downloadModel(value, cacheFolder, hubUrl), id: value };
}
