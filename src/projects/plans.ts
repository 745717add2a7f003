import type { Plan, Rates } from '../base/glossary.js';

/** The specification's part 8 has these numbers. */
export const PLAN_RATES: Record<Exclude<Plan, 'enterprise'>, Rates> = {
  hacker: { read_rate: 2, read_burst: 5, write_rate: 5, write_burst: 10 },
  solo: { read_rate: 10, read_burst: 20, write_rate: 10, write_burst: 20 },
  startup: { read_rate: 25, read_burst: 50, write_rate: 25, write_burst: 50 },
  scale: { read_rate: 50, read_burst: 100, write_rate: 50, write_burst: 100 },
};

/** A bucket of this size never empties: an installation's own projects have no limit unless the operator sets one. */
export const NO_LIMIT = 1_000_000;

export const PLANS: readonly Plan[] = ['hacker', 'solo', 'startup', 'scale', 'enterprise'];

/** A new project has this plan. */
export const DEFAULT_PLAN: Plan = 'enterprise';

/** Finds a plan's rates. @param rates those that an enterprise project has set; it has no limit but these. */
export function ratesOf(plan: Plan, rates: Partial<Rates>): Rates {
  if (plan !== 'enterprise') return PLAN_RATES[plan];
  const { read_rate = NO_LIMIT, write_rate = NO_LIMIT } = rates;
  return {
    read_rate,
    read_burst: findBurst(read_rate, rates.read_burst),
    write_rate,
    write_burst: findBurst(write_rate, rates.write_burst),
  };
}

/** Finds a burst. A rate with a bucket that never empties would be none: it gets the burst that plans have. */
function findBurst(rate: number, burst = NO_LIMIT): number {
  return rate < NO_LIMIT && burst === NO_LIMIT ? Math.max(1, 2 * rate) : burst;
}

/** Describes a rate to people. */
export function describeRate(rate: number, burst: number): string {
  if (rate >= NO_LIMIT) return burst >= NO_LIMIT ? 'no limit' : `${burst} at once`;
  return `${rate} a second, ${burst} at once`;
}
