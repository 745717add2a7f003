import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, Transform, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isInNetworks, isOfInstance, isPublic } from '../../text/ip-address.js';

/** All addresses of a host; of one that is an address itself, that one. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** Says why the host of a url, which has these addresses, may not be connected to; undefined where it may. */
export type Guard = (url: URL, addresses: readonly string[]) => string | undefined;

export interface HttpRequest {
  /** GET, unless it has a body. */
  body?: string;
  headers: Record<string, string>;
  /** Until everything is there, and until the headers are there. */
  totalMs: number;
  headersMs?: number;
  /** As sent and as unpacked: a small answer that unpacks to a large one is cut off, too. Unbounded, it is not read. */
  bytes?: number;
  signal?: AbortSignal | undefined;
}

export interface WebAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Unpacked. Fails with TooLarge. Read it, destroy it, or discard it: then the connection is kept if all is there. */
  body: Readable;
  discard: () => void;
}

export class ForbiddenAddress extends Error {}
export class TooLarge extends Error {}
export class BodyTimeout extends Error {}

export interface HttpClient {
  /** @throws ForbiddenAddress, TooLarge, TooSlow, or what Node says */
  ask(url: URL, request: HttpRequest): Promise<WebAnswer>;
  close(): void;
}

/**
 * All requests that pathmend sends: without cookies, redirects or proxies; every byte, second and socket is bounded. A
 * host is resolved at the moment of its connection, and what the guard has seen is what is connected to.
 */
export function createHttpClient(
  guard: Guard,
  resolve: Resolve = systemResolve,
  onBytes?: (bytes: number) => void,
): HttpClient {
  const agents = [http, https].map(({ Agent }) => new Agent({ keepAlive: true, maxSockets: 6, maxTotalSockets: 16 }));
  return {
    async ask(url, { body, headers, totalMs, headersMs = totalMs, bytes = Infinity, signal }) {
      const check = (addresses: readonly string[]): void => {
        const reason = guard(url, addresses);
        if (reason !== undefined) throw new ForbiddenAddress(reason);
      };
      // Node looks up no address.
      if (isIP(hostOf(url)) !== 0) check([hostOf(url)]);
      const overall = AbortSignal.timeout(totalMs);
      const explain = (error: Error): Error => (overall.aborted ? tooSlow(totalMs) : error);
      const isSecure = url.protocol === 'https:';
      const response = await new Promise<IncomingMessage>((done, fail) => {
        const request = (isSecure ? https : http).request(url, {
          method: body === undefined ? 'GET' : 'POST',
          agent: agents[isSecure ? 1 : 0],
          lookup: checkedLookup(check, resolve),
          headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
          signal: AbortSignal.any([overall, ...(signal ? [signal] : [])]),
          maxHeaderSize: 32_768,
        });
        const timer = setTimeout(() => {
          request.destroy(new BodyTimeout(`it sent no headers within ${headersMs / 1000} seconds`));
        }, headersMs);
        request.once('response', (message) => {
          clearTimeout(timer);
          done(message);
        });
        request.on('error', (error) => {
          clearTimeout(timer);
          fail(explain(error));
        });
        request.end(body);
      });
      const declared = Number(response.headers['content-length'] ?? 0);
      if (declared > bytes) {
        response.destroy();
        throw tooLarge(bytes);
      }
      const unread = unpacked(response, bytes, explain, onBytes);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: unread,
        discard: () => {
          if (response.complete) unread.on('error', () => undefined).resume();
          else unread.destroy();
        },
      };
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** As URLs have it, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function checkedLookup(check: (addresses: readonly string[]) => void, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host)
      .then((all) => {
        check(all.map(({ address }) => address));
        return all;
      })
      .then(
        (all) => {
          const [first] = all;
          if (options.all || !first) callback(null, all);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => {
          callback(error as Error, '');
        },
      );
  };
}

/**
 * For hosts that the operator named. One whose first answer is private was named as such by him; one that was public at
 * first stays public: its name may not be pointed at a machine inside later (DNS rebinding). None leads to a link-local
 * address.
 */
export function guardNamedHosts(): Guard {
  const firstWasPublic = new Map<string, boolean>();
  return (url, addresses) => {
    const host = hostOf(url);
    const isAllPublic = addresses.every(isPublic);
    const mustBePublic = firstWasPublic.get(host) ?? isAllPublic;
    firstWasPublic.set(host, mustBePublic);
    const isForbidden = addresses.some(isOfInstance);
    if (isForbidden && isIP(host) !== 0) return `${host} is a link-local address: nothing is asked there`;
    return isForbidden || (mustBePublic && !isAllPublic) ? `${host} leads to an address that is not public` : undefined;
  };
}

/**
 * For hosts that a person names who is not the operator.
 * @param networks beside the public internet, that the operator allows
 * @returns why not; undefined where all addresses may be asked
 */
export function reasonPrivate(
  { hostname }: URL,
  addresses: readonly string[],
  networks: readonly string[],
): string | undefined {
  return addresses.every((address) => isInNetworks(address, networks) || isPublic(address))
    ? undefined
    : `${hostname} leads to an address that is not public, and not in WEBHOOK_NETWORKS`;
}

function unpacked(
  response: IncomingMessage,
  bytes: number,
  explain: (error: Error) => Error,
  onBytes?: (bytes: number) => void,
): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }[
    encoding ?? ''
  ];
  const counted = limitBytes(bytes, onBytes);
  // Node says "aborted" of what was cut off by its deadline.
  response.once('error', (error) => counted.destroy(explain(error)));
  if (unpack) pipeline(response, limitBytes(bytes), unpack(), counted, () => undefined);
  else pipeline(response, counted, () => undefined);
  return counted;
}

/** Passes bytes on until there are too many. */
export function limitBytes(bytes: number, onBytes?: (bytes: number) => void): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      onBytes?.(chunk.length);
      if (seen > bytes) done(tooLarge(bytes));
      else done(null, chunk);
    },
  });
}

function tooLarge(bytes: number): TooLarge {
  return new TooLarge(`it is larger than ${Math.round(bytes / 1e5) / 10} MB`);
}

function tooSlow(ms: number): BodyTimeout {
  return new BodyTimeout(`it was not there within ${ms / 1000} seconds`);
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
