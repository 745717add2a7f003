import type { Command } from 'commander';
import { listProposalRows } from '../../rules/store/rule-proposals.js';
import { onCommandLine } from '../../accounts/actor.js';
import { OperatorError } from '../../base/errors.js';
import { confirmProposals, rejectProposals, toProposal, type Proposal } from '../../rules/proposals/proposals.js';
import { proposeRules } from '../../rules/proposals/propose-rules.js';
import { print, type CommandContext } from '../shared/context.js';
import { LIMIT_HELP, printListing } from '../shared/listing.js';
import { BY_OPTION, withRules, type RuleCommand, type RuleOptions } from './with-rules.js';

/** All that there may be. */
const MAX_PROPOSALS = 1_000;

type Chosen = RuleOptions & { all?: boolean; by: string };

export function addProposalsCommands(redirects: Command, context: CommandContext): void {
  redirects
    .command('propose')
    .description('learn rules anew, for `redirects proposals`; each night this is done anyway')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((options: RuleOptions) =>
      withRules(context, options, async ({ deps, projectId }) => {
        const result = await proposeRules(deps, projectId);
        print(context, options, result, () => `${result.proposed} rules are proposed.`);
      }),
    );

  redirects
    .command('proposals')
    .description('rules that were learned and nobody has confirmed; those that would answer most first')
    .requiredOption('--project <id|name>')
    .option('--rejected', 'those that were rejected')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action((options: RuleOptions & { rejected?: boolean; limit?: string }) =>
      withRules(context, options, async ({ deps, projectId }) => {
        await printListing<Proposal>(context, {
          options,
          next: async (after, max) => {
            const place = after && { ...after, key: after.proposal_id, requests: after.answers.requests };
            return (await listProposalRows(deps.db, projectId, options.rejected ?? false, place, max)).map(toProposal);
          },
          head: ['404S', 'PATH', 'LEADS TO', 'SUPPORT', 'CONTRADICTIONS', 'LEARNED FROM'],
          cells: (one) => [
            String(one.answers.requests),
            one.path,
            one.target,
            String(one.support),
            String(one.contradictions),
            one.source,
          ],
        });
      }),
    );

  choosing(redirects.command('confirm'), 'make rules of proposals').action((paths: string[], options: Chosen) =>
    withRules(context, options, async (command) => {
      const ids = await readChosen(command, paths, options.all ?? false);
      const result = await confirmProposals(command.deps, command.projectId, ids, onCommandLine(options.by));
      print(context, options, result, () =>
        result.change_id === null ? 'It was so before.' : `Change ${result.change_id} makes ${result.changed} rules.`,
      );
    }),
  );

  choosing(redirects.command('reject'), 'never propose these again').action((paths: string[], options: Chosen) =>
    withRules(context, options, async (command) => {
      const ids = await readChosen(command, paths, options.all ?? false);
      const result = await rejectProposals(command.deps, command.projectId, ids, onCommandLine(options.by));
      print(context, options, result, () => `${result.rejected} rules will not be proposed again.`);
    }),
  );
}

function choosing(command: Command, description: string): Command {
  return command
    .description(description)
    .argument('[paths...]', 'as `redirects proposals` shows them')
    .requiredOption('--project <id|name>')
    .option('--all', 'all that are proposed')
    .option(...BY_OPTION)
    .option('--json', 'one JSON value on stdout');
}

/** @throws OperatorError */
async function readChosen({ deps, projectId }: RuleCommand, paths: readonly string[], all: boolean): Promise<string[]> {
  if (all === paths.length > 0) throw new OperatorError('Give paths of proposals, or --all.');
  const rows = await listProposalRows(deps.db, projectId, false, undefined, MAX_PROPOSALS);
  const unknown = paths.find((path) => !rows.some((row) => row.path === path));
  if (unknown !== undefined || rows.length === 0)
    throw new OperatorError(
      `${unknown === undefined ? 'Nothing is' : `${unknown} is not`} proposed; \`redirects proposals\` shows all.`,
    );
  return rows.filter(({ path }) => all || paths.includes(path)).map(({ key }) => key);
}
