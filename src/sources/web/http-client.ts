import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, Transform, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { refuseInstance } from './guarded-lookup.js';

export interface WebAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Unpacked. Fails with TooLarge. Read it, or destroy it. */
  body: Readable;
}

export class TooLarge extends Error {}
export class TooSlow extends Error {}

export interface RequestBounds {
  headersMs: number;
  totalMs: number;
  /** As sent and as unpacked: a small answer that unpacks to a large one is cut off, too. */
  bytes: number;
}

export interface HttpClient {
  get(url: URL, headers: Record<string, string>, bounds: RequestBounds, signal?: AbortSignal): Promise<WebAnswer>;
  close(): void;
}

/** GET requests without cookies, redirects or proxies; every byte and second is bounded. */
export function createHttpClient(lookup: LookupFunction): HttpClient {
  const agents = [http, https].map(({ Agent }) => new Agent({ keepAlive: true, maxSockets: 2, maxTotalSockets: 16 }));
  return {
    async get(url, headers, { headersMs, totalMs, bytes }, signal) {
      refuseInstance(url);
      const overall = AbortSignal.timeout(totalMs);
      const isSecure = url.protocol === 'https:';
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = (isSecure ? https : http).get(url, {
          agent: agents[isSecure ? 1 : 0],
          lookup,
          headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
          signal: AbortSignal.any([overall, ...(signal ? [signal] : [])]),
          maxHeaderSize: 32_768,
        });
        const timer = setTimeout(() => {
          request.destroy(new TooSlow(`it sent no headers within ${headersMs / 1000} seconds`));
        }, headersMs);
        request.once('response', (message) => {
          clearTimeout(timer);
          resolve(message);
        });
        request.on('error', (error) => {
          clearTimeout(timer);
          reject(overall.aborted ? tooSlow(totalMs) : error);
        });
      });
      const declared = Number(response.headers['content-length'] ?? 0);
      if (declared > bytes) {
        response.destroy();
        throw tooLarge(bytes);
      }
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: unpacked(response, bytes, () => (overall.aborted ? tooSlow(totalMs) : undefined)),
      };
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}

function unpacked(response: IncomingMessage, bytes: number, late: () => Error | undefined): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }[
    encoding ?? ''
  ];
  const counted = limitBytes(bytes);
  // Node says "aborted" of what was cut off by its deadline.
  response.once('error', () => {
    const reason = late();
    if (reason) counted.destroy(reason);
  });
  if (unpack) pipeline(response, limitBytes(bytes), unpack(), counted, () => undefined);
  else pipeline(response, counted, () => undefined);
  return counted;
}

/** Passes bytes on until there are too many. */
export function limitBytes(bytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytes) done(tooLarge(bytes));
      else done(null, chunk);
    },
  });
}

function tooLarge(bytes: number): TooLarge {
  return new TooLarge(`it is larger than ${Math.round(bytes / 1e5) / 10} MB`);
}

function tooSlow(ms: number): TooSlow {
  return new TooSlow(`it was not there within ${ms / 1000} seconds`);
}

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
