/**
 * Who waits, in lines: within a line first come, first served, and the lines take turns. However long one of them is,
 * the first of another waits for as many turns as there are lines (round robin, as in Nagle's RFC 970).
 */
export class FairQueue<Item> {
  /** In the order of their turns; none is empty. */
  readonly #lines = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  waiting(line: string): number {
    return this.#lines.get(line)?.size ?? 0;
  }

  /** Whether somebody waits in another line. */
  othersWait(line: string): boolean {
    return this.#lines.size > (this.#lines.has(line) ? 1 : 0);
  }

  /** Who has waited longest in a line. */
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

  /** Takes the first of the next line that may go. */
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
   * Whom a newcomer to this line displaces where there is no room: the last of the longest line, unless that is its
   * own. So a flood refuses itself, and whoever floods nobody finds room.
   */
  displacedBy(line: string): Item | undefined {
    let longest: Set<Item> | undefined;
    for (const items of this.#lines.values()) if (items.size > (longest?.size ?? this.waiting(line))) longest = items;
    return longest === undefined ? undefined : [...longest].at(-1);
  }
}
