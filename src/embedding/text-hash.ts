import { createHash } from 'node:crypto';

/** What is stored of the text of a vector, see pathmend.passages. */
export function hashText(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE();
}
