import type { Command } from 'commander';
import { COMMAND_LINE } from '../../accounts/actor.js';
import { systemClock } from '../../base/clock.js';
import { ApiError, OperatorError } from '../../base/errors.js';
import { commandIndexChanges, waitUntilVisible } from '../../projects/index-changes.js';
import type { Said } from '../../rules/list-rules.js';
import type { Problem } from '../../rules/preview/preview-changes.js';
import type { RuleChange, RuleDeps } from '../../rules/rule.js';
import type { CommandContext } from '../shared/context.js';
import { projectCommand, type ProjectCommand, type ProjectRun } from '../shared/project-command.js';

export interface RuleRun<Options> extends ProjectRun<Options> {
  deps: RuleDeps;
}

/** What the history says of who changed something. */
export const BY_OPTION = ['--by <name>', 'who, for the history', COMMAND_LINE] as const;

/** Declares a command on a project's rules; at its end every process answers by what it changed. */
export function ruleCommand<Options = object>(
  redirects: Command,
  context: CommandContext,
  name: string,
  declared: ProjectCommand<RuleRun<Options>>,
): Command {
  return projectCommand<Options>(redirects, context, name, {
    ...declared,
    run: async (run) => {
      const { db, tenants } = run;
      const deps = { db, tenants, clock: systemClock, indexChanges: commandIndexChanges };
      await declared.run({ ...run, deps }).catch((error: unknown) => {
        // A command makes one change.
        throw error instanceof ApiError
          ? new OperatorError(error.message.replaceAll('changes.0.', ''), { cause: error })
          : error;
      });
      await waitUntilVisible();
    },
  });
}

export interface Wanted {
  from?: string;
  to?: string;
  gone?: boolean;
  ignore?: boolean;
}

export function withChange(command: Command): Command {
  return command
    .option('--from <path>', 'the old path; /old/* for all below it; /blog/:number/* with any number')
    .option('--to <path|url>', 'the page; after a wildcard, /new/:splat keeps the rest, /new drops it')
    .option('--gone', 'it is gone for good: 410')
    .option('--ignore', 'it is not worth a redirect');
}

/** @throws OperatorError */
export function readChangeOptions({ from, to, gone = false, ignore = false }: Wanted): RuleChange {
  if (from === undefined || [to !== undefined, gone, ignore].filter(Boolean).length !== 1)
    throw new OperatorError('Give --from with the old path, and one of --to, --gone and --ignore.');
  return {
    path: from,
    action: gone ? 'gone' : ignore ? 'ignore' : 'redirect',
    ...(to === undefined ? {} : { target: to }),
  };
}

export function printProblems(context: CommandContext, problems: readonly Problem[]): void {
  for (const { kind, detail } of problems) context.stderr.write(`${kind}: ${detail}\n`);
}

export function saidInWords(said: Said): string {
  if (said === null) return 'no rule';
  return said.action === 'redirect' ? (said.target ?? '') : said.action === 'gone' ? 'gone' : 'ignored';
}
