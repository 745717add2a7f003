import express, { type Request, type Response } from 'express';
import { ApiError, invalid } from '../errors.js';
import { nestsDeeper } from './nesting.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request's body as a JSON object, whatever its Content-Type says.
 * @throws ApiError invalid_request; payload_too_large above `limit` bytes, after decompression.
 */
export function createBodyReader(limit: number): (request: Request, response: Response) => Promise<Record<string, unknown>> {
  const read = express.raw({ type: () => true, limit, inflate: true });
  return async (request, response) => {
    if (isSmallAndPlain(request, limit)) return parseObject(await readAll(request));
    await new Promise<void>((done, failed) => {
      read(request, response, (error?: unknown) => {
        if (error === undefined || error === null) done();
        else failed(bodyError(error, limit));
      });
    });
    // Express 5 leaves the body undefined when there is none.
    return parseObject(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  };
}

/** Bodies up to this many bytes, as nearly all are, are read without Express's own reader, which costs 30 µs each. */
const SMALL = 16_384;

function isSmallAndPlain({ headers }: Request, limit: number): boolean {
  const length = headers['content-length'];
  return length !== undefined && headers['content-encoding'] === undefined && Number(length) <= Math.min(SMALL, limit);
}

/** Node ends a request's body at its announced length, or aborts it before. */
function readAll(request: Request): Promise<Buffer> {
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', () => {
      failed(cutShort());
    });
  });
}

function cutShort(): ApiError {
  return invalid(undefined, 'The body ended before its announced length.');
}

/** Far beyond any value that is one; 0.15 s to read. */
const MOST_LEVELS = 150_000;

function parseObject(bytes: Buffer): Record<string, unknown> {
  if (nestsDeeper(bytes, MOST_LEVELS)) throw invalid(undefined, `The body nests arrays and objects more than ${MOST_LEVELS} levels deep.`);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    const message = bytes.length === 0 ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON in UTF-8.';
    throw new ApiError('invalid_request', { message, cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(undefined, 'The body must be a JSON object, such as {"path": "/help"}.');
  }
  return value as Record<string, unknown>;
}

/** body-parser names its errors by `type`. */
function bodyError(error: unknown, limit: number): ApiError {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new ApiError('payload_too_large', { message: `The body is larger than ${limit} bytes.` });
    case 'encoding.unsupported':
      return invalid(undefined, 'The Content-Encoding is not supported: send the body plain, or as gzip, deflate or br.');
    case 'request.aborted':
    case 'request.size.invalid':
      return cutShort();
    default:
      // Corrupt compression ends here: the sender's fault too.
      return new ApiError('invalid_request', { message: 'The body could not be read.', cause: error });
  }
}
