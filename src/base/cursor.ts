import { invalid } from './errors.js';
import { checkStorable } from './validate.js';

/** An integer of the database. */
export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
}

/** Where a list goes on, as its `next_cursor` says it. */
export function writeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws ApiError invalid_request */
export function readCursor<Value>(cursor: string, isValid: (value: unknown) => value is Value): Value {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    value = undefined;
  }
  if (!isValid(value) || writeCursor(value) !== cursor)
    throw invalid('cursor', 'cursor must be the next_cursor of an earlier answer, as it came.');
  checkStorable(value, 'cursor');
  return value;
}
