/** Work in flight, and the number of callers that wait for it. */
interface Flight<Result> {
  result: Promise<Result>;
  callers: number;
  settled: boolean;
  controller: AbortController;
}

/** Callers with the same key share the work in flight, which is aborted when the last of them has gone. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** @returns the result, and whether another caller had begun the work. */
  async run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Result>) {
    const known = this.#flights.get(key);
    const flight = known ?? this.#start(key, work);
    flight.callers++;
    try {
      return { result: await orAborted(flight.result, signal), shared: known !== undefined };
    } finally {
      flight.callers--;
      if (flight.callers === 0 && !flight.settled) {
        // A new caller must not join work that is being aborted.
        this.#end(key, flight);
        flight.controller.abort();
      }
    }
  }

  callers(): number {
    return [...this.#flights.values()].reduce((sum, { callers }) => sum + callers, 0);
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const flight: Flight<Result> = { result: work(controller.signal), callers: 0, settled: false, controller };
    this.#flights.set(key, flight);
    const settle = (): void => this.#end(key, flight);
    // Also handles the rejection of work that nobody waits for.
    flight.result.then(settle, settle);
    return flight;
  }

  #end(key: string, flight: Flight<Result>): void {
    flight.settled = true;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** Settles as the result does, or rejects when the caller's signal is aborted. */
function orAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return result;
  return new Promise((done, failed) => {
    const abort = (): void => failed(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void result.then(done, failed).finally(() => signal.removeEventListener('abort', abort));
  });
}
