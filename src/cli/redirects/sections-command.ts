import type { Command } from 'commander';
import { listSectionMoves, type SectionMoveRow } from '../../rules/store/section-moves.js';
import { requireProject, withDatabase } from '../shared/command-database.js';
import type { CommandContext } from '../shared/context.js';
import { LIMIT_HELP, printListing } from '../shared/listing.js';

export function addRedirectsSections(redirects: Command, context: CommandContext): void {
  redirects
    .command('sections')
    .description('moved sections that redirects and clicks show, surest first')
    .requiredOption('--project <id|name>')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; limit?: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const { project_id } = await requireProject(db, options.project);
        await printListing<SectionMoveRow>(context, {
          options,
          next: (after, max) => listSectionMoves(db, project_id, after, max),
          head: ['OLD', 'NEW', 'SUPPORT', 'CONTRADICTIONS', 'SHOWN BY'],
          cells: (one) => [
            `${one.old_prefix}/`,
            `${one.new_prefix}/`,
            String(one.support),
            String(one.contradictions),
            one.source === 'click' ? 'clicks' : 'redirects',
          ],
        });
      }),
    );
}
