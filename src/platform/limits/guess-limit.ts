import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { overloaded } from '../../base/errors.js';
import { HoldBack } from './hold-back.js';
import { networkOf, plainAddress } from '../../text/ip-address.js';

/**
 * Limits how often one address may try invalid keys. Guessing 190 random bits is hopeless, but each well-formed guess
 * costs a query. Callers behind the same proxy as a guesser still get in: a key that was accepted within the last hour
 * at once, another key after a look-up that checks all waiting keys together. Each process has its own limit.
 */
export type GuessLimit = ReturnType<typeof createGuessLimit>;

/** A token bucket that holds `perMinute` attempts and refills in a minute. */
interface Bucket {
  tokens: number;
  at: number;
}

const MAX_ADDRESSES = 10_000;
const MAX_ACCEPTED = 10_000;
const HOUR_MS = 3_600_000;
/** The pause between two look-ups: at most twenty look-ups a second. */
const PAUSE_MS = 50;
/** The max keys in one look-up. In one pause a process can parse a tenth as many. */
const MAX_WAITING = 10_000;

/**
 * @param perMinute is the max attempts of an address; 0: no limit.
 * @param findValid returns those of the hashes that belong to valid keys.
 * @param now monotonic milliseconds.
 */
export function createGuessLimit(
  perMinute: number,
  findValid: (hashes: readonly Buffer[]) => Promise<Buffer[]>,
  now: () => number = () => performance.now(),
) {
  const perMs = perMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  const accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED, ttl: HOUR_MS, perf: { now } });
  /** The keys of the next look-up, and its result. */
  let pendingKeys = new Map<string, Buffer>();
  let valid: Promise<Set<string>> | undefined;
  let mayLookUp: Promise<unknown> = Promise.resolve();
  const refusals = new HoldBack();

  function tokensOf(source: string): number {
    const bucket = buckets.get(source);
    return bucket ? Math.min(perMinute, bucket.tokens + (now() - bucket.at) * perMs) : perMinute;
  }

  async function lookUp(): Promise<Set<string>> {
    await mayLookUp;
    const hashes = [...pendingKeys.values()];
    pendingKeys = new Map();
    valid = undefined;
    const validKeys = findValid(hashes);
    mayLookUp = validKeys.catch(() => undefined).then(() => pause(PAUSE_MS, undefined, { ref: false }));
    return new Set((await validKeys).map(idOf));
  }

  return {
    /** Seconds until this address may try again; 0: now. */
    waitSeconds: (address: string | undefined): number => {
      if (perMinute === 0 || buckets.size === 0) return 0;
      const tokens = tokensOf(sourceOf(address));
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perMs / 1_000));
    },
    /** Whether the key is valid; called when its address has to wait. @throws ApiError overloaded */
    isValid: async (keyHash: Buffer): Promise<boolean> => {
      const id = idOf(keyHash);
      if (accepted.has(id)) return true;
      if (pendingKeys.size >= MAX_WAITING && !pendingKeys.has(id)) throw overloaded();
      pendingKeys.set(id, keyHash);
      valid ??= lookUp();
      return (await valid).has(id);
    },
    /** Waits before the refusal of an address that has to wait: see {@link HoldBack}. */
    holdBack: (): Promise<void> => refusals.start(),
    /** @param keyHash undefined when the refused text was not even well-formed. */
    recordRefused: (address: string | undefined, keyHash?: Buffer): void => {
      if (keyHash) accepted.delete(idOf(keyHash));
      if (perMinute === 0) return;
      const source = sourceOf(address);
      buckets.set(source, { tokens: Math.max(0, tokensOf(source) - 1), at: now() });
    },
    recordAccepted: (keyHash: Buffer): unknown => accepted.set(idOf(keyHash), true),
    /** Whether the key was accepted here within the last hour. */
    wasAccepted: (keyHash: Buffer): boolean => accepted.has(idOf(keyHash)),
  };
}

function idOf(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}

/** An IPv6 address counts by its /64, which usually belongs to one owner. */
function sourceOf(address = ''): string {
  const plain = address.includes(':') ? (plainAddress(address) ?? '') : address;
  return plain.includes(':') ? networkOf(plain, { ipv4: 32, ipv6: 64 }) : plain;
}
