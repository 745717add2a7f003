import { Option, type Command } from 'commander';
import { systemClock } from '../clock.js';
import { inTransaction } from '../database/session/connect.js';
import { bumpIndexVersion } from '../database/queries/index-version.js';
import { deleteLearnedClicks, listLearnedClicks, type LearnedClick } from '../database/queries/clicked-moves.js';
import { lockMoves } from '../database/queries/moves.js';
import { deleteRedirect, listRedirects, type ListedRedirect } from '../database/queries/redirect-rows.js';
import { deleteWildcard } from '../database/queries/wildcard-redirects.js';
import { listSectionMoves, type SectionMoveRow } from '../database/queries/section-moves.js';
import { OperatorError } from '../errors.js';
import { waitUntilVisible } from '../keys/index-changes.js';
import { isConfirmed } from '../moves/clicked-page.js';
import { importRedirects, type ReportedLine } from '../moves/import-redirects.js';
import { REDIRECT_FORMATS, type RedirectFormat } from '../moves/redirect-files/redirect-file.js';
import { learnSectionMoves } from '../moves/learn-moves.js';
import { hashPlainPath, joinSegments, pathKey, plainPath } from '../text/paths/plain-path.js';
import { MIN_NEW_REDIRECTS } from '../database/queries/own-weights.js';
import { fitOwnWeights } from '../search/own-weights/fit-own-weights.js';
import { print, requireProject, requireNotDeleted, withDatabase, type CommandContext } from './context.js';
import { countLines } from './count-lines.js';
import { LIMIT_HELP, printListing } from './listing.js';
import { startProgress } from './progress.js';
import { addRedirectsCheck } from './redirects-check.js';
import { addRedirectsExport } from './redirects-export.js';
import { addRedirectsMap } from './redirects-map.js';
import { addRedirectsVerify } from './redirects-verify.js';

/** Max refused lines of a kind that are printed. */
const MAX_PRINTED_LINES = 20;

export function addRedirectsCommands(program: Command, context: CommandContext): void {
  const redirects = program.command('redirects').description('old paths whose pages are known');

  redirects
    .command('import')
    .description(
      'learn from a file of redirects: JSON lines {path, expected}, `/old /new [301]`, CSV, TSV, rules of web servers',
    )
    .argument('<file>')
    .requiredOption('--project <id|name>')
    .addOption(
      new Option('--format <format>', "else by the file's name and what it looks like").choices(REDIRECT_FORMATS),
    )
    .option('--json', 'one JSON value on stdout')
    .action((file: string, options: { project: string; format?: RedirectFormat; json?: boolean }) =>
      withDatabase(context, async ({ db, tenants, queue }) => {
        const project = await requireProject(db, options.project);
        const lines = await countLines(file);
        const progress = startProgress(context.stderr, 'Importing', lines);
        const onProgress = (done: number): void => {
          progress.update(done);
        };
        const deps = { db, clock: systemClock };
        const report = await importRedirects(deps, project.project_id, file, onProgress, options.format);
        progress.end();
        const sections = await learnSectionMoves(tenants.of(project.project_id));
        // Fewer are left to the hourly look.
        if (report.created + report.updated >= MIN_NEW_REDIRECTS)
          await (await queue()).enqueueNow(fitOwnWeights, [{ projectId: project.project_id }]);
        await waitUntilVisible();
        await requireNotDeleted(db, project);
        printLines(context, report.bad);
        printLines(context, report.without_page);
        if (report.review > 0) context.stderr.write(`${report.review} rows marked review are not stored.\n`);
        const value = {
          ...report,
          without_page: report.without_page.length,
          bad: report.bad.length,
          section_moves: sections,
        };
        print(
          context,
          options,
          value,
          () =>
            `${value.created} redirects stored, ${value.updated} updated, ${value.unchanged} unchanged, ` +
            `${value.without_page} wait for their page, ${value.gone} gone for good, ${value.bad} lines refused.\nThe project's moves show ${sections} moved sections.`,
        );
        if (value.bad > 0) throw new OperatorError(`${value.bad} of ${lines} lines were refused.`);
      }),
    );

  addRedirectsExport(redirects, context);
  addRedirectsMap(redirects, context);
  addRedirectsVerify(redirects, context);
  addRedirectsCheck(redirects, context);

  redirects
    .command('list')
    .description(
      'redirects by old path with the pages that they lead to; those whose page is missing or not indexed wait for it',
    )
    .requiredOption('--project <id|name>')
    .option('--learned', 'what clicks taught instead: of how many searches for a path this page was clicked')
    .option('--limit <n>', LIMIT_HELP)
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; learned?: boolean; limit?: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const { project_id } = await requireProject(db, options.project);
        if (options.learned) {
          await printListing<Omit<LearnedClick, 'all_searches'> & { confirmed: boolean }>(context, {
            options,
            next: async (after, max) =>
              (await listLearnedClicks(db, project_id, after, max)).map(({ all_searches, ...one }) => ({
                ...one,
                // At least two searches, and more than half of all.
                confirmed: isConfirmed(one.searches, all_searches),
              })),
            head: ['PATH', 'PAGE', 'SEARCHES', ''],
            cells: (one) => [one.path, one.url, String(one.searches), one.confirmed ? 'confirmed' : ''],
          });
          return;
        }
        await printListing<ListedRedirect>(context, {
          options,
          next: (after, max) => listRedirects(db, project_id, after, max),
          head: ['PATH', 'PAGE', ''],
          cells: (one) => [one.path, one.url ?? 'gone', one.active ? '' : 'inactive: waits for its page'],
        });
      }),
    );

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
          head: ['OLD', 'NEW', 'SUPPORT', 'CONTRADICTIONS', 'CONFIDENCE', 'SHOWN BY'],
          cells: (one) => [
            `${one.old_prefix}/`,
            `${one.new_prefix}/`,
            String(one.support),
            String(one.contradictions),
            one.confidence.toFixed(2),
            one.source === 'click' ? 'clicks' : 'redirects',
          ],
        });
      }),
    );

  redirects
    .command('delete')
    .description('forget a redirect, or with --learned what clicks taught, and what it showed about its section')
    .requiredOption('--project <id|name>')
    .option('--path <old path>')
    .option('--learned', 'what clicks taught about this path')
    .option('--all', 'with --learned: about every path')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; path?: string; learned?: boolean; all?: boolean; json?: boolean }) =>
      withDatabase(context, async ({ db, tenants }) => {
        const { path, learned = false, all = false } = options;
        if (all ? !learned || path !== undefined : path === undefined) {
          throw new OperatorError(
            'Give --path with the old path to forget, or --learned --all for all that clicks taught.',
          );
        }
        const { project_id } = await requireProject(db, options.project);
        const key =
          path === undefined
            ? undefined
            : learned
              ? hashPlainPath(joinSegments(plainPath(path).segments))
              : pathKey(path);
        const deleted = await inTransaction(db, async (trx) => {
          await lockMoves(trx, project_id);
          const found =
            learned || key === undefined
              ? (await deleteLearnedClicks(trx, project_id, key)) > 0
              : path?.endsWith('/*')
                ? await deleteWildcard(trx, project_id, joinSegments(plainPath(path.slice(0, -1)).segments))
                : await deleteRedirect(trx, project_id, key);
          if (found) await bumpIndexVersion(trx, project_id);
          return found;
        });
        if (!deleted && learned && !all)
          throw new OperatorError(
            `No click taught anything about ${path ?? ''}; \`redirects list --learned\` shows all.`,
          );
        if (!deleted && !learned)
          throw new OperatorError(`The project redirects no path ${path ?? ''}; \`redirects list\` shows all.`);
        const sections = await learnSectionMoves(tenants.of(project_id));
        await waitUntilVisible();
        const what = learned ? 'What clicks taught about' : 'Redirect of';
        print(
          context,
          options,
          { path: path ?? null, deleted, section_moves: sections },
          () => `${what} ${path ?? 'every path'} deleted.`,
        );
      }),
    );
}

function printLines(context: CommandContext, lines: readonly ReportedLine[]): void {
  for (const { line, reason } of lines.slice(0, MAX_PRINTED_LINES)) context.stderr.write(`line ${line}: ${reason}\n`);
}
