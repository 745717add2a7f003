import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { countPagesByStatus } from '../pages/store/page-counts.js';
import { OperatorError } from '../base/errors.js';
import { countOf, wasOrWere } from '../text/count-of.js';
import { commandIndexChanges, waitUntilVisible } from '../projects/index-changes.js';
import { packageVersion } from '../base/package-root.js';
import { readFilter, type SourceCommandOptions } from './projects/project-source-options.js';
import { createPageCheck } from '../pages/check-page.js';
import { LeftOut, isWeb, SOURCE_FORMATS, type SourceFormat } from '../sources/source.js';
import type { SyncResult } from '../sync/sync-pages.js';
import type { SyncReport } from '../sync/sync-run.js';
import { StoredValidators } from '../sync/stored-validators.js';
import { requireNotDeleted } from './shared/command-database.js';
import type { CommandContext } from './shared/context.js';
import { projectCommand, type ProjectRun } from './shared/project-command.js';
import { startProgress, waitForIndex } from './shared/progress.js';

interface SyncCommandOptions extends Omit<SourceCommandOptions, 'source' | 'every'> {
  crawl?: boolean;
  allow?: string[];
  format?: SourceFormat;
  force?: boolean;
  dryRun?: boolean;
  wait?: boolean;
}

export function addSyncCommand(pages: Command, context: CommandContext): void {
  projectCommand<SyncCommandOptions>(pages, context, 'sync', {
    description: "make a project's pages equal to those of a site: what is new or changed is pushed, the rest is left",
    takes: (command) =>
      command
        .argument(
          '<source>',
          'a file of JSON lines, CSV or WXR, - for stdin, a folder that a site generator built, or the url of a site or its sitemap',
        )
        .option('--base <url>', "the url of the site's root, for a folder and for relative urls")
        .addOption(new Option('--format <format>', 'of the source, where it is not seen').choices(SOURCE_FORMATS))
        .option('--crawl', 'follow the links of the site, from the url on')
        .option('--allow <origin...>', "ask these, too; without it, nobody but the url's own scheme, host and port")
        .option('--exclude <pattern...>', 'leave these paths out: /tags/* or *?print=*, with * for any text')
        .option('--include <pattern...>', 'read these paths alone')
        .option('--prune', 'delete pages that the source does not have; at most a fifth of the project')
        .option('--force', 'delete more than that, and what an earlier run held back')
        .option('--dry-run', 'change nothing, and print the same counts')
        .option('--wait', 'until the running server has indexed all'),
    run: sync,
  });
}

async function sync(run: ProjectRun<SyncCommandOptions>): Promise<void> {
  const { context, db, tenants, config, alone, queue, logger, project, projectId, options, say } = run;
  const [source = ''] = run.args;
  const leftOut = new LeftOut();
  if (options.wait && alone) throw new OperatorError('--wait needs a running server to wait for: start `serve` first.');
  const tenant = tenants.of(projectId);
  // These are loaded only here: readers of HTML and XML take a fifth of a second to load.
  const { openSource } = await import('../sources/open-source.js');
  const { syncPages } = await import('../sync/sync-pages.js');
  const { changeAlerts } = await import('../watch/send-alerts.js');
  const { recordRun } = await import('../sync/record-run.js');
  const { storeBrokenLinks } = await import('../sync/broken-links.js');
  const { LinkLog } = await import('../sources/web/link-log.js');
  const onWait = () => context.stderr.write('Another sync of this project runs: this one waits for its end.\n');
  const recorded = await recordRun({ db, clock: systemClock, isAlone: alone, onWait }, projectId, source, options);
  const orFail = async (error: unknown): Promise<never> => {
    // The failure may be that of the database, which then cannot record it.
    await recorded.fail(error).catch(() => undefined);
    throw error;
  };
  const links = options.crawl ? new LinkLog() : undefined;
  const validators = isWeb(source) ? new StoredValidators(tenant) : undefined;
  const items = await openSource({
    ...options,
    source,
    filter: readFilter(options),
    leftOut,
    stdin: context.stdin,
    web: { userAgent: `pathmend/${packageVersion()}`, logger, known: validators, links },
  }).catch(orFail);
  const stored = await countPagesByStatus(db, projectId);
  const progress = startProgress(context.stderr, 'Syncing  ', sumOf(stored));
  const deps = {
    queue: await queue(),
    clock: systemClock,
    indexChanges: commandIndexChanges,
    tombstones: config.tombstones,
    check: createPageCheck(),
    validators,
    onProgress: (done: number, report: SyncReport): void => {
      progress.update(done);
      recorded.progress(report);
    },
    signal: recorded.signal,
  };
  const result = await syncPages(deps, tenant, items, options).catch(orFail);
  progress.end();
  const broken = links?.list();
  if (broken && !options.dryRun) await storeBrokenLinks(db, projectId, broken, new Date(systemClock.now()));
  await recorded.end(result, leftOut.counts());
  await waitUntilVisible();
  for (const { where, reason } of result.refusals) context.stderr.write(`${where}: ${reason}\n`);
  for (const line of leftOut.lines(isWeb(source) ? 'urls' : 'files')) context.stderr.write(`${line}\n`);
  if (broken && broken.length > 0)
    context.stderr.write(
      `${countOf(broken.length, 'broken link')}: GET /v1/links, or Analytics of the console, names the pages.\n`,
    );
  if (options.wait) await waitForIndex(db, projectId, context);
  await requireNotDeleted(db, project);
  if (options.prune && !options.dryRun) {
    const { report, notPruned: reason } = result;
    const facts = reason === undefined ? [] : [{ key: '', cause: { gone: report.gone, pages: sumOf(stored), reason } }];
    await changeAlerts({ ...deps, db }, projectId, 'refused_prune', facts);
  }
  const left = leftOut.list();
  say({ ...result.report, ...(left.length > 0 && { left_out: left }) }, () => summaryOf(result, options));
  failIfIncomplete(result, isWeb(source));
}

function sumOf(stored: Record<string, number>): number {
  return Object.values(stored).reduce((sum, pages) => sum + pages, 0);
}

function summaryOf({ report, notPruned }: SyncResult, { prune, dryRun }: SyncCommandOptions): string {
  const gone = prune && notPruned === undefined ? 'deleted' : 'gone from the source and kept';
  return (
    `${dryRun ? 'Nothing was changed. It would be: ' : ''}${countOf(report.created, 'page')} created, ` +
    `${report.updated_content + report.updated_metadata} updated, ${report.unchanged} unchanged, ` +
    `${report.gone} ${gone}, ${report.refused} refused; ${report.redirects} redirects.` +
    (report.gone > 0 && !prune ? '\n--prune deletes the pages that the source does not have.' : '')
  );
}

/** Fails an incomplete sync. A site always has pages that are refused: it fails if none was read, a file if any was. */
function failIfIncomplete({ report, refusedPages, notPruned }: SyncResult, web: boolean): void {
  const { created, updated_content, updated_metadata, unchanged } = report;
  const named = created + updated_content + updated_metadata + unchanged;
  if (notPruned !== undefined) throw new OperatorError(`Nothing was deleted: ${notPruned}`);
  if (refusedPages > 0 && (!web || named === 0))
    throw new OperatorError(`${countOf(refusedPages, 'page')} ${wasOrWere(refusedPages)} refused.`);
  if (web && named === 0) throw new OperatorError('The site has no pages that can be read.');
}
