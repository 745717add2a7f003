import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusboyInstance } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { type ApiError, invalid, OperatorError } from '../../base/errors.js';
import { whenClosed } from '../../http/request-context.js';

/** A file of a form. */
export interface Upload {
  /** The name that the browser gave, reduced to one for a file: letters, numbers and `._-`, at first no dot. */
  name: string;
  bytes: AsyncIterable<Buffer>;
}

/** A form as it was received, before anything is checked. */
export interface ReceivedForm {
  fields: URLSearchParams;
  upload?: Upload | undefined;
}

const LIMITS = { files: 1, fields: 20, parts: 21, fieldSize: 65_536, headerPairs: 20, headerSize: 8_192 };
const MAX_NAME = 100;

/**
 * Reads a form whose last field is a file. The file is stored as a temporary file, which is deleted after the answer.
 * @throws ApiError invalid_request that names the field if the file is too large, or the browser went away
 */
export async function readUpload(request: Request, response: Response, maxBytes: number): Promise<ReceivedForm> {
  const parser = await createParser(request, maxBytes);
  return new Promise((done, failed) => {
    const fields = new URLSearchParams();
    let hasFile = false;
    parser.on('field', (name, value) => fields.append(name, value));
    parser.on('file', (field, stream, filename: string | undefined) => {
      stream.on('error', () => undefined);
      request.once('close', () => {
        if (!request.complete) stream.destroy(broken());
      });
      // A browser sends a file without a name where none was chosen.
      const isFile = filename !== undefined && filename !== '';
      if (!isFile) stream.resume();
      const plain = (filename ?? '').replace(/[^\p{L}\p{N}._-]/gu, '');
      const name = plain.slice(-MAX_NAME).replace(/^\.+/, '') || 'file';
      async function* bytes(): AsyncGenerator<Buffer> {
        try {
          for await (const chunk of stream) yield chunk as Buffer;
        } catch {
          throw broken();
        }
        if (stream.truncated)
          throw invalid(field, `The file is larger than ${Math.floor(maxBytes / 1_000_000)} MB. Choose a smaller one.`);
      }
      hasFile = true;
      const kept = isFile ? keep(bytes(), response) : undefined;
      // Fields behind the file are ignored.
      const before = new URLSearchParams(fields);
      // The first part of `kept` is empty: it comes when the whole file is stored.
      Promise.resolve(kept?.next()).then(() => done({ fields: before, upload: kept && { name, bytes: kept } }), failed);
    });
    parser.on('finish', () => {
      if (!hasFile) done({ fields, upload: undefined });
    });
    parser.on('error', () => failed(broken()));
    request.once('close', () => {
      if (!request.complete) failed(broken());
    });
    // After the answer, the rest of the request is read and dropped, until the deadline for requests.
    response.once('finish', () => {
      request.unpipe(parser);
      request.resume();
    });
    request.pipe(parser);
  });
}

async function* keep(bytes: AsyncIterable<Buffer>, response: Response): AsyncGenerator<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-'));
  whenClosed(response, () => void rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'upload'), bytes);
  yield Buffer.alloc(0);
  yield* createReadStream(join(folder, 'upload')) as AsyncIterable<Buffer>;
}

function broken(): ApiError {
  return invalid(undefined, 'The upload was interrupted. Submit the form again.');
}

/** Makes a parser. Its package is loaded with the first file. @throws ApiError for a form without a boundary */
async function createParser({ headers }: Request, maxBytes: number): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({ headers: headers as { 'content-type': string }, limits: { ...LIMITS, fileSize: maxBytes } });
  } catch {
    throw broken();
  }
}

/** Stores an uploaded file on this machine while `work` reads it. Errors name the field in place of the path. */
export async function asFile<Result>(
  { name, bytes }: { name: string; bytes: AsyncIterable<Buffer> | string },
  field: string,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-'));
  const file = join(folder, name);
  try {
    await writeFile(file, bytes);
    return await work(file);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw invalid(field, error.message.replaceAll(`${file}:`, 'Line ').replaceAll(file, `The ${field}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
