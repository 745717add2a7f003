import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { readWholePages } from '../pages/store/page-listing.js';
import { eraseDeletedPage, reindexAll } from '../pages/maintain-pages.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { countPagesByStatus, listPages, type ListedPage } from '../pages/store/page-counts.js';
import { OperatorError } from '../base/errors.js';
import { countOf, wasOrWere } from '../text/count-of.js';
import { PAGE_STATUSES, type PageStatus } from '../base/glossary.js';
import { commandIndexChanges, waitUntilVisible } from '../projects/index-changes.js';
import { parsePageUrl } from '../text/page-url.js';
import { createPageCheck } from '../pages/check-page.js';
import { importPages } from '../pages/import-pages.js';
import { upsertPages } from '../pages/upsert-pages.js';
import { requireNotDeleted } from './shared/command-database.js';
import { LIMIT_HELP, printListing, type CommandContext } from './shared/context.js';
import { projectCommand, type ProjectRun } from './shared/project-command.js';
import { countLines, OR_STDIN, withInputFile } from './shared/input-file.js';
import { startProgress, waitForIndex } from './shared/progress.js';
import { addSyncCommand } from './sync-command.js';

export function addPagesCommands(program: Command, context: CommandContext): void {
  const pages = program.command('pages');

  projectCommand<{ wait?: boolean }>(pages, context, 'import', {
    description: 'upsert pages in bulk from a file of JSON lines: {url, title, content, metadata}',
    takes: (command) =>
      command.argument('<file.jsonl>', OR_STDIN).option('--wait', 'until the running server has indexed them'),
    run: (run) => withInputFile(run.args[0] ?? '', context, (file) => importFile(run, file)),
  });

  addSyncCommand(pages, context);

  projectCommand<{ status?: PageStatus; reportedMissing?: boolean; limit?: string }>(pages, context, 'list', {
    description: 'pages by id, with their status and whether visitors report them missing on the site',
    takes: (command) =>
      command
        .addOption(new Option('--status <status>').choices(PAGE_STATUSES))
        .option('--reported-missing', 'only pages that visitors report missing; pushing such a page clears it')
        .option('--limit <n>', LIMIT_HELP),
    run: async ({ db, options, projectId }) => {
      await printListing<ListedPage>(context, {
        options,
        next: (after, max) => listPages(db, projectId, options, after, max),
        head: ['ID', 'STATUS', 'URL', ''],
        cells: (row) => [
          row.page_id,
          row.status,
          row.url,
          [reportedMissing(row), row.error ?? ''].filter(Boolean).join('; '),
        ],
      });
    },
  });

  projectCommand<{ out?: string }>(pages, context, 'export', {
    description: 'write all pages as JSON lines, which `pages import` reads: {url, title, content, metadata}',
    takes: (command) => command.option('--out <file>', 'else on stdout'),
    run: async ({ db, options: { out, json }, projectId, say }) => {
      if (json && out === undefined) throw new OperatorError('--json needs --out FILE: the pages are written there.');
      let pages = 0;
      const lines = async function* (): AsyncGenerator<string> {
        for await (const page of readWholePages(db, projectId)) {
          pages++;
          yield `${JSON.stringify(page)}\n`;
        }
      };
      if (out === undefined) return pipeline(lines, context.stdout, { end: false });
      const file = await open(out, 'w').catch((error: unknown) => {
        throw new OperatorError(`${out} cannot be written.`, { cause: error });
      });
      await pipeline(lines, file.createWriteStream());
      say({ pages, out }, () => `${countOf(pages, 'page')} written to ${out}.`);
    },
  });

  projectCommand<{ url: string }>(pages, context, 'forget', {
    description: 'erase what is remembered of a deleted page',
    takes: (command) => command.requiredOption('--url <url>'),
    run: async ({ db, options, projectId, say }) => {
      const url = parsePageUrl(options.url);
      if (!url) throw new OperatorError('--url must be a full http or https url.');
      const forgotten = await eraseDeletedPage(db, projectId, url.hash);
      if (!forgotten) throw new OperatorError(`Nothing is remembered of a deleted page ${url.href}.`);
      await waitUntilVisible();
      say({ url: url.href, forgotten }, () => `${url.href} is forgotten.`);
    },
  });

  projectCommand(pages, context, 'reindex', {
    description: 'vectorize every page of a project again',
    run: async ({ db, queue, project, say }) => {
      const jobs = await queue();
      const queued = await inTransaction(db, (trx) => reindexAll(trx, jobs, project.project_id));
      say({ queued }, () => `${countOf(queued, 'page')} queued; until then the old vectors are searched.`);
    },
  });
}

async function importFile(
  { context, db, tenants, alone, queue, project, projectId, options, say }: ProjectRun<{ wait?: boolean }>,
  file: string,
): Promise<void> {
  if (options.wait && alone) throw new OperatorError('--wait needs a running server to wait for: start `serve` first.');
  const lines = await countLines(file);
  const deps = { queue: await queue(), clock: systemClock, indexChanges: commandIndexChanges };
  const progress = startProgress(context.stderr, 'Importing', lines);
  const report = await importPages(
    file,
    createPageCheck(),
    (batch) => upsertPages(deps, tenants.of(projectId), batch, 'bulk'),
    (done) => progress.update(done),
  );
  progress.end();
  await waitUntilVisible();
  for (const { line, reason } of report.bad.slice(0, 20)) context.stderr.write(`line ${line}: ${reason}\n`);
  if (report.overwritten > 0)
    context.stderr.write(
      `${report.overwritten} rows are not stored: a later row has their url, and of rows that share one the last counts.\n`,
    );
  if (options.wait) await waitForIndex(db, projectId, context);
  await requireNotDeleted(db, project);
  const counts = await countPagesByStatus(db, projectId);
  const value = { ...report, bad: report.bad.length, pages: counts };
  say(
    value,
    () =>
      `${countOf(report.created, 'page')} created, ${report.updated_content + report.updated_metadata} updated, ` +
      `${report.unchanged} unchanged, ${countOf(report.bad.length, 'row')} refused.\n` +
      `Indexed: ${countOf(counts.INDEXED, 'page')}; waiting for a running server: ${counts.PENDING_VECTORIZATION + counts.PROCESSING}.`,
  );
  if (report.bad.length > 0)
    throw new OperatorError(
      `${report.bad.length} of ${countOf(lines, 'row')} ${wasOrWere(report.bad.length)} refused.`,
    );
}

function reportedMissing({ reported_missing_at, not_suggested_since }: ListedPage): string {
  if (reported_missing_at === null) return '';
  return not_suggested_since === null ? 'reported missing' : 'reported missing, not suggested';
}
