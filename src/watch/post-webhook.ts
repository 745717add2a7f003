import { createHmac, randomBytes } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { invalid } from '../base/errors.js';
import { packageVersion } from '../base/package-root.js';
import { ForbiddenAddress, isPublic, lookupOf, systemResolve, type Resolve } from '../sources/web/guarded-lookup.js';
import { isInNetworks } from '../text/ip-address.js';
import { parseUrl } from '../text/page-url.js';

export interface Webhook {
  url: string;
  secret: Buffer;
  /** The same at each attempt. */
  id: string;
  body: string;
}

/** @throws Error with what went wrong, for people; never with what the server answered, which may be a secret */
export type PostWebhook = (webhook: Webhook) => Promise<void>;

const MAX_MS = 10_000;
const MAX_RESOLVE_MS = 2_000;
const MAX_URL = 2_048;
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export function mintWebhookSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** As receivers are given it. */
export function writeWebhookSecret(secret: Buffer): string {
  return PREFIX + secret.toString('base64');
}

/** The headers of Standard Webhooks (standardwebhooks.com): an id, the time of the attempt, and the HMAC of all. */
export function signWebhook({ secret, id, body }: Webhook, seconds: number): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

/**
 * Checks what can be known of a webhook's url before it is asked: its form, and that each address of its host is
 * allowed now. A name that does not resolve here may resolve where messages are sent from.
 * @param networks beside the public internet, that the operator allows.
 * @throws ApiError of status 400
 */
export async function checkWebhookUrl(
  text: string,
  networks: readonly string[],
  field: string,
  resolve: Resolve = systemResolve,
): Promise<string> {
  const url = parseUrl(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || text.length > MAX_URL)
    throw invalid(field, 'This is no url of a webhook: it begins with https://.');
  if (url.username !== '' || url.password !== '') throw invalid(field, 'The url must have no user and password.');
  const host = hostOf(url);
  const reason = whyForbidden(url, isIP(host) === 0 ? await addressesOf(host, resolve) : [host], networks);
  if (reason !== undefined) throw invalid(field, `${reason}.`);
  return url.href;
}

/** None if the name does not resolve, or not soon. */
async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  const found = resolve(host).then(
    (all) => all.map(({ address }) => address),
    () => [],
  );
  return Promise.race([found, delay(MAX_RESOLVE_MS, [], { ref: false })]);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function whyForbidden(
  { protocol, hostname }: URL,
  addresses: string[],
  networks: readonly string[],
): string | undefined {
  const others = addresses.filter((address) => !isInNetworks(address, networks));
  if (others.length === 0) return undefined;
  if (!others.every(isPublic)) return `${hostname} leads to an address that is not public, and not in WEBHOOK_NETWORKS`;
  return protocol === 'https:' ? undefined : 'http:// is for addresses in WEBHOOK_NETWORKS: use https://';
}

/**
 * Sends webhooks. Each host is resolved at the moment of its connection, and connected to only where all its addresses
 * are allowed; redirects are not followed. Of an answer only the status is read.
 */
export function createWebhookPost(networks: readonly string[], resolve?: Resolve): PostWebhook {
  return async (webhook) => {
    const url = new URL(webhook.url);
    const check = (addresses: string[]): void => {
      const reason = whyForbidden(url, addresses, networks);
      if (reason !== undefined) throw new ForbiddenAddress(reason);
    };
    // Node looks up no address.
    if (isIP(hostOf(url)) !== 0) check([hostOf(url)]);
    const signal = AbortSignal.timeout(MAX_MS);
    const status = await new Promise<number>((done, fail) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method: 'POST',
        agent: false,
        lookup: lookupOf(check, resolve),
        signal,
        maxHeaderSize: 32_768,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(webhook.body),
          'user-agent': `pathmend/${packageVersion()}`,
          ...signWebhook(webhook, Math.floor(Date.now() / 1_000)),
        },
      });
      request.once('response', (answer: IncomingMessage) => {
        answer.once('error', () => undefined).destroy();
        done(answer.statusCode ?? 0);
      });
      request.on('error', (error) => {
        fail(signal.aborted ? new Error(`No answer within ${MAX_MS / 1_000} seconds.`) : error);
      });
      request.end(webhook.body);
    });
    if (status >= 300 && status < 400) throw new Error(`The answer was ${status}; redirects are not followed.`);
    if (status < 200 || status >= 300) throw new Error(`The answer was ${status}.`);
  };
}
