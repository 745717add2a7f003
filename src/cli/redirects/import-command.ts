import { InvalidArgumentError, Option, type Command } from 'commander';
import { systemClock } from '../../base/clock.js';
import { onCommandLine, recordChange } from '../../accounts/actor.js';
import { OperatorError } from '../../base/errors.js';
import { countOf, wasOrWere } from '../../text/count-of.js';
import { waitUntilVisible } from '../../projects/index-changes.js';
import { explainEmptyImport, type ReportedLine } from '../../rules/import-export/redirect-report.js';
import { importRules, summarizeImport } from '../../rules/import-export/import-redirects.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import { REDIRECT_FORMATS, type RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import { refuseWritten } from '../../rule-formats/read/written-alone.js';
import { learnSectionRedirects } from '../../rules/learn-redirects-job.js';
import { requireNotDeleted } from '../shared/command-database.js';
import type { CommandContext } from '../shared/context.js';
import { projectCommand, type ProjectRun } from '../shared/project-command.js';
import { columnsOption } from './columns-option.js';
import { countLines, OR_STDIN, withInputFile } from '../shared/input-file.js';
import { startProgress } from '../shared/progress.js';

/** The maximum number of refused lines of a kind that are printed. */
const MAX_PRINTED_LINES = 20;

interface ImportOptions {
  format?: RedirectFormat;
  columns?: ColumnNames;
}

export function addRedirectsImport(redirects: Command, context: CommandContext): void {
  projectCommand<ImportOptions>(redirects, context, 'import', {
    description:
      'learn from a file of redirects: JSON lines {path, expected}, `/old /new [301]`, CSV, TSV, rules of web servers',
    takes: (command) =>
      command
        .argument('<file>', OR_STDIN)
        .addOption(
          new Option('--format <format>', "else by the file's name and what it looks like")
            .choices(REDIRECT_FORMATS)
            .argParser(parseFormat),
        )
        .addOption(columnsOption()),
    run: (run) => withInputFile(run.args[0] ?? '', context, (file) => importFile(run, file)),
  });
}

/** @throws OperatorError or InvalidArgumentError */
function parseFormat(text: string): RedirectFormat {
  refuseWritten('format', text);
  const format = REDIRECT_FORMATS.find((known) => known === text);
  if (format === undefined) throw new InvalidArgumentError(`Allowed choices are ${REDIRECT_FORMATS.join(', ')}.`);
  return format;
}

async function importFile(
  { context, db, tenants, project, projectId, options, say }: ProjectRun<ImportOptions>,
  file: string,
): Promise<void> {
  const lines = await countLines(file);
  const progress = startProgress(context.stderr, 'Importing', lines);
  const onProgress = (done: number): void => progress.update(done);
  const deps = { db, clock: systemClock };
  const report = await importRules(deps, projectId, file, onProgress, options.format, options.columns);
  progress.end();
  await recordChange(db, onCommandLine(), project, 'redirects imported', summarizeImport(report));
  const sections = await learnSectionRedirects(tenants.of(projectId));
  await waitUntilVisible();
  await requireNotDeleted(db, project);
  printLines(context, report.bad);
  printLines(context, report.without_page);
  printLines(context, report.replaced);
  if (report.replaced.length > 0)
    context.stderr.write(`${report.replaced.length} rules of the project are replaced.\n`);
  printLines(context, report.overwritten);
  if (report.overwritten.length > 0)
    context.stderr.write(`${report.overwritten.length} rows are overwritten by a later one of the same old path.\n`);
  if (report.not_read.length > 0) context.stderr.write(`Columns that are not read: ${report.not_read.join(', ')}.\n`);
  if (report.review > 0) context.stderr.write(`${report.review} rows marked review are not stored.\n`);
  const { replaced, not_read, ...counts } = report;
  const value = {
    ...counts,
    ...(replaced.length > 0 ? { replaced } : {}),
    ...(not_read.length > 0 ? { not_read } : {}),
    without_page: report.without_page.length,
    overwritten: report.overwritten.length,
    bad: report.bad.length,
    section_redirects: sections,
  };
  say(
    value,
    () =>
      `${value.created} redirects stored, ${value.updated} updated, ${value.unchanged} unchanged, ` +
      `${value.without_page} wait for their page, ${value.gone} gone for good, ${value.bad} lines refused.\nThe project's moves show ${sections} moved sections.`,
  );
  // One line may have several rules in a document, and in a configuration of nginx.
  const refused = new Set(report.bad.map(({ line }) => line)).size;
  if (refused < value.bad)
    throw new OperatorError(
      `${countOf(value.bad, 'rule')} on ${refused} of ${countOf(lines, 'line')} ${wasOrWere(value.bad)} refused.`,
    );
  if (value.bad > 0)
    throw new OperatorError(`${value.bad} of ${countOf(lines, 'line')} ${wasOrWere(value.bad)} refused.`);
  const nothing = explainEmptyImport(report);
  if (nothing !== undefined) throw new OperatorError(`${file} ${nothing}.`);
}

function printLines(context: CommandContext, lines: readonly ReportedLine[]): void {
  for (const { line, reason } of lines.slice(0, MAX_PRINTED_LINES)) context.stderr.write(`line ${line}: ${reason}\n`);
}
