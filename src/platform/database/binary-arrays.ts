import { sql, type Sql } from './sql.js';

/**
 * Arrays as parameters in PostgreSQL's binary format (`array_send` of src/backend/utils/adt/arrayfuncs.c): neither side
 * quotes texts, or formats and parses numbers. pg sends a Buffer as it is. Lengths and counts are 32-bit integers, the
 * high byte first.
 */

/** The oid of `text`, the same everywhere; those of an extension's types are the database's own. */
const TEXT = 25;

/** Dimensions, flag for nulls, oid of the elements, and of the one dimension length and first index. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** @param write writes an element at an offset and returns where it ends. `bytes`: the sum of all elements' lengths. */
function binaryArray<Element>(
  oid: number,
  elements: readonly Element[],
  bytes: number,
  write: (buffer: Buffer, element: Element, at: number) => number,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + LENGTH_BYTES * elements.length + bytes);
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeUInt32BE(oid, at);
  at = buffer.writeInt32BE(elements.length, at);
  at = buffer.writeInt32BE(1, at);
  for (const element of elements) {
    const end = write(buffer, element, at + LENGTH_BYTES);
    buffer.writeInt32BE(end - at - LENGTH_BYTES, at);
    at = end;
  }
  return buffer;
}

/** A parameter `text[]`. */
export function textArray(texts: readonly string[]): Buffer {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return binaryArray(TEXT, texts, bytes, (buffer, text, at) => at + buffer.write(text, at));
}

/** A parameter that is an array of a type whose elements are given in its binary format. */
export function arrayOf(oid: number, elements: readonly Buffer[]): Buffer {
  let bytes = 0;
  for (const element of elements) bytes += element.length;
  return binaryArray(oid, elements, bytes, (buffer, element, at) => at + element.copy(buffer, at));
}

/**
 * Ends an `insert … select`. Citus stores its rows by COPY, which row level security refuses to a tenant, unless
 * something is returned.
 */
export const insteadOfCopy: Sql = sql`returning project_id`;
