/** What a url may hold: the page's content, or no page. */
export type PageState = { content: string } | 'gone';

/**
 * What a client was told about its urls: the last state that was acknowledged, and those that it asked for since
 * without hearing an answer, any of which may have come to be.
 */
export class PageLedger {
  readonly #told = new Map<string, PageState>();
  readonly #unheard = new Map<string, PageState[]>();
  acknowledged = 0;
  unanswered = 0;

  asked(url: string, state: PageState): void {
    this.#unheard.set(url, [...(this.#unheard.get(url) ?? []), state]);
  }

  /** The client waits for each answer before it asks for the next: all before it is settled. */
  heard(url: string, state: PageState): void {
    this.acknowledged++;
    this.#told.set(url, state);
    this.#unheard.delete(url);
  }

  lost(): void {
    this.unanswered++;
  }

  urls(): string[] {
    return [...new Set([...this.#told.keys(), ...this.#unheard.keys()])];
  }

  /** Whether what is there may be there. */
  allows(url: string, there: PageState): boolean {
    const may = [this.#told.get(url) ?? 'gone', ...(this.#unheard.get(url) ?? [])];
    return may.some((state) =>
      state === 'gone' || there === 'gone' ? state === there : state.content === there.content,
    );
  }
}

/** Events by a path of their own each: whether their 204 was seen. */
export class EventLedger {
  readonly acknowledged = new Set<string>();
  readonly unanswered = new Set<string>();
}
