import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { invalid } from '../base/errors.js';
import { packageVersion } from '../base/package-root.js';
import {
  createHttpClient,
  hostOf,
  systemResolve,
  BodyTimeout,
  reasonPrivate,
  type Resolve,
} from '../sources/web/http-client.js';
import { isInNetworks } from '../text/ip-address.js';
import { parseUrl } from '../text/page-url.js';

export interface Webhook {
  url: string;
  secret: Buffer;
  /** The id of the message, which is the same at each attempt. */
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

/** Writes a secret in the form that receivers get. */
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
export async function checkWebhookUrl(text: string, networks: readonly string[], field: string): Promise<string> {
  const url = parseUrl(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || text.length > MAX_URL)
    throw invalid(field, 'This is not a webhook url. It must begin with https://.');
  if (url.username !== '' || url.password !== '') throw invalid(field, 'The url must have no user and password.');
  const resolved = systemResolve(hostOf(url)).catch(() => []);
  const hosts = await Promise.race([resolved, delay(MAX_RESOLVE_MS, [], { ref: false })]);
  const addresses = hosts.map(({ address }) => address);
  const reason = whyForbidden(url, addresses, networks);
  if (reason !== undefined) throw invalid(field, `${reason}.`);
  return url.href;
}

function whyForbidden(url: URL, addresses: readonly string[], networks: readonly string[]): string | undefined {
  if (addresses.every((address) => isInNetworks(address, networks))) return undefined;
  const reason = reasonPrivate(url, addresses, networks, 'WEBHOOK_NETWORKS');
  if (reason !== undefined) return reason;
  return url.protocol === 'https:' ? undefined : 'http:// is for addresses in WEBHOOK_NETWORKS: use https://';
}

/** Sends webhooks where all addresses of the host are allowed. Redirects are not followed; only the status is read. */
export function createWebhookPost(networks: readonly string[], resolve?: Resolve): PostWebhook {
  const client = createHttpClient((url, addresses) => whyForbidden(url, addresses, networks), resolve);
  return async (webhook) => {
    const headers = {
      'content-type': 'application/json',
      connection: 'close',
      'user-agent': `pathmend/${packageVersion()}`,
      ...signWebhook(webhook, Math.floor(Date.now() / 1_000)),
    };
    const request = { body: webhook.body, headers, totalMs: MAX_MS };
    const { status, discard } = await client.ask(new URL(webhook.url), request).catch((error: unknown) => {
      throw error instanceof BodyTimeout ? new Error(`No answer within ${MAX_MS / 1_000} seconds.`) : error;
    });
    discard();
    if (status >= 300 && status < 400) throw new Error(`The answer was ${status}; redirects are not followed.`);
    if (status < 200 || status >= 300) throw new Error(`The answer was ${status}.`);
  };
}
