import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { overloaded } from '../errors.js';
import { networkOf, plainAddress } from '../text/ip-address.js';

/**
 * Bounds how often one address may try keys that are not valid. Guessing 190 random bits is hopeless, but each
 * well-formed guess costs a query. Who shares an address with a guesser, as callers behind a proxy do, gets in all the
 * same: a key that was accepted within the hour at once, others after a look-up that they share with all guesses of
 * that moment. Kept by each instance for itself.
 */
export interface GuessLimit {
  /** Seconds after which this address may try again; 0: now. */
  wait(address: string | undefined): number;
  /** Whether a key gets in although its address has to wait. @throws ApiError overloaded */
  isValid(keyHash: Buffer): Promise<boolean>;
  /** A key of this address was refused; `keyHash`: it had the form of one. */
  failed(address: string | undefined, keyHash?: Buffer): void;
  accepted(keyHash: Buffer): void;
}

/** A token bucket: `perMinute` attempts at once, and as many more every minute. */
interface Bucket {
  tokens: number;
  at: number;
}

const MAX_ADDRESSES = 10_000;
const MAX_ACCEPTED = 10_000;
const HOUR_MS = 3_600_000;
/** One look-up at a time and this long between two: twenty a second, however many guess. */
const PAUSE_MS = 50;
/** Different keys in one look-up. A process parses a tenth of it in such a pause. */
const MAX_WAITING = 10_000;

/**
 * @param perMinute 0: no limit.
 * @param findValid the valid ones of these hashes.
 * @param now monotonic milliseconds.
 */
export function createGuessLimit(
  perMinute: number,
  findValid: (hashes: readonly Buffer[]) => Promise<Buffer[]>,
  now: () => number = () => performance.now(),
): GuessLimit {
  const perMs = perMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  const accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED, ttl: HOUR_MS, perf: { now } });
  let asked = new Map<string, Buffer>();
  let valid: Promise<Set<string>> | undefined;
  let mayLookUp: Promise<unknown> = Promise.resolve();

  function tokensOf(source: string): number {
    const bucket = buckets.get(source);
    return bucket ? Math.min(perMinute, bucket.tokens + (now() - bucket.at) * perMs) : perMinute;
  }

  /** What was asked for until it begins. */
  async function lookUp(): Promise<Set<string>> {
    await mayLookUp;
    const hashes = [...asked.values()];
    asked = new Map();
    valid = undefined;
    const found = findValid(hashes);
    mayLookUp = found.catch(() => undefined).then(() => pause(PAUSE_MS, undefined, { ref: false }));
    return new Set((await found).map(idOf));
  }

  return {
    wait: (address) => {
      if (perMinute === 0 || buckets.size === 0) return 0;
      const tokens = tokensOf(sourceOf(address));
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perMs / 1_000));
    },
    isValid: async (keyHash) => {
      const id = idOf(keyHash);
      if (accepted.has(id)) return true;
      if (asked.size >= MAX_WAITING && !asked.has(id)) throw overloaded();
      asked.set(id, keyHash);
      valid ??= lookUp();
      return (await valid).has(id);
    },
    failed: (address, keyHash) => {
      if (keyHash) accepted.delete(idOf(keyHash));
      if (perMinute === 0) return;
      const source = sourceOf(address);
      buckets.set(source, { tokens: Math.max(0, tokensOf(source) - 1), at: now() });
    },
    accepted: (keyHash) => {
      accepted.set(idOf(keyHash), true);
    },
  };
}

function idOf(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}

/** Whoever has one IPv6 address has a /64 of them. */
function sourceOf(address = ''): string {
  const plain = address.includes(':') ? (plainAddress(address) ?? '') : address;
  return plain.includes(':') ? networkOf(plain, { ipv4: 32, ipv6: 64 }) : plain;
}
