import type { Command } from 'commander';
import { listProposalRows } from '../../rules/store/rule-proposals.js';
import { onCommandLine } from '../../accounts/actor.js';
import { OperatorError } from '../../base/errors.js';
import { confirmProposals, rejectProposals, toProposal, type Proposal } from '../../rules/proposals/proposals.js';
import { proposeRules } from '../../rules/proposals/propose-rules-job.js';
import { type CommandContext, LIMIT_HELP, printListing } from '../shared/context.js';
import { BY_OPTION, ruleCommand, type RuleRun } from './with-rules.js';

/** The maximum number of proposals that a project may have. */
const MAX_PROPOSALS = 1_000;

interface Chosen {
  all?: boolean;
  by: string;
}

export function addProposalsCommands(redirects: Command, context: CommandContext): void {
  ruleCommand(redirects, context, 'propose', {
    description: 'learn rules anew, for `redirects proposals`; each night this is done anyway',
    run: async ({ deps, projectId, say }) => {
      const result = await proposeRules(deps, projectId);
      say(result, () => `${result.proposed} rules are proposed.`);
    },
  });

  ruleCommand<{ rejected?: boolean; limit?: string }>(redirects, context, 'proposals', {
    description: 'rules that were learned and nobody has confirmed; those that would answer most first',
    takes: (command) => command.option('--rejected', 'those that were rejected').option('--limit <n>', LIMIT_HELP),
    run: async ({ deps, projectId, options }) => {
      await printListing<Proposal>(context, {
        options,
        next: async (after, max) => {
          const place = after && { ...after, key: after.proposal_id, requests: after.answers.requests };
          return (await listProposalRows(deps.db, projectId, options.rejected ?? false, place, max)).map(toProposal);
        },
        head: ['404S', 'PATH', 'LEADS TO', 'SUPPORT', 'CONTRADICTIONS', 'CLICKED NONE', 'LEARNED FROM', 'ALSO TAKES'],
        cells: (proposal) => [
          String(proposal.answers.requests),
          proposal.path,
          proposal.target,
          String(proposal.support),
          String(proposal.contradictions),
          proposal.evidence.map(({ shown, unclicked }) => (shown ? `${unclicked} of ${shown}` : '')).join(''),
          proposal.source,
          describeTaken(proposal),
        ],
      });
    },
  });

  ruleCommand<Chosen>(redirects, context, 'confirm', {
    description: 'make rules of proposals',
    takes: choosing,
    run: async (run) => {
      const ids = await readChosen(run);
      const result = await confirmProposals(run.deps, run.projectId, ids, onCommandLine(run.options.by));
      run.say(result, () =>
        result.change_id === null ? 'It was so before.' : `Change ${result.change_id} makes ${result.changed} rules.`,
      );
    },
  });

  ruleCommand<Chosen>(redirects, context, 'reject', {
    description: 'never propose these again',
    takes: choosing,
    run: async (run) => {
      const ids = await readChosen(run);
      const result = await rejectProposals(run.deps, run.projectId, ids, onCommandLine(run.options.by));
      run.say(result, () => `${result.rejected} rules will not be proposed again.`);
    },
  });
}

/** Names the paths that a rule would take: `/old/c, /old/d and 3 more; no page for: /old/e`. */
function describeTaken({ answers: { paths, examples }, missing }: Proposal): string {
  const more = paths - examples.length;
  const answered = examples.map(({ path }) => path).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const lost = missing.length === 0 ? '' : `no page for: ${missing.map(({ path }) => path).join(', ')}`;
  return [answered, lost].filter((part) => part !== '').join('; ');
}

function choosing(command: Command): Command {
  return command
    .argument('[paths...]', 'as `redirects proposals` shows them')
    .option('--all', 'all that are proposed')
    .option(...BY_OPTION);
}

/** @throws OperatorError */
async function readChosen({ deps, projectId, args: paths, options }: RuleRun<Chosen>): Promise<string[]> {
  const { all = false } = options;
  if (all === paths.length > 0) throw new OperatorError('Give paths of proposals, or --all.');
  const rows = await listProposalRows(deps.db, projectId, false, undefined, MAX_PROPOSALS);
  const unknown = paths.find((path) => !rows.some((row) => row.path === path));
  if (unknown !== undefined || rows.length === 0)
    throw new OperatorError(
      `${unknown === undefined ? 'Nothing is' : `${unknown} is not`} proposed; \`redirects proposals\` shows all.`,
    );
  return rows.filter(({ path }) => all || paths.includes(path)).map(({ key }) => key);
}
