/** Time is an argument, so that tests need not wait. */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
