import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Bits of the network that a visitor has many addresses in. */
export const VISITOR_NETWORK = { ipv4: 24, ipv6: 48 };

/**
 * An IP address without its scope (`fe80::1%eth0` names an interface of the sender's machine; PostgreSQL's inet takes
 * none), and as IPv4 where it is one in IPv6 form. Undefined where it is no IP address: ipaddr.js would take `127.1`.
 */
export function plainAddress(text: string): string | undefined {
  const [address = ''] = text.trim().split('%', 1);
  if (isIP(address) === 0) return undefined;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address;
}

/** The network of a plain address, so many bits of IPv4 or IPv6: `192.0.2.0/24`, `2001:db8::/48`. */
export function networkOf(address: string, bits: { ipv4: number; ipv6: number }): string {
  const parsed = ipaddr.parse(address);
  const length = bits[parsed.kind()];
  const bytes = parsed.toByteArray().map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * i))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${length}`;
}

/** Whether a text is an address, or one with the length of a prefix: not of nothing, which would be everybody. */
export function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/', 1);
  if (isIP(address) === 0) return false;
  try {
    return text === address || ipaddr.parseCIDR(text)[1] > 0;
  } catch {
    return false;
  }
}
