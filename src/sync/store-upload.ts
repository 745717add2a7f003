import type { Readable } from 'node:stream';
import { ApiError, invalid, OperatorError } from '../base/errors.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { SourceDeps } from './project-source.js';
import {
  addUploadChunk,
  beginUpload,
  endUpload,
  findUpload,
  readUploadChunk,
  type UploadRow,
} from './store/uploads.js';

export const MAX_UPLOAD_BYTES = 64 << 20;
const CHUNK_BYTES = 1 << 20;
const MAX_NAME = 255;
/** Matches the file names of the formats that can be read. */
const NAMES = /\.(?:jsonl|ndjson|csv|tsv|xml|wxr)(?:\.gz)?$/i;

/**
 * Stores an uploaded file in chunks, and deletes the project's previous file once it is complete. Call `setSource` to
 * make it the project's source.
 * @throws ApiError with the field `file`; errors of `stream`
 */
export async function storeUpload(
  { db, clock }: Pick<SourceDeps, 'db' | 'clock'>,
  projectId: string,
  givenName: string,
  stream: Readable,
): Promise<UploadRow> {
  const name = [...givenName.replaceAll('\0', '').toWellFormed().trim()].slice(-MAX_NAME).join('');
  if (!NAMES.test(name))
    throw invalid(
      'file',
      'The name of the file ends in .jsonl, .csv, .tsv or .xml (an export of WordPress), perhaps with .gz.',
    );
  const uploadId = await inTransaction(db, (trx) => beginUpload(trx, projectId, name, new Date(clock.now())));
  let place = 0;
  let bytes = 0;
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    let all = Buffer.concat(waiting);
    for (; all.length > 0; all = all.subarray(CHUNK_BYTES))
      if (!(await addUploadChunk(db, projectId, uploadId, place++, all.subarray(0, CHUNK_BYTES)))) throw replaced();
    waiting = [];
    size = 0;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_UPLOAD_BYTES)
      throw new ApiError('payload_too_large', {
        message: `The file is larger than ${MAX_UPLOAD_BYTES >> 20} MB.`,
        param: 'file',
      });
    waiting.push(chunk);
    size += chunk.length;
    if (size >= CHUNK_BYTES) await flush();
  }
  await flush();
  if (bytes === 0) throw invalid('file', 'The file is empty.');
  const isKept = await inTransaction(db, (trx) => endUpload(trx, projectId, uploadId, bytes));
  if (!isKept) throw replaced();
  return { upload_id: uploadId, name, bytes };
}

const replaced = (): ApiError => invalid('file', 'Another file was uploaded meanwhile.');

/** Reads the bytes of the uploaded file. @throws OperatorError if there is none, or it was replaced meanwhile */
export async function* readUpload({ db, projectId }: Tenant): AsyncGenerator<Buffer> {
  const upload = await findUpload(db, projectId);
  if (!upload) throw new OperatorError('There is no uploaded file any more.');
  let left = upload.bytes;
  for (let place = 0; left > 0; place++) {
    const chunk = await readUploadChunk(db, projectId, upload.upload_id, place);
    if (!chunk) throw new OperatorError('Another file was uploaded meanwhile.');
    left -= chunk.length;
    yield chunk;
  }
}
