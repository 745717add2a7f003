import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Reads a body whole; its own limit of bytes has been set where it was asked for. */
export async function readBytes(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The first bytes of a body as UTF-8; what follows is not read. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let seen = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    seen += chunk.length;
    if (seen >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}

/** Decodes a page as browsers do: by its byte order mark, its header, its first 1,024 bytes; else as UTF-8. */
export function decodeHtml(bytes: Buffer, headers: IncomingHttpHeaders): string {
  const [first, second] = bytes;
  const mark =
    first === 0xfe && second === 0xff ? 'utf-16be' : first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
  const said = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  const written = CHARSET.exec(bytes.toString('latin1', 0, 1024))?.[1];
  for (const label of [mark, said, written]) {
    try {
      if (label !== undefined) return new TextDecoder(label).decode(bytes);
    } catch {
      // A name that nobody knows: the next one says.
    }
  }
  return new TextDecoder().decode(bytes);
}

const CHARSET = /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i;
