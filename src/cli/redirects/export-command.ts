import { Option, type Command } from '#commander';
import { OperatorError } from '../../base/errors.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../rule-formats/write/formats.js';
import { exportRules } from '../../rules/import-export/export-rules.js';
import { requireProject, withDatabase } from '../shared/command-database.js';
import type { CommandContext } from '../shared/context.js';

/** Max notes of one kind that are printed. */
const MAX_PRINTED = 20;

/** Exit code: something known is not in the file. */
const DOES_NOT_FIT = 3;

interface ExportOptions {
  project: string;
  format: ExportFormat;
  literal?: boolean;
  absolute?: boolean;
  json?: boolean;
}

export function addRedirectsExport(redirects: Command, context: CommandContext): void {
  redirects
    .command('export')
    .description("a project's redirects as rules of a web server; ends with code 3 if some do not fit its limits")
    .requiredOption('--project <id|name>')
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--literal', 'one rule for each redirect, without wildcards in their place')
    .option('--absolute', "with the host in addresses of the site's own pages; else their paths")
    .option('--json', 'one JSON value on stdout')
    .action((options: ExportOptions) =>
      withDatabase(context, async ({ db }) => {
        const { project_id } = await requireProject(db, options.project);
        const { text, left, notes, ...counts } = await exportRules(
          db,
          project_id,
          options.format,
          options.literal,
          options.absolute,
        );
        const noted = notes.map(({ isLeftOut, ...note }) => ({ ...note, left_out: isLeftOut }));
        context.stdout.write(
          options.json
            ? `${JSON.stringify({ format: options.format, ...counts, notes: noted, left_out: left, text })}\n`
            : text,
        );
        for (const kind of new Set(notes.map((note) => note.kind)))
          printSome(
            context,
            kind,
            noted.filter((note) => note.kind === kind).map(({ path, detail }) => `${path}: ${detail}`),
          );
        const ofGone = counts.gone > 0 ? ` and ${counts.gone} paths that are gone` : '';
        context.stderr.write(`${counts.redirects} redirects${ofGone} became ${counts.rules} rules.\n`);
        if (counts.ignored > 0 && options.format !== 'json' && options.format !== 'csv')
          context.stderr.write(`${counts.ignored} ignored paths are no rule of a server: json and csv have them.\n`);
        if (left.length === 0) return;
        for (const { path, to, reason } of left)
          context.stderr.write(`left out: ${JSON.stringify(path)} ${to === null ? 'gone' : `to ${to}`}: ${reason}\n`);
        throw new OperatorError(`${left.length} rules do not fit ${options.format} and are left out.`, {
          exitCode: DOES_NOT_FIT,
        });
      }),
    );
}

function printSome(context: CommandContext, kind: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_PRINTED)) context.stderr.write(`${kind}: ${line}\n`);
  if (lines.length > MAX_PRINTED)
    context.stderr.write(`${kind}: ${lines.length - MAX_PRINTED} more; --json names them all\n`);
}
