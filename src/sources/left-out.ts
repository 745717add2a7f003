/** Named for each reason; the others are counted. */
const MAX_NAMED = 20;

/** What a source has and gives no page of, such as a draft. */
export interface LeftOutPlace {
  /** A url, or a file. */
  where: string;
  /** The page or sitemap that names the url. */
  linked_from?: string;
  /** The page that stands in for it. */
  instead?: string;
}

/** What a source leaves out and does not refuse: by reason how many, and the first of them by name. */
export class LeftOut {
  readonly #reasons = new Map<string, { count: number; first: LeftOutPlace[] }>();

  add(reason: string, place: LeftOutPlace): void {
    const of = this.#reasons.get(reason) ?? { count: 0, first: [] };
    if (of.count++ < MAX_NAMED) of.first.push(place);
    this.#reasons.set(reason, of);
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#reasons].map(([reason, { count }]) => [reason, count]));
  }

  list(): { reason: string; count: number; first: LeftOutPlace[] }[] {
    return [...this.#reasons].map(([reason, of]) => ({ reason, ...of }));
  }

  /** For people: a line for each reason, then those that are named. @param what such as `urls` */
  lines(what: string): string[] {
    return this.list().flatMap(({ reason, count, first }) => [
      `${count} ${count === 1 ? what.replace(/s$/, '') : what} left out: ${reason}`,
      ...first.map(({ where, linked_from: from, instead }) => {
        const more = [instead && `${instead} instead`, from && `linked from ${from}`].filter(Boolean).join('; ');
        return `  ${where}${more === '' ? '' : ` (${more})`}`;
      }),
      ...(count > first.length ? [`  and ${count - first.length} more`] : []),
    ]);
  }
}
