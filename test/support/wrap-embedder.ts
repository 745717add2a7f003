import type { Embedder } from '#src/embedding/embedder.js';

/** The real embedder, with some of its calls replaced by a test's own. */
export function wrapEmbedder(real: Embedder, overrides: Partial<Embedder>): Embedder {
  return {
    load: (location) => real.load(location),
    unload: (fingerprint) => {
      real.unload(fingerprint);
    },
    embedQuery: (fingerprint, text, options) => real.embedQuery(fingerprint, text, options),
    embedContent: (fingerprint, content, options) => real.embedContent(fingerprint, content, options),
    keep: (fingerprint, vectors) => real.keep?.(fingerprint, vectors),
    ready: () => real.ready(),
    stats: () => real.stats(),
    stop: () => real.stop(),
    ...overrides,
  };
}

/** Holds the embedding of contents that contain a mark until `open` is called, and notes what was embedded. */
export class EmbeddingGate {
  /** Contents in the order in which their embedding began. */
  readonly begun: string[] = [];
  readonly #mark: string;
  #waiting: (() => void)[] = [];
  #closed = true;

  constructor(mark: string) {
    this.#mark = mark;
  }

  readonly wrap = (real: Embedder): Embedder =>
    wrapEmbedder(real, {
      embedContent: async (fingerprint, content, options) => {
        this.begun.push(content);
        if (this.#closed && content.includes(this.#mark)) await new Promise<void>((open) => this.#waiting.push(open));
        return real.embedContent(fingerprint, content, options);
      },
    });

  /** Whether a content that includes `text` is held at the moment. */
  holds(text: string): boolean {
    return this.#waiting.length > 0 && this.begun.some((content) => content.includes(text));
  }

  close(): void {
    this.#closed = true;
  }

  open(): void {
    this.#closed = false;
    for (const open of this.#waiting) open();
    this.#waiting = [];
  }
}
