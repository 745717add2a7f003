/** Does the work of all items, a few at a time: processes of their own cost a second each. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  most = 4,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}
