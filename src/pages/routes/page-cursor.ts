import { crc32 } from 'node:zlib';
import { invalid } from '../../base/errors.js';

/** Where the next answer begins: the last page_id, and a checksum that tells a cursor from other text. */
export function encodeCursor(pageId: string): string {
  const bytes = Buffer.alloc(16);
  bytes.write(pageId, 'hex');
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 12)), 12);
  return bytes.toString('base64url');
}

/** @throws ApiError invalid_request */
export function decodeCursor(cursor: string): string {
  const pageId = Buffer.from(cursor, 'base64url').toString('hex', 0, 12);
  if (pageId.length !== 24 || encodeCursor(pageId) !== cursor)
    throw invalid('cursor', 'cursor must be the next_cursor of an earlier answer, as it came.');
  return pageId;
}
