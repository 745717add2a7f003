import { networkOf, plainAddress, VISITOR_NETWORK } from '../text/ip-address.js';

export type IpMode = 'full' | 'truncate' | 'drop';

/**
 * What is kept of a visitor's IP address, decided before it is stored anywhere, the queue included: all of it, its
 * network, or nothing. What is not an IP address is null.
 */
export function reduceIp(value: unknown, mode: IpMode): string | null {
  if (mode === 'drop' || typeof value !== 'string') return null;
  const address = plainAddress(value);
  if (address === undefined) return null;
  return mode === 'full' ? address : networkOf(address, VISITOR_NETWORK);
}
