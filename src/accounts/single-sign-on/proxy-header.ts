import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { SignOnConfig } from '../../platform/settings/sign-on.js';
import { plainAddress } from '../../text/ip-address.js';
import { readEmail } from '../email.js';

/** What the header of a proxy says. `from`: of whose connection it is. */
export type ProxyClaim =
  | { kind: 'none' }
  | { kind: 'person'; email: string }
  /** `reason`: the connection is nobody's who is named, or the header holds no single address. */
  | { kind: 'refused'; reason: string };

export type ReadProxyHeader = (request: IncomingMessage) => ProxyClaim;

/**
 * Reads the header in which a proxy says whom it has logged in.
 *
 * Who sent it is the connection's other end alone: X-Forwarded-For is text that anybody writes. A header that is there
 * twice is refused, since one of them is the visitor's own.
 */
export function createProxyHeader({ header, addresses }: NonNullable<SignOnConfig['proxy']>): ReadProxyHeader {
  const named = new BlockList();
  for (const one of addresses) {
    const [address = '', bits] = one.split('/', 2);
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
    try {
      return { kind: 'person', email: readEmail(values[0] ?? '') };
    } catch {
      return { kind: 'refused', reason: `${header} holds no e-mail address` };
    }
  };
}
