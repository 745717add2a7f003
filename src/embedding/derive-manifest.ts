import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelUnavailable } from './embedder-errors.js';
import {
  hashFile,
  MODEL_FILES,
  TOKENIZER_FILES,
  type Dtype,
  type ModelManifest,
  type Pooling,
} from './model-manifest.js';

/**
 * Prefixes that well-known model families expect before a text, for models without our manifest. Without its
 * prefix such a model still works, but worse. Source: the model cards.
 */
const CONVENTIONS: readonly { name: RegExp; query: string; passage: string }[] = [
  // https://huggingface.co/intfloat/e5-base-v2; the instruct variants want another form and are not covered.
  { name: /(^|[/_-])(multilingual-)?e5-(?!.*instruct)/i, query: 'query: ', passage: 'passage: ' },
  // https://huggingface.co/BAAI/bge-small-en-v1.5
  { name: /(^|[/_-])bge-\w+-en\b/i, query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1 and Snowflake/snowflake-arctic-embed-m
  {
    name: /mxbai-embed|arctic-embed-(xs|s|m|l)\b(?!-v2)/i,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
  },
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
  { name: /nomic-embed-text/i, query: 'search_query: ', passage: 'search_document: ' },
];

/** The prefixes of a model with this name; empty when none are known. */
export function knownPrefixes(name: string): { query: string; passage: string } {
  const convention = CONVENTIONS.find((each) => each.name.test(name));
  return { query: convention?.query ?? '', passage: convention?.passage ?? '' };
}

/**
 * The max tokens of a chunk: longer chunks are less specific, and the cost of attention grows with the square of the
 * length.
 */
const MAX_TOKENS = 512;

/** The suffix of a file with a model's weights, where they are not inside the graph. */
const EXTERNAL_DATA = '_data';

/**
 * Derives a manifest for a model that comes without one, from the files that sentence-transformers writes. `dimensions`
 * is 0 until the first embedding. Throws ModelUnavailable when files are missing or the model is not supported.
 */
export async function deriveManifest(folder: string, id: string): Promise<ModelManifest> {
  const dtype = (Object.keys(MODEL_FILES) as Dtype[]).find((each) => existsSync(join(folder, MODEL_FILES[each])));
  const missing: string[] = TOKENIZER_FILES.filter((file) => !existsSync(join(folder, file)));
  if (dtype === undefined) missing.push(`${MODEL_FILES.fp32} (or ${MODEL_FILES.q8}, …)`);
  if (dtype === undefined || missing.length > 0)
    throw new ModelUnavailable(
      `${folder} is not a model in the layout of transformers.js: it lacks ${missing.join(', ')}.`,
    );
  const paths = [MODEL_FILES[dtype], MODEL_FILES[dtype] + EXTERNAL_DATA, ...TOKENIZER_FILES];
  const files: Record<string, string> = {};
  for (const path of paths) if (existsSync(join(folder, path))) files[path] = await hashFile(join(folder, path));
  const config = await readObject(folder, 'config.json');
  const name = typeof config['_name_or_path'] === 'string' ? `${id} ${config['_name_or_path']}` : id;
  return {
    id,
    description: 'No pathmend manifest: settings are derived from the files.',
    licence: 'unknown',
    files,
    dimensions: 0,
    pooling: readPooling(folder, await readObject(folder, '1_Pooling/config.json')),
    normalize: true,
    prefixes: readPrefixes(await readObject(folder, 'config_sentence_transformers.json'), name),
    maximumTokens: findTokenLimit([
      (await readObject(folder, 'sentence_bert_config.json'))['max_seq_length'],
      (await readObject(folder, 'tokenizer_config.json'))['model_max_length'],
      config['max_position_embeddings'],
    ]),
    dtype,
    calibration: null,
  };
}

function readPooling(folder: string, config: Record<string, unknown>): Pooling {
  const modes = Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  if (modes.length === 0) return 'mean';
  if (modes.length === 1) {
    // The mean and the sum over √length differ in length only, and vectors are normalized.
    if (modes[0] === 'pooling_mode_mean_tokens' || modes[0] === 'pooling_mode_mean_sqrt_len_tokens') return 'mean';
    if (modes[0] === 'pooling_mode_cls_token') return 'cls';
    if (modes[0] === 'pooling_mode_max_tokens') return 'max';
  }
  throw new ModelUnavailable(
    `${join(folder, '1_Pooling/config.json')} asks for ${modes.join(' + ')}; mean, cls and max are supported.`,
  );
}

function readPrefixes(config: Record<string, unknown>, name: string): ModelManifest['prefixes'] {
  const known = knownPrefixes(name);
  const prompts = config['prompts'];
  if (typeof prompts !== 'object' || prompts === null) return known;
  const prompt = (...keys: string[]): string | undefined => {
    for (const key of keys) {
      const value = (prompts as Record<string, unknown>)[key];
      // Newer versions of sentence-transformers write empty prompts for every model. They mean nothing.
      if (typeof value === 'string' && value !== '') return value;
    }
    return undefined;
  };
  return {
    query: prompt('query') ?? known.query,
    passage: prompt('passage', 'document', 'corpus') ?? known.passage,
  };
}

/** Returns the smallest plausible limit. Tokenizers write 1e30 for "no limit". */
function findTokenLimit(limits: unknown[]): number {
  return Math.min(MAX_TOKENS, ...(limits.filter((each) => typeof each === 'number' && each >= 8) as number[]));
}

async function readObject(folder: string, path: string): Promise<Record<string, unknown>> {
  const file = join(folder, path);
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (cause) {
    throw new ModelUnavailable(`${file} cannot be read as JSON: ${String(cause)}`, { cause });
  }
}
