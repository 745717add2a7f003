import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** The maximum number of keys in one statement. */
const MAX_KEYS = 2_000;
/** The maximum number of keys whose values are kept; others are read again. */
const MAX_KNOWN = 5_000;

type ByKey<Value> = ReadonlyMap<string, readonly Value[]>;

/** Reads in one statement the values of all keys that callers ask for at the same time. Keys are in hexadecimal. */
export class BatchedReads<Value> {
  readonly #read: (keys: readonly Buffer[]) => Promise<ByKey<Value>>;
  readonly #known = new LRUCache<string, Promise<readonly Value[]>>({ max: MAX_KNOWN });
  #next: { keys: string[]; read: Promise<ByKey<Value>> } | undefined;

  constructor(read: (keys: readonly Buffer[]) => Promise<ByKey<Value>>) {
    this.#read = read;
  }

  at(key: string): Promise<readonly Value[]> {
    const known = this.#known.get(key);
    if (known) return known;
    const { keys, read } = (this.#next ??= this.#begin());
    if (keys.push(key) === MAX_KEYS) this.#next = undefined;
    const values = read.then((all) => all.get(key) ?? []);
    this.#known.set(key, values);
    return values;
  }

  #begin(): { keys: string[]; read: Promise<ByKey<Value>> } {
    const keys: string[] = [];
    const read = nextTurn().then(() => {
      if (this.#next?.keys === keys) this.#next = undefined;
      return this.#read(keys.map((key) => Buffer.from(key, 'hex')));
    });
    return { keys, read };
  }
}
