import { createWriteStream, existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { packageRoot } from '../base/package-root.js';
import { ModelUnavailable } from './embedder-errors.js';
import { MODEL_FILES, TOKENIZER_FILES } from './model-manifest.js';

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

/** With this choice, the model of each project follows its pages. */
export const AUTO = 'auto';

/** Matches the name of a folder in `models/`, which may contain earlier models with stored vectors, too. */
const FOLDER_NAME = /^[\w-][\w.-]*$/;
/** The max length of a model's name in the database. */
const MAX_NAME = 500;
const HUB_ID = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;

/**
 * Finds the folder of a model that needs no network: one that comes with pathmend, by name, or any other folder that
 * exists.
 */
export function localModel(value: string): string | undefined {
  const name = folderOf(value);
  return [...(FOLDER_NAME.test(name) ? [ownFolder(name)] : []), resolve(value)].find(
    (path) => existsSync(path) && statSync(path).isDirectory(),
  );
}

/**
 * Returns the folder name for the name of a model that comes with pathmend; other values are returned as they are.
 * Stored folder names stay valid when `english` becomes another model.
 */
export function folderOf(value: string): string {
  return isOwnName(value) ? OWN_MODELS[value] : value;
}

/**
 * Returns the stored name of a model: a name or hub id as given, a folder by its absolute path.
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

/** Returns {@link AUTO}, or the stored name of a model. @throws ModelUnavailable */
export function modelChoice(value: string): string {
  return value === AUTO ? AUTO : modelName(value);
}

const isOwnName = (value: string): value is OwnModel => Object.hasOwn(OWN_MODELS, value);
const ownFolder = (name: string): string => join(packageRoot(), 'models', name);
const isOwn = (folder: string): boolean => Object.values<string>(OWN_MODELS).includes(folder);
const isHubId = (value: string): boolean => HUB_ID.test(value) && !value.includes('..');

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

const OPTIONAL = [
  'manifest.json',
  'special_tokens_map.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
];

/**
 * Downloads a hub model once and returns its folder. Files go to a temporary folder that is renamed when it is
 * complete: the cache of transformers.js hands out half-written files when two processes download at once
 * (https://github.com/huggingface/transformers.js/issues/1544). Throws ModelUnavailable.
 */
async function downloadModel(id: string, cacheFolder: string, hubUrl: string): Promise<string> {
  const folder = join(cacheFolder, ...id.split('/'));
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    const get = (path: string) => download(`${hubUrl}/${id}/resolve/main/${path}`, join(partial, path));
    for (const path of TOKENIZER_FILES) {
      if (await get(path)) continue;
      throw new Error(`there is no ${path} (is the id right, the model public and in the layout of transformers.js?)`);
    }
    let onnx: string | undefined;
    for (const path of Object.values(MODEL_FILES))
      if (await get(path)) {
        onnx = path;
        break;
      }
    if (onnx === undefined) throw new Error('it has no ONNX file in onnx/');
    for (const path of [`${onnx}_data`, ...OPTIONAL]) await get(path);
    await rename(partial, folder).catch((cause: unknown) => {
      // Another process has finished first, with the same files.
      if (!existsSync(folder)) throw cause;
    });
    return folder;
  } catch (cause) {
    throw new ModelUnavailable(
      `The embedding model "${id}" is not a folder here and could not be fetched from ${hubUrl}: ${explain(cause)}. ` +
        "Either this machine cannot reach the network or the id is wrong. Copy the model's files to a folder and set " +
        'EMBEDDING_MODEL to that folder, or leave EMBEDDING_MODEL unset for the model that comes with pathmend.',
      { cause },
    );
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Downloads a file. Returns false when the hub has no such file. The hub answers 401 for an unknown repository, 404 for
 * an unknown file.
 */
async function download(url: string, file: string): Promise<boolean> {
  const response = await fetch(url);
  if (response.status === 404 || response.status === 401 || response.status === 403) {
    await response.body?.cancel();
    return false;
  }
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  await mkdir(dirname(file), { recursive: true });
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  const length = Number(response.headers.get('content-length') ?? NaN);
  const encoded = response.headers.has('content-encoding');
  const { size } = await stat(file);
  if (!encoded && Number.isFinite(length) && size !== length)
    throw new Error(`${url} broke off after ${size} of ${length} bytes`);
  return true;
}

/** Explains a failed download: the message of fetch is only "fetch failed", and the reason is in its cause. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
