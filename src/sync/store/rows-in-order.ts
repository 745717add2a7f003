/** Rows per query. */
const MAX_ROWS = 1_000;

/**
 * All rows of a query that has an order, read part by part.
 * @param read the rows after a key
 */
export async function* rowsInOrder<Row, Key>(
  read: (after: Key, limit: number) => Promise<Row[]>,
  first: Key,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row> {
  for (let after = first; ;) {
    const rows = await read(after, MAX_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < MAX_ROWS) return;
    after = keyOf(last);
  }
}
