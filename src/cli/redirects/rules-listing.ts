import { Option, type Command } from 'commander';
import { listLearnedClicks, type LearnedClick } from '../../rules/store/clicked-redirects.js';
import { listRuleChanges } from '../../rules/store/rule-history.js';
import { listRuleRows, RULE_STATUSES, type ListedRule, type RuleStatus } from '../../rules/store/rules.js';
import { RULE_ACTIONS, RULE_KINDS, type RuleAction, type RuleKind } from '../../base/glossary.js';
import { isConfirmed, MIN_QUESTION_CLICKS } from '../../rules/learned/clicked-page.js';
import { readChange, toChange, type Change } from '../../rules/list-rules.js';
import { sourceOf } from '../../rules/rule.js';
import { listedTermsOf, type ListedTerms } from '../../rules/rule-meaning.js';
import { checkStorable } from '../../base/validate.js';
import { table, type CommandContext, LIMIT_HELP, printListing } from '../shared/context.js';
import { projectCommand } from '../shared/project-command.js';
import { ruleCommand, describeRule } from './with-rules.js';
import { listSectionRedirects, type SectionRedirectRow } from '../../rules/store/section-redirects.js';

interface ListOptions {
  learned?: boolean;
  kind?: RuleKind;
  action?: RuleAction;
  search?: string;
  host?: string;
  status?: RuleStatus;
  limit?: string;
}

/** The maximum number of rules of a change that a list shows. */
const SHOWN_RULES = 3;

/** A rule as `redirects list` prints it. The names `url` and `imported_at` are those of the first release. */
type PrintedRule = Pick<
  ListedRule,
  'path' | 'active' | 'status' | 'kind' | 'action' | 'origin' | 'made_by' | 'hits' | 'last_hit_at'
> &
  ListedTerms & { id: string; url: string | null; imported_at: Date };

export function addList(redirects: Command, context: CommandContext): void {
  ruleCommand<ListOptions>(redirects, context, 'list', {
    description:
      'rules by old path: redirects with their pages, gone and ignored paths; who made each, and how often it answered',
    takes: (command) =>
      command
        .option(
          '--learned',
          'what clicks taught instead: of how many searches for a path, or question, this page was clicked',
        )
        .addOption(new Option('--kind <kind>', 'only these').choices(RULE_KINDS))
        .addOption(new Option('--action <action>', 'only these').choices(RULE_ACTIONS))
        .option('--search <text>', 'only those with this in their host, path or target')
        .option('--host <host>', "only those for this host; '': those for any")
        .addOption(new Option('--status <status>', 'only these, by their dates').choices(RULE_STATUSES))
        .option('--limit <n>', LIMIT_HELP),
    run: async ({ deps: { db }, projectId, options }) => {
      if (options.learned) {
        await printListing<Omit<LearnedClick, 'all_searches' | 'is_question'> & { confirmed: boolean }>(context, {
          options,
          next: async (after, max) =>
            (await listLearnedClicks(db, projectId, after, max, { questions: true })).map(
              ({ all_searches, is_question, ...click }) => ({
                ...click,
                // A page is confirmed by two searches for a path, three with a question, and more than half of all.
                confirmed: isConfirmed(click.searches, all_searches, is_question ? MIN_QUESTION_CLICKS : undefined),
              }),
            ),
          head: ['PATH OR QUESTION', 'PAGE', 'SEARCHES', ''],
          cells: (click) => [click.path, click.url, String(click.searches), click.confirmed ? 'confirmed' : ''],
        });
        return;
      }
      const { kind, action, search, host, status } = options;
      const filter = { kinds: kind && [kind], action, search, status, host };
      if (search !== undefined) checkStorable(search, 'search');
      await printListing<PrintedRule>(context, {
        options,
        next: async (after, max) =>
          (await listRuleRows(db, projectId, filter, after && { path: after.path, key: after.id }, max)).map(toPrinted),
        head: ['PATH', 'LEADS TO', 'HITS', 'LAST HIT', 'MADE BY', ''],
        cells: (rule) => [
          sourceOf(rule),
          describeRule({ ...rule, target: rule.url }),
          String(rule.hits),
          rule.last_hit_at?.toISOString().slice(0, 10) ?? '',
          rule.made_by ?? rule.origin,
          rule.status !== 'active' ? rule.status : rule.active ? '' : 'inactive: waits for its page',
        ],
      });
    },
  });
}

function toPrinted(rule: ListedRule): PrintedRule {
  const { key: id, path, target: url, made_at: imported_at, active, kind, action, status } = rule;
  const { origin, made_by, hits, last_hit_at } = rule;
  const terms = { ...listedTermsOf(rule), status };
  return { id, path, url, imported_at, active, kind, action, origin, made_by, hits, last_hit_at, ...terms };
}

export function addHistory(redirects: Command, context: CommandContext): void {
  ruleCommand<{ change?: string; limit?: string }>(redirects, context, 'history', {
    description: 'what people changed, the latest first',
    takes: (command) =>
      command.option('--change <id>', 'this one, with all of its rules').option('--limit <n>', LIMIT_HELP),
    run: async ({ deps, projectId, options, say }) => {
      if (options.change !== undefined) {
        const change = await readChange(deps, projectId, Number(options.change));
        say(change, () =>
          table([
            ['PATH', 'BEFORE', 'AFTER'],
            ...change.rules.map(({ path, before, after }) => [path, describeRule(before), describeRule(after)]),
          ]),
        );
        return;
      }
      await printListing<Change>(context, {
        options,
        next: async (after, max) =>
          (await listRuleChanges(deps.db, projectId, after?.change_id, max, SHOWN_RULES)).map(toChange),
        head: ['CHANGE', 'WHEN', 'BY', 'RULES', ''],
        cells: ({ change_id, changed_at, changed_by, rules, count, undone_by, undoes }) => [
          String(change_id),
          changed_at.toISOString().slice(0, 16),
          changed_by,
          `${rules.map(({ path, after }) => `${path} ${describeRule(after)}`).join('; ')}${count > rules.length ? ` and ${count - rules.length} more` : ''}`,
          undone_by !== null ? `undone by ${undone_by}` : undoes !== null ? `undoes ${undoes}` : '',
        ],
      });
    },
  });
}

export function addRedirectsSections(redirects: Command, context: CommandContext): void {
  projectCommand<{ limit?: string }>(redirects, context, 'sections', {
    description: 'moved sections that redirects and clicks show, surest first',
    takes: (command) => command.option('--limit <n>', LIMIT_HELP),
    run: async ({ db, options, projectId }) => {
      await printListing<SectionRedirectRow>(context, {
        options,
        next: (after, max) => listSectionRedirects(db, projectId, after, max),
        head: ['OLD', 'NEW', 'SUPPORT', 'CONTRADICTIONS', 'SHOWN BY'],
        cells: (section) => [
          `${section.old_prefix}/`,
          `${section.new_prefix}/`,
          String(section.support),
          String(section.contradictions),
          section.source === 'click' ? 'clicks' : 'redirects',
        ],
      });
    },
  });
}
