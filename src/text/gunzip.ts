import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Unpacks gzip, recognized by its first two bytes; passes other bytes on. @throws an error of zlib for damaged data */
export async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await readHead(chunks, GZIP.length);
  if (!head.subarray(0, GZIP.length).equals(GZIP)) yield* all;
  // An error of either stream destroys the other, and ends the loop that reads.
  else yield* pipeline(Readable.from(all), createGunzip(), () => undefined) as AsyncIterable<Buffer>;
}

/** Reads the first chunks, until they have `bytes` bytes. `all`: these chunks and the following ones. */
export async function readHead(chunks: AsyncIterable<Buffer>, bytes: number) {
  const input = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < bytes) {
    const next = await input.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await input.next(); !next.done; next = await input.next()) yield next.value;
    } finally {
      await input.return?.();
    }
  }
  return { head, all: all() };
}
