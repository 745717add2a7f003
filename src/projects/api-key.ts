import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '../base/glossary.js';

/**
 * An API key: `pm_`, its mode, 32 random base62 characters (190 bits), then a checksum of 6 base62 characters: the
 * CRC-32 of everything before it. The checksum tells a mistyped key from an unknown one without a query, and lets
 * secret scanners recognize keys with certainty. The form follows GitHub's token format of 2021.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const SHAPE = /^pm_(live|test)_[0-9A-Za-z]{38}$/;

export function mintKey(mode: KeyMode): string {
  let key = `pm_${mode}_`;
  for (let i = 0; i < RANDOM_CHARACTERS; i++) key += ALPHABET.charAt(randomInt(ALPHABET.length));
  return key + checksum(key);
}

/** Checks shape and checksum, before a query is spent on the key. */
export function isWellFormedKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

/** SHA-256 is enough for 190 random bits. A slow hash is for passwords. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
