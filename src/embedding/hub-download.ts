import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ModelUnavailable } from './embedder-errors.js';
import { MODEL_FILES, TOKENIZER_FILES } from './model-manifest.js';

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
export async function downloadModel(id: string, cacheFolder: string, hubUrl: string): Promise<string> {
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

/** False when the hub has no such file. The hub answers 401 for an unknown repository, 404 for an unknown file. */
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

/** fetch says "fetch failed" and puts the reason into the cause. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
