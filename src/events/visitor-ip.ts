import { networkOf, plainAddress, VISITOR_NETWORK } from '../text/ip-address.js';

export type IpMode = 'full' | 'truncate' | 'drop';

/**
 * Reduces a visitor's IP address before it is stored anywhere, the queue included: to itself, its network, or null.
 * Text that is not an IP address becomes null.
 */
export function reduceIp(value: unknown, mode: IpMode): string | null {
  if (mode === 'drop' || typeof value !== 'string') return null;
  const address = plainAddress(value);
  if (address === undefined) return null;
  return mode === 'full' ? address : networkOf(address, VISITOR_NETWORK);
}
