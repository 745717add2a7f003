import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { JsonObject } from '../base/glossary.js';
import { OWN_SCHEMA } from '../base/validate.js';
import { ModelUnavailable } from './embedder-errors.js';

const POOLINGS = ['mean', 'cls', 'max'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** The weight formats of transformers.js and their files, the most exact first. */
export const MODEL_FILES = {
  fp32: 'onnx/model.onnx',
  fp16: 'onnx/model_fp16.onnx',
  q8: 'onnx/model_quantized.onnx',
  int8: 'onnx/model_int8.onnx',
  uint8: 'onnx/model_uint8.onnx',
  q4: 'onnx/model_q4.onnx',
  q4f16: 'onnx/model_q4f16.onnx',
  bnb4: 'onnx/model_bnb4.onnx',
} as const;
export type Dtype = keyof typeof MODEL_FILES;

/** The other files of every model folder. */
export const TOKENIZER_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;

/**
 * Optional file of a model: a little-endian float32 per dimension, which is subtracted from each vector (`moveFrom` in
 * pool-vectors.ts). scripts/model/center.ts writes it.
 */
export const CENTER_FILE = 'center.bin';

/** `manifest.json` of a model folder. Unknown fields are ignored. */
export interface ModelManifest {
  id: string;
  description: string;
  licence: string;
  /** SHA-256 in lower-case hex, by path inside the folder. */
  files: Record<string, string>;
  dimensions: number;
  pooling: Pooling;
  normalize: boolean;
  /** The texts that stand before every query and before every chunk. */
  prefixes: { query: string; passage: string };
  /** Max tokens of one inference, special tokens included. */
  maximumTokens: number;
  dtype: Dtype;
  /** The calibration by which the search turns similarities into scores. Null: not calibrated. */
  calibration: JsonObject | null;
}

const text = { type: 'string' } as const;

const properties = {
  id: { type: 'string', minLength: 1 },
  description: text,
  licence: text,
  files: {
    type: 'object',
    // Paths stay inside the folder: no leading slash, no "..".
    propertyNames: { pattern: '^(?!/)(?!.*\\.\\.)[\\w./-]+$' },
    additionalProperties: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  dimensions: { type: 'integer', minimum: 1, maximum: 16000 },
  pooling: { enum: POOLINGS },
  normalize: { type: 'boolean' },
  prefixes: { type: 'object', required: ['query', 'passage'], properties: { query: text, passage: text } },
  maximumTokens: { type: 'integer', minimum: 8, maximum: 32768 },
  dtype: { enum: Object.keys(MODEL_FILES) },
  calibration: { type: ['object', 'null'] },
};
/** The schema of `manifest.json`, exported for tests. */
export const MANIFEST_SCHEMA = { type: 'object', required: Object.keys(properties), properties };

/** Parses a manifest. Throws ModelUnavailable with the file and the field. */
export function parseManifest(json: string, file: string): ModelManifest {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ModelUnavailable(`${file} is not JSON: ${String(cause)}`, { cause });
  }
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, ...OWN_SCHEMA });
  const validate = ajv.compile<ModelManifest>(MANIFEST_SCHEMA);
  if (!validate(value)) {
    const faults = (validate.errors ?? []).map((fault) => {
      const allowed: unknown = fault.params['allowedValues'];
      const field = fault.instancePath.slice(1).replaceAll('~1', '/') || 'the manifest';
      const name = typeof fault.propertyName === 'string' ? ` "${fault.propertyName}"` : '';
      const choices = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
      return `${field}${name} ${fault.message ?? 'is not valid'}${choices}`;
    });
    throw new ModelUnavailable(`${file} is not a valid model manifest: ${faults.join('; ')}.`);
  }
  const unlisted = [MODEL_FILES[value.dtype], ...TOKENIZER_FILES].filter((path) => !(path in value.files));
  if (unlisted.length > 0)
    throw new ModelUnavailable(
      `${file} lists no hash in "files" for ${unlisted.join(', ')}, so changes to it would pass unseen.`,
    );
  return value;
}

/** Reads the manifest in `folder`; undefined when there is none. */
export async function readManifest(folder: string): Promise<ModelManifest | undefined> {
  const file = join(folder, 'manifest.json');
  let json: string;
  try {
    json = await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ModelUnavailable(`${file} cannot be read: ${String(cause)}`, { cause });
  }
  return parseManifest(json, file);
}

/** Computes the SHA-256 of a file in lower-case hex. The file is streamed, since an ONNX file may be large. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Throws ModelUnavailable unless every file has the hash in the manifest. */
export async function verifyFiles(folder: string, manifest: ModelManifest): Promise<void> {
  for (const [path, expected] of Object.entries(manifest.files)) {
    const file = join(folder, path);
    const actual = await hashFile(file).catch((cause: unknown) => {
      throw new ModelUnavailable(`${file} cannot be read: ${String(cause)}. Is the model complete?`, { cause });
    });
    if (actual !== expected)
      throw new ModelUnavailable(
        `${file} is not the file that manifest.json describes (its SHA-256 is ${actual}, not ${expected}): ` +
          'it was altered or only partly copied. The model is not loaded; copy it again from its source.',
      );
  }
}

/**
 * Version of the embedded texts of a page (src/pages/indexing/embed-page.ts); a new one makes all pages be embedded
 * again.
 */
const TEXTS_OF_A_PAGE = 2;

/**
 * Computes the SHA-256 over the hashes of the files, every setting that changes vectors, and the version of the
 * embedded texts. The dimensions follow from the files.
 */
export function computeFingerprint(manifest: Omit<ModelManifest, 'dimensions'>): string {
  const files = Object.entries(manifest.files).sort(([a], [b]) => (a < b ? -1 : 1));
  const { pooling, normalize, prefixes, maximumTokens, dtype } = manifest;
  const settings = [files, pooling, normalize, prefixes.query, prefixes.passage, maximumTokens, dtype, TEXTS_OF_A_PAGE];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
