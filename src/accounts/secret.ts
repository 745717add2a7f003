import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** 256 random bits for a cookie or a link. */
export function mintSecret(): string {
  return randomBytes(BYTES).toString('base64url');
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

/** What is stored of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
