import { Option, type Command } from 'commander';
import { listLearnedClicks, type LearnedClick } from '../../rules/store/clicked-moves.js';
import { listRuleChanges } from '../../rules/store/rule-changes.js';
import { listRuleRows, type ListedRule } from '../../rules/store/rules.js';
import { RULE_ACTIONS, RULE_KINDS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { isConfirmed } from '../../rules/learned/clicked-page.js';
import { readChange, toChange, type Change, type Said } from '../../rules/list-rules.js';
import type { RuleState } from '../../rules/rule-states.js';
import { checkStorable } from '../../base/validate.js';
import { print, table, type CommandContext } from '../shared/context.js';
import { LIMIT_HELP, printListing } from '../shared/listing.js';
import { withRules, type RuleOptions } from './with-rules.js';

interface ListOptions extends RuleOptions {
  learned?: boolean;
  kind?: RuleKind;
  action?: RuleAction;
  search?: string;
  limit?: string;
}

/** Rules of a change that a list shows. */
const SHOWN_RULES = 3;

export function addRulesListing(redirects: Command, context: CommandContext): void {
  addList(redirects, context);
  addHistory(redirects, context);
}

/** As `redirects list` prints it: with `url` and `imported_at`, as from the first release on. */
type PrintedRule = Pick<
  ListedRule,
  'path' | 'active' | 'kind' | 'action' | 'origin' | 'made_by' | 'hits' | 'last_hit_at'
> & {
  url: string | null;
  imported_at: Date;
};

function addList(redirects: Command, context: CommandContext): void {
  redirects
    .command('list')
    .description(
      'rules by old path: redirects with their pages, gone and ignored paths; who made each, and how often it answered',
    )
    .requiredOption('--project <id|name>')
    .option('--learned', 'what clicks taught instead: of how many searches for a path this page was clicked')
    .addOption(new Option('--kind <kind>', 'only these').choices(RULE_KINDS))
    .addOption(new Option('--action <action>', 'only these').choices(RULE_ACTIONS))
    .option('--search <text>', 'only those with this in their path or target')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action((options: ListOptions) =>
      withRules(context, options, async ({ deps: { db }, projectId }) => {
        if (options.learned) {
          await printListing<Omit<LearnedClick, 'all_searches'> & { confirmed: boolean }>(context, {
            options,
            next: async (after, max) =>
              (await listLearnedClicks(db, projectId, after, max)).map(({ all_searches, ...one }) => ({
                ...one,
                // At least two searches, and more than half of all.
                confirmed: isConfirmed(one.searches, all_searches),
              })),
            head: ['PATH', 'PAGE', 'SEARCHES', ''],
            cells: (one) => [one.path, one.url, String(one.searches), one.confirmed ? 'confirmed' : ''],
          });
          return;
        }
        const { kind, action, search } = options;
        if (search !== undefined) checkStorable(search, 'search');
        await printListing<PrintedRule>(context, {
          options,
          next: async (after, max) =>
            (await listRuleRows(db, projectId, { kinds: kind && [kind], action, search }, after?.path, max)).map(
              toPrinted,
            ),
          head: ['PATH', 'LEADS TO', 'HITS', 'LAST HIT', 'MADE BY', ''],
          cells: (one) => [
            one.path,
            saidInWords({ ...one, target: one.url }),
            String(one.hits),
            one.last_hit_at?.toISOString().slice(0, 10) ?? '',
            one.made_by ?? one.origin,
            one.active ? '' : 'inactive: waits for its page',
          ],
        });
      }),
    );
}

function toPrinted(rule: ListedRule): PrintedRule {
  const { path, kind, action, target, active, origin, made_by, made_at, hits, last_hit_at } = rule;
  return { path, url: target, imported_at: made_at, active, kind, action, origin, made_by, hits, last_hit_at };
}

function addHistory(redirects: Command, context: CommandContext): void {
  redirects
    .command('history')
    .description('what people changed, the latest first')
    .requiredOption('--project <id|name>')
    .option('--change <id>', 'this one, with all of its rules')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action((options: RuleOptions & { change?: string; limit?: string }) =>
      withRules(context, options, async ({ deps, projectId }) => {
        if (options.change !== undefined) {
          const change = await readChange(deps, projectId, Number(options.change));
          print(context, options, change, () =>
            table([
              ['PATH', 'BEFORE', 'AFTER'],
              ...change.rules.map(({ path, before, after }) => [path, saidInWords(before), saidInWords(after)]),
            ]),
          );
          return;
        }
        await printListing<Change>(context, {
          options,
          next: async (after, max) =>
            (await listRuleChanges<RuleState>(deps.db, projectId, after?.change_id, max, SHOWN_RULES)).map(toChange),
          head: ['CHANGE', 'WHEN', 'BY', 'RULES', ''],
          cells: (one) => [
            String(one.change_id),
            one.changed_at.toISOString().slice(0, 16),
            one.changed_by,
            `${one.rules.map(({ path, after }) => `${path} ${saidInWords(after)}`).join('; ')}${one.count > one.rules.length ? ` and ${one.count - one.rules.length} more` : ''}`,
            one.undone_by !== null ? `undone by ${one.undone_by}` : one.undoes !== null ? `undoes ${one.undoes}` : '',
          ],
        });
      }),
    );
}

export function saidInWords(said: Said): string {
  if (said === null) return 'no rule';
  return said.action === 'redirect' ? (said.target ?? '') : said.action === 'gone' ? 'gone' : 'ignored';
}
