/** Works through items, at most `width` at a time, and gives the results in the order of the items. */
export async function* inParallel<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // The result is awaited later; a failure until then must not end the process.
    result.catch(() => undefined);
    running.push(result);
    if (running.length >= width) yield (await running.shift()) as Result;
  }
  for (const result of running) yield await result;
}
