import { Writable } from 'node:stream';

const WRITE_AFTER_MS = 50;
const MOST_CHARACTERS = 32_768;

/**
 * Writes log lines together: stderr is written synchronously, and a write for each request costs as much as answering
 * it from the cache. They wait for 50 ms at most, and are written when asked for, and when the process exits, in
 * whatever way it does so itself. Only a kill loses the lines of the last 50 ms.
 */
export class BatchedLines extends Writable {
  readonly #stream: NodeJS.WritableStream;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.#stream = stream;
  }

  override _write(line: string, _encoding: string, done: () => void): void {
    this.add(line);
    done();
  }

  /** The same as `write`, without what a stream does before it. */
  add(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length > MOST_CHARACTERS) {
      this.writeNow();
    } else if (!this.#timer) {
      this.#timer = setTimeout(this.writeNow, WRITE_AFTER_MS).unref();
      process.once('exit', this.writeNow);
    }
  }

  readonly writeNow = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.off('exit', this.writeNow);
    const lines = this.#waiting;
    this.#waiting = '';
    if (lines !== '') this.#stream.write(lines);
  };
}
