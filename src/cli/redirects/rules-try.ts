import type { Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { previewChanges, type Problem } from '../../rules/preview/preview-changes.js';
import type { RuleChange } from '../../rules/rule.js';
import { tryRules, type Tried } from '../../rules/preview/try-rules.js';
import { print, table, type CommandContext } from '../shared/context.js';
import { withRules, type RuleOptions } from './with-rules.js';
import { saidInWords } from './rules-listing.js';

export interface Wanted {
  from?: string;
  to?: string;
  gone?: boolean;
  ignore?: boolean;
}

/** Rows of each table that `try` shows to people. */
const SHOWN = 20;

export function addRulesTry(redirects: Command, context: CommandContext): void {
  withChange(redirects.command('try'))
    .description('what the rules, or one more, would have answered of the stored 404s; changes nothing')
    .option('--days <n>', 'of how many last days', '30')
    .action((options: RuleOptions & Wanted & { days: string }) =>
      withRules(context, options, async ({ deps, projectId }) => {
        const days = Number(options.days);
        const isOne = options.from !== undefined || options.to !== undefined || options.gone || options.ignore;
        const changes = isOne ? [readChangeOptions(options)] : [];
        const { changes: previewed } = await previewChanges(deps, projectId, changes, days);
        const problems = previewed[0]?.problems ?? [];
        const tried = await tryRules(deps, projectId, { days, changes });
        printProblems(context, problems);
        print(context, options, { ...tried, problems }, () => inWords(tried));
      }),
    );
}

function inWords({ stored, answered, rules, rows }: Tried): string {
  const ofRules = rules
    .slice(0, SHOWN)
    .map((one) => [String(one.requests), String(one.paths), one.path, saidInWords(one)]);
  const ofPaths = rows.slice(0, SHOWN).map((one) => [String(one.requests), one.path, one.to ?? 'gone', one.rule]);
  return [
    table([['404S', 'PATHS', 'RULE', 'LEADS TO'], ...ofRules]),
    table([['404S', 'PATH', 'LEADS TO', 'RULE'], ...ofPaths]),
    `${answered.requests} of ${stored.requests} 404s of the last ${stored.days} days are answered: ${answered.paths} of ${stored.paths} paths.`,
    ...(stored.cut ? ['There are more of them: the most frequent were looked at.'] : []),
  ].join('\n\n');
}

export function withChange(command: Command): Command {
  return command
    .requiredOption('--project <id|name>')
    .option('--from <path>', 'the old path; /old/* for all below it; /blog/:number/* with any number')
    .option('--to <path|url>', 'the page; after a wildcard, /new/:splat keeps the rest, /new drops it')
    .option('--gone', 'it is gone for good: 410')
    .option('--ignore', 'it is not worth a redirect')
    .option('--json', 'one JSON value on stdout');
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
