import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { forgetDeletedPage } from '../pages/maintain-pages.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { countPagesByStatus, listPages, type ListedPage } from '../pages/store/page-counts.js';
import { OperatorError } from '../base/errors.js';
import { countOf, were } from '../text/count-of.js';
import { PAGE_STATUSES, type PageStatus } from '../base/glossary.js';
import { commandIndexChanges, waitUntilVisible } from '../projects/index-changes.js';
import { parsePageUrl } from '../text/page-url.js';
import { createPageCheck } from '../pages/check-page.js';
import { importPages } from '../pages/import-pages.js';
import { upsertPages } from '../pages/upsert-pages.js';
import { reindexAll } from '../pages/indexing/reindex.js';
import { requireProject, requireNotDeleted, withDatabase } from './shared/command-database.js';
import { print, type CommandContext } from './shared/context.js';
import { countLines } from './shared/count-lines.js';
import { OR_STDIN, withInputFile } from './shared/input-file.js';
import { LIMIT_HELP, printListing } from './shared/listing.js';
import { startProgress } from './shared/progress.js';
import { addSyncCommand } from './sync-command.js';
import { waitForIndex } from './shared/wait-for-index.js';

interface ImportOptions {
  project: string;
  wait?: boolean;
  json?: boolean;
}

export function addPagesCommands(program: Command, context: CommandContext): void {
  const pages = program.command('pages');

  pages
    .command('import')
    .description('upsert pages in bulk from a file of JSON lines: {url, title, content, metadata}')
    .argument('<file.jsonl>', OR_STDIN)
    .requiredOption('--project <id|name>')
    .option('--wait', 'until the running server has indexed them')
    .option('--json', 'one JSON value on stdout')
    .action((file: string, options: ImportOptions) =>
      withInputFile(file, context, (input) => importFile(context, input, options)),
    );

  addSyncCommand(pages, context);

  pages
    .command('list')
    .description('pages by id, with their status and whether visitors report them missing on the site')
    .requiredOption('--project <id|name>')
    .addOption(new Option('--status <status>').choices(PAGE_STATUSES))
    .option('--reported-missing', 'only pages that visitors report missing; pushing such a page clears it')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action(
      (options: { project: string; status?: PageStatus; reportedMissing?: boolean; limit?: string; json?: boolean }) =>
        withDatabase(context, async ({ db }) => {
          const { project_id } = await requireProject(db, options.project);
          await printListing<ListedPage>(context, {
            options,
            next: (after, max) => listPages(db, project_id, options, after, max),
            head: ['ID', 'STATUS', 'URL', ''],
            cells: (row) => [
              row.page_id,
              row.status,
              row.url,
              [reportedMissing(row), row.error ?? ''].filter(Boolean).join('; '),
            ],
          });
        }),
    );

  pages
    .command('forget')
    .description('erase what is remembered of a deleted page')
    .requiredOption('--project <id|name>')
    .requiredOption('--url <url>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; url: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const url = parsePageUrl(options.url);
        if (!url) throw new OperatorError('--url must be a full http or https url.');
        const { project_id } = await requireProject(db, options.project);
        const forgotten = await forgetDeletedPage(db, project_id, url.hash);
        if (!forgotten) throw new OperatorError(`Nothing is remembered of a deleted page ${url.href}.`);
        await waitUntilVisible();
        print(context, options, { url: url.href, forgotten }, () => `${url.href} is forgotten.`);
      }),
    );

  pages
    .command('reindex')
    .description('vectorize every page of a project again')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db, queue }) => {
        const project = await requireProject(db, options.project);
        const jobs = await queue();
        const queued = await inTransaction(db, (trx) => reindexAll(trx, jobs, project.project_id));
        print(
          context,
          options,
          { queued },
          () => `${countOf(queued, 'page')} queued; until then the old vectors are searched.`,
        );
      }),
    );
}

async function importFile(context: CommandContext, file: string, options: ImportOptions): Promise<void> {
  await withDatabase(context, async ({ db, tenants, config, alone, queue }) => {
    const project = await requireProject(db, options.project);
    if (options.wait && alone)
      throw new OperatorError('--wait needs a running server to wait for: start `serve` first.');
    const lines = await countLines(file);
    const deps = { queue: await queue(), clock: systemClock, indexChanges: commandIndexChanges };
    const progress = startProgress(context.stderr, 'Importing', lines);
    const report = await importPages(
      file,
      createPageCheck(config.limits),
      (batch) => upsertPages(deps, tenants.of(project.project_id), batch, 'bulk'),
      (done) => {
        progress.update(done);
      },
    );
    progress.end();
    await waitUntilVisible();
    for (const { line, reason } of report.bad.slice(0, 20)) context.stderr.write(`line ${line}: ${reason}\n`);
    if (report.overwritten > 0)
      context.stderr.write(
        `${report.overwritten} rows are not stored: a later row has their url, and of rows that share one the last counts.\n`,
      );
    if (options.wait) await waitForIndex(db, project.project_id, context);
    await requireNotDeleted(db, project);
    const counts = await countPagesByStatus(db, project.project_id);
    const value = { ...report, bad: report.bad.length, pages: counts };
    print(
      context,
      options,
      value,
      () =>
        `${countOf(report.created, 'page')} created, ${report.updated_content + report.updated_metadata} updated, ` +
        `${report.unchanged} unchanged, ${countOf(report.bad.length, 'row')} refused.\n` +
        `Indexed: ${countOf(counts.INDEXED, 'page')}; waiting for a running server: ${counts.PENDING_VECTORIZATION + counts.PROCESSING}.`,
    );
    if (report.bad.length > 0)
      throw new OperatorError(`${report.bad.length} of ${countOf(lines, 'row')} ${were(report.bad.length)} refused.`);
  });
}

function reportedMissing({ reported_missing_at, not_suggested_since }: ListedPage): string {
  return reported_missing_at === null
    ? ''
    : not_suggested_since === null
      ? 'reported missing'
      : 'reported missing, not suggested';
}
