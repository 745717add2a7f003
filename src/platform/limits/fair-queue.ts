/**
 * A queue of several lines that take turns (round robin, as in Nagle's RFC 970). Within a line the first to come is
 * served first. The head of a line waits at most as many turns as there are lines, however long the other lines are.
 */
export class FairQueue<Item> {
  /** In the order of their turns. No line is empty. */
  readonly #lines = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  waiting(line: string): number {
    return this.#lines.get(line)?.size ?? 0;
  }

  othersWait(line: string): boolean {
    return this.#lines.size > (this.#lines.has(line) ? 1 : 0);
  }

  /** The head of a line. */
  first(line: string): Item | undefined {
    const [first] = this.#lines.get(line) ?? [];
    return first;
  }

  add(line: string, item: Item): void {
    const items = this.#lines.get(line);
    if (items) items.add(item);
    else this.#lines.set(line, new Set([item]));
    this.#size++;
  }

  delete(line: string, item: Item): void {
    const items = this.#lines.get(line);
    if (items?.delete(item) !== true) return;
    this.#size--;
    if (items.size === 0) this.#lines.delete(line);
  }

  /** Removes and returns the head of the next line that may go. */
  next(mayGo: (line: string) => boolean = () => true): Item | undefined {
    for (const [line, items] of this.#lines) {
      if (!mayGo(line)) continue;
      const [item] = items;
      if (item === undefined) continue;
      this.#lines.delete(line);
      items.delete(item);
      this.#size--;
      if (items.size > 0) this.#lines.set(line, items);
      return item;
    }
    return undefined;
  }

  /**
   * The item to refuse when the queue is full and one more comes to this line: the last of the longest line, if that is
   * another line. So a flood displaces itself, and others find room.
   */
  displacedBy(line: string): Item | undefined {
    let longest: Set<Item> | undefined;
    for (const items of this.#lines.values()) if (items.size > (longest?.size ?? this.waiting(line))) longest = items;
    return longest === undefined ? undefined : [...longest].at(-1);
  }
}
