import { Option, type Command } from 'commander';
import { onCommandLine } from '../../accounts/actor.js';
import { forgetClicks } from '../../rules/learn-clicks.js';
import { OperatorError } from '../../base/errors.js';
import { learnSectionMoves } from '../../rules/learn-moves-job.js';
import { changeRules, undoChange } from '../../rules/change-rules.js';
import { replacedBy } from '../../rules/import-export/redirect-report.js';
import { rulesEqual } from '../../rules/rules-equal.js';
import { previewChanges } from '../../rules/preview/preview-changes.js';
import type { RuleDeps } from '../../rules/rule.js';
import { print, type CommandContext } from '../shared/context.js';
import { BY_OPTION, withRules, type RuleOptions } from './with-rules.js';
import { addRulesListing } from './rules-listing.js';
import { addRulesTry, printProblems, readChangeOptions, withChange, type Wanted } from './rules-try.js';

export function addRulesCommands(redirects: Command, context: CommandContext): void {
  addRulesListing(redirects, context);
  addAdd(redirects, context);
  addRemove(redirects, context);
  addUndo(redirects, context);
  addRulesTry(redirects, context);
}

function addAdd(redirects: Command, context: CommandContext): void {
  withChange(redirects.command('add'))
    .description('make a rule: a redirect, a path that is gone for good, or one that is not worth a redirect')
    .option(...BY_OPTION)
    .action((options: RuleOptions & Wanted & { by: string }) =>
      withRules(context, options, async ({ deps, projectId }) => {
        const change = readChangeOptions(options);
        const { changes } = await previewChanges(deps, projectId, [change]);
        const problems = changes[0]?.problems ?? [];
        const was = changes[0]?.replaces ?? null;
        const result = await changeRules(deps, projectId, [change], onCommandLine(options.by));
        printProblems(context, problems);
        const now = {
          action: options.gone ? 'gone' : options.ignore ? 'ignore' : 'redirect',
          target: changes[0]?.target ?? null,
        } as const;
        const isReplaced = was !== null && result.changed > 0 && !rulesEqual(was, { ...now, kind: was.kind });
        const replaced = isReplaced ? [replacedBy(0, change.path, was, now)] : [];
        for (const { reason } of replaced) context.stderr.write(`${reason}\n`);
        const named = replaced.map(({ path, before, after }) => ({ path, before, after }));
        print(context, options, { ...result, problems, ...(named.length > 0 ? { replaced: named } : {}) }, () =>
          result.change_id === null ? 'It was so before.' : `Change ${result.change_id} is made.`,
        );
      }),
    );
}

function addRemove(redirects: Command, context: CommandContext): void {
  redirects
    .command('remove')
    .alias('delete')
    .description('forget a rule, or with --learned what clicks taught, and what it showed about its section')
    .requiredOption('--project <id|name>')
    .option('--from <old path>', 'as `redirects list` shows it')
    // What it was called before `add --from`.
    .addOption(new Option('--path <old path>').hideHelp())
    .option('--learned', 'what clicks taught about this path')
    .option('--all', 'with --learned: about every path')
    .option(...BY_OPTION)
    .option('--json', 'one JSON value on stdout')
    .action((options: RuleOptions & { from?: string; path?: string; learned?: boolean; all?: boolean; by: string }) =>
      withRules(context, options, async ({ deps, project, projectId }) => {
        const { learned = false, all = false } = options;
        const path = options.from ?? options.path;
        if (all ? !learned || path !== undefined : path === undefined)
          throw new OperatorError(
            'Give --from with the old path to forget, or --learned --all for all that clicks taught.',
          );
        const removed =
          learned || path === undefined
            ? { deleted: await forgetClicks(deps.db, onCommandLine(options.by), project, path) }
            : await removeRule(deps, projectId, path, options.by);
        if (!removed.deleted && path !== undefined)
          throw new OperatorError(
            learned
              ? `No click taught anything about ${path}; \`redirects list --learned\` shows all.`
              : `The project has no rule for ${path}; \`redirects list\` shows all.`,
          );
        const sections = await learnSectionMoves(deps.tenants.of(projectId));
        const what = learned ? 'What clicks taught about' : 'The rule of';
        print(
          context,
          options,
          { path: path ?? null, ...removed, section_moves: sections },
          () => `${what} ${path ?? 'every path'} is deleted.`,
        );
      }),
    );
}

async function removeRule(
  deps: RuleDeps,
  projectId: string,
  path: string,
  by: string,
): Promise<{ deleted: boolean; change_id: number | null }> {
  const { change_id } = await changeRules(deps, projectId, [{ path, action: 'remove' }], onCommandLine(by));
  return { deleted: change_id !== null, change_id };
}

function addUndo(redirects: Command, context: CommandContext): void {
  redirects
    .command('undo')
    .description('restore what a change replaced')
    .requiredOption('--project <id|name>')
    .requiredOption('--change <id>', 'as `redirects history` shows it')
    .option(...BY_OPTION)
    .option('--json', 'one JSON value on stdout')
    .action((options: RuleOptions & { change: string; by: string }) =>
      withRules(context, options, async ({ deps, projectId }) => {
        const result = await undoChange(deps, projectId, Number(options.change), onCommandLine(options.by));
        print(
          context,
          options,
          result,
          () => `Change ${options.change} is undone, by change ${String(result.change_id)}: ${result.changed} rules.`,
        );
      }),
    );
}
