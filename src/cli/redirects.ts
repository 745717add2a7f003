import type { Command } from 'commander';
import { systemClock } from '../clock.js';
import { inTransaction } from '../database/connect.js';
import { bumpIndexVersion } from '../database/queries/index-pages.js';
import { lockMoves } from '../database/queries/moves.js';
import { deleteRedirect, listRedirects } from '../database/queries/redirects.js';
import { listSectionMoves } from '../database/queries/section-moves.js';
import { OperatorError } from '../errors.js';
import { seenEverywhere } from '../index-changes.js';
import { fillPathKeys } from '../moves/fill-path-keys.js';
import { importRedirects, type RefusedLine } from '../moves/import-redirects.js';
import { learnSectionMoves } from '../moves/learn-section-moves.js';
import { pathKey } from '../moves/plain-path.js';
import { print, requireProject, table, withDatabase, type CommandContext } from './context.js';
import { countLines, readLimit } from './files.js';
import { startProgress } from './progress.js';

/** Lines of a kind that are named one by one. */
const MOST_NAMED = 20;

export function addRedirectsCommands(program: Command, context: CommandContext): void {
  const redirects = program.command('redirects').description('old paths whose pages are known');

  redirects
    .command('import')
    .description('learn from a file of redirects: JSON lines {path, expected}, or lines `/old /new`')
    .argument('<file>')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((file: string, options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db, tenants }) => {
        const project = await requireProject(db, options.project);
        const lines = await countLines(file);
        await fillPathKeys(db);
        const progress = startProgress(context.stderr, 'Importing', lines);
        const report = await importRedirects({ db, clock: systemClock }, project.project_id, file, (done) => {
          progress.update(done);
        });
        progress.end();
        const sections = await learnSectionMoves(tenants.of(project.project_id));
        await seenEverywhere();
        nameLines(context, report.bad);
        nameLines(context, report.without_page);
        const value = { ...report, without_page: report.without_page.length, bad: report.bad.length, section_moves: sections };
        print(
          context,
          options.json ?? false,
          value,
          () =>
            `${value.created} redirects stored, ${value.updated} updated, ${value.unchanged} unchanged, ` +
            `${value.without_page} without a page, ${value.bad} lines refused.\nThe project's moves show ${sections} moved sections.`,
        );
        if (value.bad > 0) throw new OperatorError(`${value.bad} of ${lines} lines were refused.`);
      }),
    );

  redirects
    .command('list')
    .description('redirects with the pages that they lead to')
    .requiredOption('--project <id|name>')
    .option('--limit <n>', 'at most so many', '1000')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; limit: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const project = await requireProject(db, options.project);
        const found = await listRedirects(db, project.project_id, readLimit(options.limit));
        print(context, options.json ?? false, found, () => table([['PATH', 'PAGE'], ...found.map((one) => [one.path, one.url])]));
      }),
    );

  redirects
    .command('sections')
    .description('moved sections that redirects and clicks show, surest first')
    .requiredOption('--project <id|name>')
    .option('--limit <n>', 'at most so many', '1000')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; limit: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const project = await requireProject(db, options.project);
        const found = await listSectionMoves(db, project.project_id, readLimit(options.limit));
        print(context, options.json ?? false, found, () =>
          table([
            ['OLD', 'NEW', 'SUPPORT', 'CONTRADICTIONS', 'CONFIDENCE'],
            ...found.map((one) => [
              `${one.old_prefix}/`,
              `${one.new_prefix}/`,
              String(one.support),
              String(one.contradictions),
              one.confidence.toFixed(2),
            ]),
          ]),
        );
      }),
    );

  redirects
    .command('delete')
    .description('forget a redirect, and what it showed about its section')
    .requiredOption('--project <id|name>')
    .requiredOption('--path <old path>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; path: string; json?: boolean }) =>
      withDatabase(context, async ({ db, tenants }) => {
        const { project_id } = await requireProject(db, options.project);
        const deleted = await inTransaction(db, async (trx) => {
          await lockMoves(trx, project_id);
          const found = await deleteRedirect(trx, project_id, pathKey(options.path));
          if (found) await bumpIndexVersion(trx, project_id);
          return found;
        });
        if (!deleted) throw new OperatorError(`The project redirects no path ${options.path}; \`redirects list\` shows all.`);
        const sections = await learnSectionMoves(tenants.of(project_id));
        await seenEverywhere();
        print(context, options.json ?? false, { path: options.path, deleted, section_moves: sections }, () => `Redirect of ${options.path} deleted.`);
      }),
    );
}

function nameLines(context: CommandContext, lines: readonly RefusedLine[]): void {
  for (const { line, reason } of lines.slice(0, MOST_NAMED)) context.stderr.write(`line ${line}: ${reason}\n`);
}
