/** The state of a url: the page's content, or no page. */
export type PageState = { content: string } | 'gone';

/**
 * Knows the states that urls may have: the last state that was acknowledged, and those that a client asked for since
 * without an answer, any of which may have come to be.
 */
export class PageLedger {
  readonly #told = new Map<string, PageState>();
  readonly #unheard = new Map<string, PageState[]>();
  acknowledged = 0;
  unanswered = 0;

  recordRequest(url: string, state: PageState): void {
    this.#unheard.set(url, [...(this.#unheard.get(url) ?? []), state]);
  }

  /** The client waits for each answer before its next request: an answer settles all earlier requests, too. */
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

  /** Whether the state that is stored is one that the url may have. */
  allows(url: string, there: PageState): boolean {
    const may = [this.#told.get(url) ?? 'gone', ...(this.#unheard.get(url) ?? [])];
    return may.some((state) =>
      state === 'gone' || there === 'gone' ? state === there : state.content === there.content,
    );
  }
}

/** Knows of each event, by a path of its own, whether the client got its 204. */
export class EventLedger {
  readonly acknowledged = new Set<string>();
  readonly unanswered = new Set<string>();
}
