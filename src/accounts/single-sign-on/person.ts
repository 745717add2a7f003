import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../../text/ip-address.js';
import type { OpenIdConfig, SignOnConfig } from '../../platform/settings/console-settings.js';
import { readEmail } from '../credentials.js';

/** A provider states this about a person. */
export interface Person {
  /** The e-mail address in lower case; undefined: there is none, or it is not verified. */
  email: string | undefined;
  groups: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;
const MAX_GROUPS = 1_000;

/** @param sources claims of the id token, then of userinfo: an address and whether it is verified are of one source. */
export function personOf(sources: readonly Claims[], { verifiedClaim, groupsClaim }: OpenIdConfig): Person {
  const addressed = sources.find((claims) => typeof claims['email'] === 'string');
  const grouped = sources.map((claims) => claimAt(claims, groupsClaim)).find((groups) => groups !== undefined);
  return {
    email: addressed && isTrue(claimAt(addressed, verifiedClaim)) ? emailOf(addressed['email']) : undefined,
    groups: textsOf(grouped).slice(0, MAX_GROUPS),
  };
}

/** The claim of this name, or where the parts of the name lead. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Claims)[part];
  }
  return at;
}

/** Some providers write true as a text (Cognito) or as 1 (Entra's xms_edov). */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

function emailOf(value: unknown): string | undefined {
  try {
    return readEmail(String(value));
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The header of a proxy claims a person. `from`: the address of the connection. */
export type ProxyClaim =
  | { kind: 'none' }
  | { kind: 'person'; email: string }
  /** `reason`: the connection is nobody's who is named, or the header holds no single address. */
  | { kind: 'refused'; reason: string };

export type ReadProxyHeader = (request: IncomingMessage) => ProxyClaim;

/**
 * Reads the header in which a proxy names the logged-in user.
 *
 * Who sent it is the connection's other end alone: X-Forwarded-For is text that anybody writes. A header that is there
 * twice is refused, since one of them is the visitor's own.
 */
export function createProxyHeader({ header, addresses }: NonNullable<SignOnConfig['proxy']>): ReadProxyHeader {
  const named = new BlockList();
  for (const range of addresses) {
    const [address = '', bits] = range.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) named.addAddress(address, family);
    else named.addSubnet(address, Number(bits), family);
  }
  return (request) => {
    const values = request.headersDistinct[header];
    if (values === undefined) return { kind: 'none' };
    const peer = plainAddress(request.socket.remoteAddress ?? '') ?? '';
    if (!named.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4'))
      return { kind: 'refused', reason: `${header} from ${peer}, which CONSOLE_PROXY_ADDRESSES does not name` };
    if (values.length !== 1) return { kind: 'refused', reason: `${header} ${values.length} times` };
    if (values[0]?.trim() === '') return { kind: 'none' };
    const email = emailOf(values[0]);
    return email === undefined
      ? { kind: 'refused', reason: `${header} holds no e-mail address` }
      : { kind: 'person', email };
  };
}
