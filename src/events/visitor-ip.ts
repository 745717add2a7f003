import { isIP } from 'node:net';

export type IpMode = 'full' | 'truncate' | 'drop';

/**
 * What is kept of a visitor's IP address, decided before it is stored anywhere, the queue included: all of it, its
 * network (/24 of IPv4, /48 of IPv6), or nothing. What is not an IP address is null.
 */
export function keepOfIp(value: unknown, mode: IpMode): string | null {
  if (mode === 'drop' || typeof value !== 'string') return null;
  const text = value.trim();
  // A scope (fe80::1%eth0) names an interface of the sender's machine; PostgreSQL's inet takes none.
  const address = text.split('%', 1)[0] ?? '';
  const version = isIP(address);
  if (version === 0) return null;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return keepOfIp(mapped, mode);
  if (mode === 'full') return address;
  if (version === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  return `${firstGroups(address, 3).join(':')}::/48`;
}

/** The first groups of an IPv6 address, with `::` written out. */
function firstGroups(address: string, count: number): string[] {
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 ending stands for two groups.
  const tailLength = tail.reduce((length, group) => length + (group.includes('.') ? 2 : 1), 0);
  const zeros = right === undefined ? 0 : Math.max(0, 8 - head.length - tailLength);
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, count);
}
