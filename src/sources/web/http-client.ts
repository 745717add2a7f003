import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, Transform, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isInNetworks, isInstanceMetadata, isPublic } from '../../text/ip-address.js';

/** Resolves a host to all its addresses; an address resolves to itself. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** Returns the reason why a connection to a url's host, at these addresses, is forbidden; undefined if allowed. */
export type Guard = (url: URL, addresses: readonly string[]) => string | undefined;

export interface HttpRequest {
  /** Sends POST instead of GET. */
  body?: string;
  headers: Record<string, string>;
  /** Deadline of the complete answer, and of its headers. */
  totalMs: number;
  headersMs?: number;
  /** Bound on the body, both packed and unpacked. Absent: the caller does not read it. */
  bytes?: number;
  signal?: AbortSignal | undefined;
}

export interface WebAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The unpacked body; it fails with TooLarge. Read it or destroy it. */
  body: Readable;
  /** Drops the body, and keeps the connection if it has arrived completely. */
  discard: () => void;
}

export class ForbiddenAddress extends Error {}
export class TooLarge extends Error {}
export class BodyTimeout extends Error {}

export type HttpClient = ReturnType<typeof createHttpClient>;

/**
 * The client for all outgoing requests: no cookies, redirects or proxies; bytes, time and sockets are bounded. A host
 * is resolved when it is connected to, so that the connection uses the addresses that the guard has checked.
 */
export function createHttpClient(guard: Guard, resolve: Resolve = systemResolve, onBytes?: (bytes: number) => void) {
  const agents = [http, https].map(({ Agent }) => new Agent({ keepAlive: true, maxSockets: 6, maxTotalSockets: 16 }));
  return {
    /** @throws ForbiddenAddress, TooLarge, BodyTimeout, or an error of Node */
    async ask(url: URL, request: HttpRequest): Promise<WebAnswer> {
      const { body, headers, totalMs, headersMs = totalMs, bytes = Infinity, signal } = request;
      const check = (addresses: readonly string[]): void => {
        const reason = guard(url, addresses);
        if (reason !== undefined) throw new ForbiddenAddress(reason);
      };
      // Node does not call `lookup` for an address.
      if (isIP(hostOf(url)) !== 0) check([hostOf(url)]);
      const overall = AbortSignal.timeout(totalMs);
      const late = `it was not there within ${totalMs / 1000} seconds`;
      const explain = (error: Error): Error => (overall.aborted ? new BodyTimeout(late) : error);
      const isSecure = url.protocol === 'https:';
      const response = await new Promise<IncomingMessage>((done, fail) => {
        const sent = (isSecure ? https : http).request(url, {
          method: body === undefined ? 'GET' : 'POST',
          agent: agents[isSecure ? 1 : 0],
          lookup: checkedLookup(check, resolve),
          headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
          signal: AbortSignal.any([overall, ...(signal ? [signal] : [])]),
          maxHeaderSize: 32_768,
        });
        const timer = setTimeout(() => {
          sent.destroy(new BodyTimeout(`it sent no headers within ${headersMs / 1000} seconds`));
        }, headersMs);
        sent.once('response', (message) => {
          clearTimeout(timer);
          done(message);
        });
        sent.on('error', (error) => {
          clearTimeout(timer);
          fail(explain(error));
        });
        sent.end(body);
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
    close(): void {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** Hostname of a url, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function checkedLookup(check: (addresses: readonly string[]) => void, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    const resolved = resolve(host).then((all) => {
      // Without an address, Node would throw outside of any promise, and a guard would find nothing to forbid.
      if (all.length === 0) throw new Error(`${host} has no address`);
      check(all.map(({ address }) => address));
      return all;
    });
    resolved.then(
      (all) => {
        const [first] = all;
        if (options.all || !first) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
}

/** Guards the operator's hosts: no link-local address, and no private one if the first was public (DNS rebinding). */
export function guardNamedHosts(): Guard {
  const firstWasPublic = new Map<string, boolean>();
  return (url, addresses) => {
    const host = hostOf(url);
    const isAllPublic = addresses.every(isPublic);
    const mustBePublic = firstWasPublic.get(host) ?? isAllPublic;
    firstWasPublic.set(host, mustBePublic);
    const isForbidden = addresses.some(isInstanceMetadata);
    if (isForbidden && isIP(host) !== 0) return `${host} is a link-local address, which is never requested`;
    return isForbidden || (mustBePublic && !isAllPublic) ? `${host} leads to an address that is not public` : undefined;
  };
}

/** Guards hosts of anyone but the operator: gives the reason unless public or in `networks`, of the `setting`. */
export function reasonPrivate(
  { hostname }: URL,
  addresses: readonly string[],
  networks: readonly string[],
  setting: string,
) {
  const refused = addresses.find((address) => !isInNetworks(address, networks) && !isPublic(address));
  return refused === undefined
    ? undefined
    : `${hostname} leads to ${refused}, ${NOT_PUBLIC}, which ${setting} does not allow`;
}

export const NOT_PUBLIC = 'an address that is not public';

/** A map, since a server may name "constructor". */
const UNPACKERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

function unpacked(
  response: IncomingMessage,
  bytes: number,
  explain: (error: Error) => Error,
  onBytes?: (bytes: number) => void,
): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const unpack = UNPACKERS.get(encoding ?? '');
  const counted = limitBytes(bytes, onBytes);
  // At the deadline, Node's own error is only "aborted".
  response.once('error', (error) => counted.destroy(explain(error)));
  if (unpack) pipeline(response, limitBytes(bytes), unpack(), counted, () => undefined);
  else pipeline(response, counted, () => undefined);
  return counted;
}

/** A stream that fails with TooLarge after `bytes`. */
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

/** Reads a body, or its first bytes; without `maxBytes` the request has bounded them. */
export async function readBytes(body: Readable, maxBytes = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let seen = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    seen += chunk.length;
    if (seen >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
