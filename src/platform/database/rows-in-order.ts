/** The default of the max rows per query. */
const MAX_ROWS = 1_000;

/** Yields all rows of a query that has an order, part by part. @param read returns the rows after a key */
export async function* rowsInOrder<Row, Key>(
  read: (after: Key, limit: number) => Promise<Row[]>,
  first: Key,
  keyOf: (row: Row) => Key,
  maxRows = MAX_ROWS,
): AsyncGenerator<Row> {
  for (let after = first; ;) {
    const rows = await read(after, maxRows);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < maxRows) return;
    after = keyOf(last);
  }
}
