import type { Command } from 'commander';
import { COMMAND_LINE } from '../../accounts/actor.js';
import { systemClock } from '../../base/clock.js';
import { ApiError, OperatorError } from '../../base/errors.js';
import { commandIndexChanges, waitUntilVisible } from '../../projects/index-changes.js';
import type { RuleSummary } from '../../rules/list-rules.js';
import { termsInWords } from '../../rules/rule-meaning.js';
import type { Problem } from '../../rules/preview/preview-changes.js';
import type { RuleChange, RuleDeps } from '../../rules/rule.js';
import type { CommandContext } from '../shared/context.js';
import { projectCommand, type DeclaredCommand, type ProjectRun } from '../shared/project-command.js';

export interface RuleRun<Options> extends ProjectRun<Options> {
  deps: RuleDeps;
}

/** The option with the name that the history gives to the person who made a change. */
export const BY_OPTION = ['--by <name>', 'who, for the history', COMMAND_LINE] as const;

/** Declares a command on a project's rules; at its end every process answers with its changes. */
export function ruleCommand<Options = object>(
  redirects: Command,
  context: CommandContext,
  name: string,
  declared: DeclaredCommand<RuleRun<Options>>,
): Command {
  return projectCommand<Options>(redirects, context, name, {
    ...declared,
    run: async (run) => {
      const { db, tenants } = run;
      const deps = { db, tenants, clock: systemClock, indexChanges: commandIndexChanges };
      await declared.run({ ...run, deps }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        // A command makes one change, which its errors need not number.
        throw new OperatorError(error.message.replaceAll('changes.0.', ''), { cause: error });
      });
      await waitUntilVisible();
    },
  });
}

export interface RuleSelection {
  from?: string;
  to?: string;
  gone?: boolean;
  ignore?: boolean;
  host?: string;
  code?: string;
  query?: string[];
  passQuery?: boolean;
  validFrom?: string;
  validUntil?: string;
}

export function withChange(command: Command): Command {
  return command
    .option(
      '--from <path|url>',
      'the old path; /old/* for all below it; /p-:id.html for those like it; a url is of its host',
    )
    .option('--to <path|url>', 'the page; /new/:splat keeps what the star stands for, /shop/:id what :id does')
    .option('--gone', 'it is gone for good: 410')
    .option('--ignore', 'it is not worth a redirect')
    .option('--host <host>', 'the host that the rule is for; else any')
    .option('--code <n>', '301, 302, 303, 307 or 308; with --gone 410 or 451')
    .option('--query <name=value...>', 'parameters that must be there, in any order')
    .option('--pass-query', 'the query string is passed on to the target')
    .option('--valid-from <date>', 'from this day or moment on')
    .option('--valid-until <date>', 'up to this day or moment');
}

/** @throws OperatorError */
export function readChangeOptions({ from, to, gone = false, ignore = false, ...terms }: RuleSelection): RuleChange {
  if (from === undefined || [to !== undefined, gone, ignore].filter(Boolean).length !== 1)
    throw new OperatorError('Give --from with the old path, and one of --to, --gone and --ignore.');
  const { host, code, query = [], passQuery, validFrom, validUntil } = terms;
  return {
    path: query.length === 0 ? from : `${from}${from.includes('?') ? '&' : '?'}${query.join('&')}`,
    host,
    code: code === undefined ? undefined : Number(code),
    pass_query: passQuery,
    valid_from: validFrom,
    valid_until: validUntil,
    action: gone ? 'gone' : ignore ? 'ignore' : 'redirect',
    target: to,
  };
}

export function printProblems(context: CommandContext, problems: readonly Problem[]): void {
  for (const { kind, detail } of problems) context.stderr.write(`${kind}: ${detail}\n`);
}

export function describeRule(rule: RuleSummary): string {
  if (rule === null) return 'no rule';
  const effect = rule.action === 'redirect' ? (rule.target ?? '') : rule.action === 'gone' ? 'gone' : 'ignored';
  return [effect, ...termsInWords(rule)].join(', ');
}
