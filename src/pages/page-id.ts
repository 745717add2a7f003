import { randomBytes } from 'node:crypto';

const SHAPE = /^[0-9a-f]{24}$/;

/**
 * A page identifier: 24 lower-case hex characters, 4 bytes of Unix seconds and 8 random bytes. Unique across projects
 * without asking the database: 64 random bits for each second.
 */
export function createPageId(now: number): string {
  const seconds = Math.floor(now / 1000) % 2 ** 32;
  return seconds.toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}

export function isPageId(text: string): boolean {
  return SHAPE.test(text);
}
