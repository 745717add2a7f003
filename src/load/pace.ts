/**
 * How many to begin at a time, of work that may be refused further inside: one more each time, half as many when any
 * was refused since (additive increase, multiplicative decrease: Chiu and Jain 1989). What is begun settles where
 * little of it is in vain.
 */
export class Pace {
  readonly #most: number;
  #now: number;
  #refusals = 0;

  constructor(most: number) {
    this.#most = most;
    this.#now = most;
  }

  /** @param refusals how often something has been refused inside, since ever. */
  next(refusals: number): number {
    this.#now = refusals > this.#refusals ? Math.max(1, this.#now >> 1) : Math.min(this.#most, this.#now + 1);
    this.#refusals = refusals;
    return this.#now;
  }
}
