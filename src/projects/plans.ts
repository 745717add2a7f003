import type { Plan, Rates } from '../base/glossary.js';

/** Specification, part 8. */
export const PLAN_RATES: Record<Exclude<Plan, 'enterprise'>, Rates> = {
  hacker: { read_rate: 2, read_burst: 5, write_rate: 5, write_burst: 10 },
  solo: { read_rate: 10, read_burst: 20, write_rate: 10, write_burst: 20 },
  startup: { read_rate: 25, read_burst: 50, write_rate: 25, write_burst: 50 },
  scale: { read_rate: 50, read_burst: 100, write_rate: 50, write_burst: 100 },
};

/** For the rates that an enterprise project has not set. */
export const ENTERPRISE_DEFAULTS: Rates = { read_rate: 100, read_burst: 200, write_rate: 100, write_burst: 200 };

export const PLANS: readonly Plan[] = ['hacker', 'solo', 'startup', 'scale', 'enterprise'];

/** @param own the rates that an enterprise project has set. */
export function ratesOf(plan: Plan, own: Partial<Rates>): Rates {
  return plan === 'enterprise' ? { ...ENTERPRISE_DEFAULTS, ...own } : PLAN_RATES[plan];
}
