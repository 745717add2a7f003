import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { SchemaObject } from 'ajv';
import type { Request, Response } from 'express';
import { ApiError, codeOf, invalid } from '../base/errors.js';
import { LIMITS } from '../base/request-limits.js';
import type { InFlightBytes, ReservedBytes } from '../platform/limits/in-flight-bytes.js';
import { parseJson, nestsDeeper } from '../base/json.js';
import { contextOf, whenClosed } from './request-context.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

// A map: an object would find an encoding called `__proto__`.
const DECOMPRESSORS = new Map<string, Decompress>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Bodies up to this size, such as those of searches and events, are counted but never refused. */
const MAX_SMALL_BYTES = 16_384;

/**
 * Reads a request's body as a JSON object, whatever its Content-Type says. Its bytes are counted as they arrive, until
 * the request is answered. Bytes that a slow sender has announced but not sent are not counted.
 * @throws ApiError invalid_request; payload_too_large above `limit` bytes, after decompression; overloaded.
 */
export function createBodyReader(
  budget: InFlightBytes,
  limit: number = LIMITS.bodyBytes,
): (request: Request, response: Response) => Promise<Record<string, unknown>> {
  return async (request, response) =>
    (contextOf(response).body = parseObject(await readBytes(request, response, limit, budget)));
}

/** Makes a function that reads a JSON body and checks it: {@link compileBody}. */
export function createInputReader<Input>(
  check: (body: Record<string, unknown>) => Input,
  deps: { bytes: InFlightBytes },
): (request: Request, response: Response) => Promise<Input> {
  const readBody = createBodyReader(deps.bytes);
  return async (request, response) => check(await readBody(request, response));
}

/** Reads a request's body as it is; else as {@link createBodyReader}. */
export async function readBytes(request: Request, response: Response, limit: number, budget: InFlightBytes) {
  const decompress = decompressorOf(request);
  const held = budget.hold(contextOf(response).projectId ?? '');
  whenClosed(response, held.release);
  const bytes = await readAll(request, limit, held);
  if (!decompress || bytes.length === 0) return bytes;
  // Only after the last byte: the result may be a thousand times as large, and would be held for a slow sender.
  const plain = await decompress(bytes, { maxOutputLength: limit }).catch((error: unknown) => {
    throw decompressionError(error, limit);
  });
  count(held, plain.length, plain.length);
  return plain;
}

function decompressorOf({ headers }: Request): Decompress | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return undefined;
  const known = DECOMPRESSORS.get(encoding);
  if (!known)
    throw invalid(undefined, 'The Content-Encoding is not supported: send the body plain, or as gzip, deflate or br.');
  return known;
}

/** The rest of a refused body is read and dropped, until the deadline; Node ends a body at its announced length. */
function readAll(request: Request, limit: number, held: ReservedBytes): Promise<Buffer> {
  return new Promise((done, failed) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const refuse = (error: Error): void => {
      chunks = [];
      request.removeAllListeners('data').resume();
      failed(error);
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      refuse(tooLarge(limit));
      return;
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      try {
        if (length > limit) throw tooLarge(limit);
        count(held, chunk.length, length);
      } catch (error) {
        refuse(error as Error);
      }
    });
    request.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => failed(invalid(undefined, 'The body ended before its announced length.')));
  });
}

function count(held: ReservedBytes, bytes: number, total: number): void {
  if (total > MAX_SMALL_BYTES) held.add(bytes);
  else held.force(bytes);
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', { message: `The body is larger than ${limit} bytes.` });
}

/** A body that is not too large is corrupt: also the sender's error. */
function decompressionError(error: unknown, limit: number): ApiError {
  return codeOf(error) === 'ERR_BUFFER_TOO_LARGE'
    ? tooLarge(limit)
    : new ApiError('invalid_request', { message: 'The body could not be read.', cause: error });
}

/** Far more than any real value has; such a body takes 0.15 s to parse. */
const MAX_LEVELS = 150_000;

function parseObject(bytes: Buffer): Record<string, unknown> {
  if (nestsDeeper(bytes, MAX_LEVELS))
    throw invalid(undefined, `The body nests arrays and objects more than ${MAX_LEVELS} levels deep.`);
  let value: unknown;
  try {
    value = parseJson(decoder.decode(bytes));
  } catch (error) {
    const message =
      bytes.length === 0 ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON in UTF-8.';
    throw new ApiError('invalid_request', { message, cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(undefined, 'The body must be a JSON object, such as {"path": "/help"}.');
  return value as Record<string, unknown>;
}

/** The parameters that a schema knows, as a body: whole numbers and true or false as such, all else as it came. */
export function readQueryString({ query }: Request, schema: SchemaObject): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(schema['properties'] as Record<string, SchemaObject>)) {
    const text: unknown = query[name];
    if (text !== undefined) input[name] = typeof text === 'string' ? valueOf(text, type) : text;
  }
  return input;
}

function valueOf(text: string, type: unknown): unknown {
  if (type === 'integer' && /^\d{1,9}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
