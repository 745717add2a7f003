import { createHash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '../base/errors.js';
import { Bulkhead } from '../platform/limits/bulkhead.js';

const MAX_EMAIL = 254;
/** A cookie or a link holds a secret of this length. */
const SECRET_BYTES = 32;

export const MIN_PASSWORD = 12;
const MAX_PASSWORD = 200;

/** 32 MiB and about 0.2 s a password (OWASP's Password Storage Cheat Sheet). */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const MAX_MEMORY_BYTES = 2 ** 27;
const PARAMETERS = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** An e-mail address in lower case. @throws ApiError of status 400 that names the field */
export function readEmail(text: string, field = 'email'): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email))
    throw invalid(field, 'This is not an e-mail address. An address looks like name@example.com.');
  return email;
}

/** 256 random bits for a cookie or a link. */
export function mintSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

/** Hashes a secret: only the hash is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export interface Passwords {
  /**
   * `scrypt$N$r$p$salt$hash`, so that the cost can grow.
   * @param caller callers take turns.
   * @throws ApiError overloaded
   */
  hash(password: string, caller: string): Promise<string>;
  /** Takes as long where nothing is stored: nobody learns by that who has an account. @throws ApiError overloaded */
  matches(password: string, stored: string | null | undefined, caller: string): Promise<boolean>;
}

/**
 * scrypt takes one of the four threads that file reads and DNS share in a process. Two at a time leave room, and a
 * flood of logins is refused with 503 before it has cost anything.
 */
export function createPasswords(): Passwords {
  const waiting = { maxInBurst: 16, maxSustained: 16, burstMs: 1_000 };
  const slots = new Bulkhead({ slots: 2, waiting, maxWaitMs: 10_000 });
  return {
    hash: async (password, caller) => {
      const salt = randomBytes(16);
      const hash = await slots.run(caller, () => derive(password, salt, COST));
      return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
    },
    matches: async (password, stored, caller) => {
      const [, N, r, p, salt = '', hash = ''] = PARAMETERS.exec(stored ?? '') ?? [];
      const expected = Buffer.from(hash, 'base64url');
      const cost = N === undefined ? COST : { N: Number(N), r: Number(r), p: Number(p) };
      const derived = await slots.run(caller, () => derive(password, Buffer.from(salt, 'base64url'), cost));
      return derived.length === expected.length && timingSafeEqual(derived, expected);
    },
  };
}

/** @throws ApiError of status 400 that names `password` */
export function checkPassword(password: string): string {
  const length = [...password].length;
  if (length < MIN_PASSWORD || length > MAX_PASSWORD)
    throw invalid('password', `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters; this one has ${length}.`);
  return password;
}

const runScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  // One spelling of accented letters, as RFC 8265 asks; a longer text is nobody's password.
  const text = password.normalize('NFC').slice(0, 4 * MAX_PASSWORD);
  return runScrypt(text, salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY_BYTES });
}
