import type { Embedder } from '#src/embedding/embedder.js';
import { wrapEmbedder } from './wrap-embedder.js';

/** This is called before a page's content goes to the real model. An error that it throws fails the page. */
export type BeforeContent = (content: string, fingerprint: string) => Promise<void> | void;

/** The real embedder with something that happens before each page. */
export function beforeContent(before: BeforeContent): (embedder: Embedder) => Embedder {
  return (embedder) =>
    wrapEmbedder(embedder, {
      embedContent: async (fingerprint, content, options) => {
        await before(content, fingerprint);
        return embedder.embedContent(fingerprint, content, options);
      },
    });
}

/** A door that pages wait at while it is closed. */
export class Gate {
  #opened = Promise.resolve();
  #open: () => void = () => undefined;
  /** The number of pages that have come to the door so far. */
  arrived = 0;

  close(): void {
    this.#opened = new Promise((done) => {
      this.#open = done;
    });
  }

  open(): void {
    this.#open();
  }

  async pass(): Promise<void> {
    this.arrived += 1;
    await this.#opened;
  }
}
