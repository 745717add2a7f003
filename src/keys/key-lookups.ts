import { setTimeout as sleep } from 'node:timers/promises';
import { overloaded } from '../errors.js';

/**
 * Tells valid keys from made-up ones among those that come from an address that has to wait (failed-keys.ts): whoever
 * shares an address with a guesser must get in, and guessing must not cost a query each.
 */
export interface KeyLookups {
  /** @throws ApiError overloaded when {@link MOST_WAITING} others wait. */
  isValid(keyHash: Buffer): Promise<boolean>;
}

/** One look-up at a time and this long between two: twenty a second, however many guess. */
const PAUSE_MS = 50;
/** Of different keys. A process parses a tenth of it in such a pause. */
const MOST_WAITING = 10_000;

interface Asked {
  keyHash: Buffer;
  settle: Waiter[];
}

interface Waiter {
  done: (valid: boolean) => void;
  failed: (error: unknown) => void;
}

/** @param find the valid ones of these hashes. */
export function createKeyLookups(find: (hashes: readonly Buffer[]) => Promise<Buffer[]>): KeyLookups {
  let waiting = new Map<string, Asked>();
  let running = false;

  async function lookUp(): Promise<void> {
    running = true;
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      try {
        const valid = new Set((await find([...asked.values()].map(({ keyHash }) => keyHash))).map(idOf));
        for (const [id, { settle }] of asked) for (const { done } of settle) done(valid.has(id));
      } catch (error) {
        for (const { settle } of asked.values()) for (const { failed } of settle) failed(error);
      }
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    running = false;
  }

  return {
    isValid: (keyHash) =>
      new Promise((done, failed) => {
        const id = idOf(keyHash);
        const same = waiting.get(id);
        if (same) same.settle.push({ done, failed });
        else if (waiting.size >= MOST_WAITING) failed(overloaded());
        else waiting.set(id, { keyHash, settle: [{ done, failed }] });
        if (!running) void lookUp();
      }),
  };
}

function idOf(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}
