import { Option, type Command } from 'commander';
import { systemClock } from '../clock.js';
import { countPagesByStatus } from '../database/queries/page-status.js';
import { OperatorError } from '../errors.js';
import { commandIndexChanges, waitUntilVisible } from '../keys/index-changes.js';
import { createPageCheck } from '../pages/check-page.js';
import { openSource, SOURCE_FORMATS, type SourceFormat } from '../sources/open-source.js';
import { syncPages, type SyncResult } from '../sync/sync-pages.js';
import { print, requireNotDeleted, requireProject, withDatabase, type CommandContext } from './context.js';
import { startProgress } from './progress.js';
import { waitForIndex } from './wait-for-index.js';

interface SyncCommandOptions {
  project: string;
  base?: string;
  format?: SourceFormat;
  prune?: boolean;
  force?: boolean;
  dryRun?: boolean;
  wait?: boolean;
  json?: boolean;
}

export function addSyncCommand(pages: Command, context: CommandContext): void {
  pages
    .command('sync')
    .description("make a project's pages equal to those of a site: what is new or changed is pushed, the rest is left")
    .argument('<source>', 'a file of JSON lines, CSV or WXR, - for stdin, or the folder of a site')
    .requiredOption('--project <id|name>')
    .option('--base <url>', "the url of the site's root, where the source does not say it")
    .addOption(new Option('--format <format>', 'of the source, where it is not seen').choices(SOURCE_FORMATS))
    .option('--prune', 'delete pages that the source does not have; at most a fifth of the project')
    .option('--force', 'delete more than that')
    .option('--dry-run', 'change nothing, and print the same counts')
    .option('--wait', 'until the running server has indexed all')
    .option('--json', 'one JSON value on stdout')
    .action((source: string, options: SyncCommandOptions) => sync(context, source, options));
}

async function sync(context: CommandContext, source: string, options: SyncCommandOptions): Promise<void> {
  await withDatabase(context, async ({ db, tenants, config, alone, queue }) => {
    const project = await requireProject(db, options.project);
    if (options.wait && alone)
      throw new OperatorError('--wait needs a running server to wait for: start `serve` first.');
    const items = await openSource({ ...options, source, stdin: context.stdin, now: systemClock.now() });
    const stored = await countPagesByStatus(db, project.project_id);
    const progress = startProgress(
      context.stderr,
      'Syncing  ',
      Object.values(stored).reduce((sum, pages) => sum + pages, 0),
    );
    const deps = {
      queue: await queue(),
      clock: systemClock,
      indexChanges: commandIndexChanges,
      tombstones: config.tombstones,
      check: createPageCheck(config.limits),
      maxContentCharacters: config.limits.contentCharacters,
      onProgress: (done: number): void => {
        progress.update(done);
      },
    };
    const result = await syncPages(deps, tenants.of(project.project_id), items, options);
    progress.end();
    await waitUntilVisible();
    for (const { where, reason } of result.refusals) context.stderr.write(`${where}: ${reason}\n`);
    if (options.wait) await waitForIndex(db, project.project_id, context);
    await requireNotDeleted(db, project);
    print(context, options, result.report, () => summaryOf(result, options));
    failIfIncomplete(result);
  });
}

function summaryOf({ report, notPruned }: SyncResult, { prune, dryRun }: SyncCommandOptions): string {
  const gone = prune && notPruned === undefined ? 'deleted' : 'gone from the source and kept';
  return (
    `${dryRun ? 'Nothing was changed. It would be: ' : ''}${report.created} pages created, ` +
    `${report.updated_content + report.updated_metadata} updated, ${report.unchanged} unchanged, ` +
    `${report.gone} ${gone}, ${report.refused} refused; ${report.redirects} redirects.` +
    (report.gone > 0 && !prune ? '\n--prune deletes the pages that the source does not have.' : '')
  );
}

function failIfIncomplete({ report, notPruned }: SyncResult): void {
  if (notPruned !== undefined)
    throw new OperatorError(`Nothing was deleted: ${notPruned}. --force deletes them all the same.`);
  if (report.refused > 0) throw new OperatorError(`${report.refused} of the source were refused.`);
}
