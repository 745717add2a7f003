import { invalid } from './errors.js';
import { checkStorable } from './validate.js';

/** Tells whether a value is an integer that a column of the database holds. */
export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
}

/** Encodes the place at which a list goes on, for `next_cursor`. */
export function writeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes a cursor that {@link writeCursor} made. @throws ApiError invalid_request */
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
