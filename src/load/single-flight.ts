/** Something under way, and for how many. */
interface Flight<Result> {
  result: Promise<Result>;
  callers: number;
  landed: boolean;
  controller: AbortController;
}

/**
 * Does identical work that is asked for at once only once: callers of one key share what is under way. Errors reach
 * all who share them. One that goes away leaves the others alone; with the last of them, the work is aborted.
 */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** @returns the result, and whether it is that of work which another caller had begun. */
  async run(
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ result: Result; shared: boolean }> {
    const known = this.#flights.get(key);
    const flight = known ?? this.#start(key, work);
    flight.callers++;
    try {
      return { result: await orAborted(flight.result, signal), shared: known !== undefined };
    } finally {
      flight.callers--;
      if (flight.callers === 0 && !flight.landed) {
        // Whoever comes now must not join what is being given up.
        this.#end(key, flight);
        flight.controller.abort();
      }
    }
  }

  /** Callers that wait at the moment. */
  callers(): number {
    return [...this.#flights.values()].reduce((sum, { callers }) => sum + callers, 0);
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const flight: Flight<Result> = { result: work(controller.signal), callers: 0, landed: false, controller };
    this.#flights.set(key, flight);
    const land = (): void => {
      this.#end(key, flight);
    };
    // Handles the rejection, too, of work that nobody waits for any more.
    flight.result.then(land, land);
    return flight;
  }

  #end(key: string, flight: Flight<Result>): void {
    flight.landed = true;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** The result, or the reason why the caller gave up waiting for it. */
function orAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return result;
  return new Promise((done, failed) => {
    const abort = (): void => {
      failed(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void result.then(done, failed).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
