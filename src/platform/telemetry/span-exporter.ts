import { toOtlp } from './otlp.js';
import type { EndedSpan } from './span.js';
import type { TracingOptions, Warn } from './tracer.js';

/** As OpenTelemetry's own batch processors (OTEL_BSP_…). */
const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
const EVERY_MS = 5_000;
/** The process ends within 10 s of SIGTERM. */
const MAX_STOP_MS = 2_000;

/** Sends ended spans, a batch at a time. What does not fit behind the one on its way is lost, and counted. */
export class SpanExporter {
  readonly #options: TracingOptions;
  readonly #warn: Warn;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #exported = 0;
  #lost = 0;
  #isAway = false;

  constructor(options: TracingOptions, warn: Warn) {
    this.#options = options;
    this.#warn = warn;
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) this.#send();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, EVERY_MS).unref();
  }

  stats(): { exported: number; lost: number } {
    return { exported: this.#exported, lost: this.#lost };
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const until = performance.now() + MAX_STOP_MS;
    while ((this.#waiting.length > 0 || this.#sending) && performance.now() < until) {
      this.#send();
      await Promise.race([this.#sending, new Promise((done) => setTimeout(done, until - performance.now()).unref())]);
    }
  }

  #send(): void {
    if (this.#sending || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#sending = this.#post(batch).then((reason) => {
      this.#sending = undefined;
      if (reason === undefined) this.#exported += batch.length;
      else this.#lost += batch.length;
      this.#say(reason);
      if (this.#waiting.length >= MAX_BATCH) this.#send();
    });
  }

  /** Why it failed; undefined: the receiver has them. A batch is not tried again. */
  async #post(batch: readonly EndedSpan[]): Promise<string | undefined> {
    const { url, headers, timeoutMs, resource } = this.#options;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(toOtlp(resource, batch)),
        // A redirect would carry the headers to somebody else.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.body?.cancel();
      return answer.ok ? undefined : `it answered ${answer.status}`;
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? `${message}: ${cause.message}` : message;
    }
  }

  #say(reason: string | undefined): void {
    if (reason !== undefined && !this.#isAway) this.#warn('traces cannot be exported and are lost', { reason });
    if (reason === undefined && this.#isAway) this.#warn('traces are exported again', { lost: this.#lost });
    this.#isAway = reason !== undefined;
  }
}
