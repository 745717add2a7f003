import { Option, type Command } from 'commander';
import type { ProjectChange, ProjectRow } from '../../projects/store/projects.js';
import { OperatorError } from '../../base/errors.js';
import type { Plan, Rates } from '../../base/glossary.js';
import { PLAN_RATES, PLANS, ratesOf } from '../../projects/plans.js';

export interface RateOptions {
  plan?: Plan | 'none';
  readRate?: number;
  readBurst?: number;
  writeRate?: number;
  writeBurst?: number;
}

export const NO_RATES: Rates = { read_rate: 0, read_burst: 0, write_rate: 0, write_burst: 0 };

const PLAN_HELP =
  'how many requests a second: ' +
  Object.entries(PLAN_RATES)
    .map(([plan, { read_rate, write_rate }]) => `${plan} ${read_rate} reads and ${write_rate} writes`)
    .join(', ') +
  '; enterprise as many as you set below, else no limit (a new project has it); none: no access';

export function withRates(command: Command): Command {
  const positive =
    (min: number) =>
    (text: string): number => {
      const value = Number(text);
      if (!Number.isFinite(value) || value < min || value > 1_000_000)
        throw new OperatorError(`A rate is a number from ${min} to 1000000, not ${JSON.stringify(text)}.`);
      return value;
    };
  return command
    .addOption(new Option('--plan <plan>', PLAN_HELP).choices([...PLANS, 'none']))
    .option('--read-rate <n>', 'enterprise: reads a second; no limit, if not given', positive(0.001))
    .option('--read-burst <n>', 'enterprise: reads at once; twice the rate, if not given', positive(1))
    .option('--write-rate <n>', 'enterprise: writes a second; no limit, if not given', positive(0.001))
    .option('--write-burst <n>', 'enterprise: writes at once; twice the rate, if not given', positive(1));
}

export function ratesFrom(plan: Plan, options: RateOptions, before?: Rates): Rates {
  const rates = readRates(options);
  if (plan !== 'enterprise' && rates.length > 0) throw new OperatorError('Rates of your own need the plan enterprise.');
  return ratesOf(plan, { ...before, ...Object.fromEntries(rates) });
}

function readRates({ readRate, readBurst, writeRate, writeBurst }: RateOptions): [string, number][] {
  const rates = { read_rate: readRate, read_burst: readBurst, write_rate: writeRate, write_burst: writeBurst };
  return Object.entries(rates).filter((rate): rate is [string, number] => rate[1] !== undefined);
}

export function planChange(before: ProjectRow, options: RateOptions): ProjectChange {
  if (options.plan === 'none') return { plan: null, ...NO_RATES };
  const plan = options.plan ?? before.plan;
  if (options.plan === undefined && readRates(options).length === 0) return {};
  if (plan === null) throw new OperatorError('The project has no plan: give --plan.');
  // An enterprise project keeps the rates that are not given.
  return { plan, ...ratesFrom(plan, options, before.plan === 'enterprise' ? pickRates(before) : undefined) };
}

export function pickRates({ read_rate, read_burst, write_rate, write_burst }: Rates): Rates {
  return { read_rate, read_burst, write_rate, write_burst };
}
