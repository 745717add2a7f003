import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Prefix lengths of the networks in which one visitor may have many addresses. */
export const VISITOR_NETWORK = { ipv4: 24, ipv6: 48 };

/**
 * Normalizes an IP address: drops the zone (`fe80::1%eth0`; PostgreSQL's inet refuses it), and writes an IPv4-mapped
 * address as IPv4, any other IPv6 address as RFC 5952 has it. Undefined if the text is no IP address; `isIP` checks
 * that, because ipaddr.js accepts `127.1`. A url's host is normalized first, since ipaddr.js refuses `a::1.2.3.4`.
 */
export function plainAddress(text: string): string | undefined {
  const [address = ''] = text.trim().split('%', 1);
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address;
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const parsed = ipaddr.parse(plain);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : plain;
}

/** Drops a port: `192.0.2.7:443`, `[2001:db8::7]:443`. */
export function withoutPort(address: string): string {
  return address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
}

const INSIDE = new Set(['private', 'loopback', 'linkLocal', 'carrierGradeNat', 'uniqueLocal', 'unspecified']);

/** Whether an address or network is inside: private, of this machine or link, or a carrier's. Proxies may be there. */
export function isInside(address: string): boolean {
  const plain = plainAddress(address.split('/', 1)[0] ?? '');
  return plain !== undefined && INSIDE.has(ipaddr.parse(plain).range());
}

/** Reads the addresses of an `X-Forwarded-For` or `Forwarded` header, in order; undefined if it is something else. */
export function readForwarded(list: string): string[] | undefined {
  const named = [...list.matchAll(/\bfor\s*=\s*("[^"]*"|[^\s;,]+)/gi)].map(([, node = '']) => node.replaceAll('"', ''));
  const nodes = named.length > 0 ? named : list.split(',').map((node) => node.trim());
  const addresses = nodes.map((node) => plainAddress(withoutPort(node)));
  const isList = nodes.every((node, at) => addresses[at] !== undefined || /^(?:unknown|-|_[\w.-]+)?$/i.test(node));
  const known = addresses.filter((address) => address !== undefined);
  return isList && known.length > 0 ? known : undefined;
}

/**
 * The visitor's address, from the first field that has one that is not inside ({@link isInside}). In a list, the
 * visitor's address is the last one that is not inside: each proxy appends the address that sent it the request, and a
 * visitor can invent the beginning. If all addresses are inside, the visitor's address is the first that a proxy
 * forwards.
 * @param fields the address of the connection, then the lists of its headers
 */
export function visitorAddress([direct = null, ...headers]: readonly (string | null | undefined)[]): string | null {
  const forwarded = headers.map((field) => (field == null ? [] : (readForwarded(field) ?? [])));
  const lists = [direct === null ? [] : (readForwarded(direct) ?? []), ...forwarded];
  const outside = lists.map((list) => list.findLast((address) => !isInside(address)));
  return outside.find((address) => address !== undefined) ?? forwarded.flat()[0] ?? direct;
}

/** The network of an address, by the prefix length for its version: `192.0.2.0/24`, `2001:db8::/48`. */
export function networkOf(address: string, bits: { ipv4: number; ipv6: number }): string {
  const parsed = ipaddr.parse(address);
  const length = bits[parsed.kind()];
  const bytes = parsed.toByteArray().map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * i))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${length}`;
}

/** Whether a url's host is this machine by its name or address. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/** Whether a text is an address or a CIDR range. A prefix length of 0 is refused: it would match every address. */
export function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/', 1);
  if (isIP(address) === 0) return false;
  try {
    return text === address || ipaddr.parseCIDR(text)[1] > 0;
  } catch {
    return false;
  }
}

/** Whether an address is one of `networks`, or in one of them. {@link isNetwork} accepts each of them. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  return networks.some((network) => {
    const [base = '', bits = '128'] = network.split('/', 2);
    const length = { ipv4: Number(bits), ipv6: Number(bits) };
    return networkOf(plain, length) === networkOf(plainAddress(base) ?? base, length);
  });
}

/** Special-purpose addresses (RFC 6890 and IANA's registries since), deprecated ones among them. */
const SPECIAL = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  // The last address is Azure's wire server.
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16'],
  // These are within PUBLIC_IPV6: protocols (Teredo, ORCHID, benchmarks), documentation, 6to4.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
];
/** The range of public IPv6 addresses. It has no loopback, local, mapped, translated (NAT64) or multicast addresses. */
const PUBLIC_IPV6 = ['2000::/3'];

/** Whether an address is of the public internet: not of this machine, an inner network or another special range. */
export function isPublic(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || isInNetworks(plain, SPECIAL)) return false;
  return isIP(plain) === 4 || isInNetworks(plain, PUBLIC_IPV6);
}

/** Clouds serve the secrets of instances here: link-local; AWS, Google, Scaleway; Alibaba, Oracle, Azure. */
const INSTANCE_METADATA = [
  ...['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::/32', 'fd20:ce::254', 'fd00:42::42'],
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16'],
];
/** The IPv6 networks whose addresses end in an IPv4 address: compatible, translated, NAT64. */
const ENDS_IN_IPV4 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'];

export function isInstanceMetadata(address: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && [plain, ...ipv4Within(plain)].some((form) => isInNetworks(form, INSTANCE_METADATA));
}

function ipv4Within(plain: string): string[] {
  const bytes = ipaddr.parse(plain).toByteArray();
  if (isInNetworks(plain, ['2002::/16'])) return [bytes.slice(2, 6).join('.')];
  return isInNetworks(plain, ENDS_IN_IPV4) ? [bytes.slice(12).join('.')] : [];
}
