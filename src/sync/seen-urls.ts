import { OperatorError } from '../base/errors.js';

const FIRST_SLOTS = 1 << 12;
/** 16 million urls in 256 MiB. */
const MAX_SLOTS = 1 << 25;

/**
 * The urls that a source has named, as the first 64 bits of their hashes: a million takes 32 MiB at most. Two of a
 * million urls share these bits once in 30 million syncs; then the second counts as named twice.
 */
export class SeenUrls {
  #slots = new BigUint64Array(FIRST_SLOTS);
  size = 0;

  /**
   * @param hash of a {@link PageUrl}
   * @returns false if it was added before.
   * @throws OperatorError when it is full
   */
  add(hash: Buffer): boolean {
    const key = keyOf(hash);
    const at = this.#find(key);
    if (this.#slots[at] === key) return false;
    this.#slots[at] = key;
    if (++this.size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  has(hash: Buffer): boolean {
    const key = keyOf(hash);
    return this.#slots[this.#find(key)] === key;
  }

  /** The key's slot, or the free one where it belongs. */
  #find(key: bigint): number {
    const mask = this.#slots.length - 1;
    let at = Number(BigInt.asUintN(32, key)) & mask;
    while (this.#slots[at] !== 0n && this.#slots[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    if (old.length >= MAX_SLOTS) throw new OperatorError(`The source has more than ${MAX_SLOTS / 2} pages.`);
    this.#slots = new BigUint64Array(old.length * 2);
    for (const key of old) if (key !== 0n) this.#slots[this.#find(key)] = key;
  }
}

/** 0 marks a free slot. */
function keyOf(hash: Buffer): bigint {
  return hash.readBigUInt64LE(0) || 1n;
}
