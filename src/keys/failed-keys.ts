import { LRUCache } from 'lru-cache';
import { networkOf, plainAddress } from '../text/ip-address.js';

/**
 * Bounds how often one address may try keys that are not valid: guessing 190 random bits is hopeless anyway, but each
 * well-formed guess costs a query. Beyond that, guesses share look-ups (key-lookups.ts), and a valid key still gets in.
 * Kept by each instance for itself.
 */
export interface FailedKeys {
  /** Seconds after which this address may try again; 0: now. */
  wait(address: string | undefined): number;
  /** A key of this address was refused; `keyHash`: it had the form of one. */
  failed(address: string | undefined, keyHash?: Buffer): void;
  /** A key was accepted: from whatever address it comes, it need not wait for others' failures for an hour. */
  accepted(keyHash: Buffer): void;
  wasAccepted(keyHash: Buffer): boolean;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_ADDRESSES = 10_000;
const MAX_KEYS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * A token bucket per address: `perMinute` attempts at once, and as many more every minute.
 * @param perMinute 0: no limit.
 * @param now monotonic milliseconds.
 */
export function createFailedKeys(perMinute: number, now: () => number = () => performance.now()): FailedKeys {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  const accepted = new LRUCache<string, number>({ max: MAX_KEYS });
  const perMs = perMinute / 60_000;

  function tokensOf(address: string): number {
    const bucket = buckets.get(address);
    return bucket ? Math.min(perMinute, bucket.tokens + (now() - bucket.at) * perMs) : perMinute;
  }

  return {
    wait(address) {
      if (perMinute === 0) return 0;
      const tokens = tokensOf(sourceOf(address));
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perMs / 1_000));
    },
    failed(address, keyHash) {
      if (keyHash) accepted.delete(keyHash.toString('latin1'));
      if (perMinute === 0) return;
      const source = sourceOf(address);
      buckets.set(source, { tokens: Math.max(0, tokensOf(source) - 1), at: now() });
    },
    accepted(keyHash) {
      const key = keyHash.toString('latin1');
      const at = accepted.get(key);
      // Once a minute is enough for an hour.
      if (at === undefined || now() - at > MINUTE_MS) accepted.set(key, now());
    },
    wasAccepted(keyHash) {
      const at = accepted.get(keyHash.toString('latin1'));
      return at !== undefined && now() - at < HOUR_MS;
    },
  };
}

/** Whoever has one IPv6 address has a /64 of them. */
function sourceOf(address = ''): string {
  const plain = address.includes(':') ? (plainAddress(address) ?? '') : address;
  return plain.includes(':') ? networkOf(plain, { ipv4: 32, ipv6: 64 }) : plain;
}
