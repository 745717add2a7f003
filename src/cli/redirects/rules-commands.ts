import { Option, type Command } from 'commander';
import { onCommandLine } from '../../accounts/actor.js';
import { eraseLearnedClicks } from '../../rules/learn-clicks.js';
import { OperatorError } from '../../base/errors.js';
import { learnSectionRedirects } from '../../rules/learn-redirects-job.js';
import { changeRules, undoChange } from '../../rules/change-rules.js';
import { replacedBy } from '../../rules/import-export/redirect-report.js';
import { tryRules, type RuleTestResult } from '../../rules/preview/try-rules.js';
import { previewChanges } from '../../rules/preview/preview-changes.js';
import type { RuleDeps } from '../../rules/rule.js';
import { table, type CommandContext } from '../shared/context.js';
import {
  BY_OPTION,
  printProblems,
  readChangeOptions,
  ruleCommand,
  describeRule,
  withChange,
  type RuleSelection,
} from './with-rules.js';
import { addHistory, addList } from './rules-listing.js';

export function addRulesCommands(redirects: Command, context: CommandContext): void {
  addList(redirects, context);
  addHistory(redirects, context);
  addAdd(redirects, context);
  addRemove(redirects, context);
  addUndo(redirects, context);
  addTry(redirects, context);
}

function addAdd(redirects: Command, context: CommandContext): void {
  ruleCommand<RuleSelection & { by: string }>(redirects, context, 'add', {
    description: 'add a rule: a redirect, a path that is gone for good, or a path to ignore',
    takes: (command) => withChange(command).option(...BY_OPTION),
    run: async ({ deps, projectId, options, say }) => {
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
      const isReplaced = was !== null && result.changed > 0;
      const replaced = isReplaced ? [replacedBy(0, change.path, was, now)] : [];
      for (const { reason } of replaced) context.stderr.write(`${reason}\n`);
      const named = replaced.map(({ path, before, after }) => ({ path, before, after }));
      say({ ...result, problems, ...(named.length > 0 ? { replaced: named } : {}) }, () =>
        result.change_id === null ? 'It was so before.' : `Change ${result.change_id} is made.`,
      );
    },
  });
}

interface RemoveOptions {
  from?: string;
  path?: string;
  learned?: boolean;
  all?: boolean;
  by: string;
}

function addRemove(redirects: Command, context: CommandContext): void {
  ruleCommand<RemoveOptions>(redirects, context, 'remove', {
    description: 'forget a rule, or with --learned what clicks taught, and what it showed about its section',
    takes: (command) =>
      command
        .option('--from <old path>', 'as `redirects list` shows it; a url is of its host')
        // The option had this name before there was `add --from`.
        .addOption(new Option('--path <old path>').hideHelp())
        .option('--learned', 'what clicks taught about this path, or question')
        .option('--all', 'with --learned: about all')
        .option(...BY_OPTION),
    run: async ({ deps, project, projectId, options, say }) => {
      const { learned = false, all = false } = options;
      const path = options.from ?? options.path;
      if (all ? !learned || path !== undefined : path === undefined)
        throw new OperatorError(
          'Give --from with the old path to forget, or --learned --all for all that clicks taught.',
        );
      const removed =
        learned || path === undefined
          ? { deleted: await eraseLearnedClicks(deps.db, onCommandLine(options.by), project, path) }
          : await removeRule(deps, projectId, path, options.by);
      if (!removed.deleted && path !== undefined)
        throw new OperatorError(
          learned
            ? `No click taught anything about ${path}; \`redirects list --learned\` shows all.`
            : `The project has no rule for ${path}; \`redirects list\` shows all.`,
        );
      const sections = await learnSectionRedirects(deps.tenants.of(projectId));
      const subject = learned ? 'What clicks taught about' : 'The rule of';
      say(
        { path: path ?? null, ...removed, section_redirects: sections },
        () => `${subject} ${path ?? 'every path'} is deleted.`,
      );
    },
  }).alias('delete');
}

async function removeRule(deps: RuleDeps, projectId: string, path: string, by: string) {
  const { change_id } = await changeRules(deps, projectId, [{ path, action: 'remove' }], onCommandLine(by));
  return { deleted: change_id !== null, change_id };
}

function addUndo(redirects: Command, context: CommandContext): void {
  ruleCommand<{ change: string; by: string }>(redirects, context, 'undo', {
    description: 'restore what a change replaced',
    takes: (command) => command.requiredOption('--change <id>', 'as `redirects history` shows it').option(...BY_OPTION),
    run: async ({ deps, projectId, options, say }) => {
      const result = await undoChange(deps, projectId, Number(options.change), onCommandLine(options.by));
      say(
        result,
        () => `Change ${options.change} is undone, by change ${String(result.change_id)}: ${result.changed} rules.`,
      );
    },
  });
}

/** The maximum number of rows of each table that `try` shows to people. */
const SHOWN = 20;

function addTry(redirects: Command, context: CommandContext): void {
  ruleCommand<RuleSelection & { days: string }>(redirects, context, 'try', {
    description: 'what the rules, or one more, would have answered of the stored 404s; changes nothing',
    takes: (command) => withChange(command).option('--days <n>', 'of how many last days', '30'),
    run: async ({ deps, projectId, options, say }) => {
      const days = Number(options.days);
      const isOne = options.from !== undefined || options.to !== undefined || options.gone || options.ignore;
      const changes = isOne ? [readChangeOptions(options)] : [];
      const { changes: previewed } = await previewChanges(deps, projectId, changes, days);
      const problems = previewed[0]?.problems ?? [];
      const tried = await tryRules(deps, projectId, { days, changes });
      printProblems(context, problems);
      say({ ...tried, problems }, () => inWords(tried));
    },
  });
}

function inWords({ stored, answered, rules, rows }: RuleTestResult): string {
  const ruleRows = rules
    .slice(0, SHOWN)
    .map((rule) => [String(rule.requests), String(rule.paths), rule.path, describeRule(rule)]);
  const pathRows = rows.slice(0, SHOWN).map((row) => [String(row.requests), row.path, row.to ?? 'gone', row.rule]);
  return [
    table([['404S', 'PATHS', 'RULE', 'LEADS TO'], ...ruleRows]),
    table([['404S', 'PATH', 'LEADS TO', 'RULE'], ...pathRows]),
    `${answered.requests} of ${stored.requests} 404s of the last ${stored.days} days are answered: ${answered.paths} of ${stored.paths} paths.`,
    ...(stored.cut ? ['There are more of them: the most frequent were looked at.'] : []),
  ].join('\n\n');
}
