import { Option, type Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { countOf, wasOrWere } from '../../text/count-of.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../rule-formats/write/formats.js';
import { exportRules } from '../../rules/import-export/export-rules.js';
import { writeOut, type CommandContext } from '../shared/context.js';
import { projectCommand } from '../shared/project-command.js';

/** Max notes of one kind that are printed. */
const MAX_PRINTED = 20;

/** Exit code: something known is not in the file. */
const DOES_NOT_FIT = 3;

interface ExportOptions {
  format: ExportFormat;
  literal?: boolean;
  out?: string;
  absolute?: boolean;
}

export function addRedirectsExport(redirects: Command, context: CommandContext): void {
  projectCommand<ExportOptions>(redirects, context, 'export', {
    description: "a project's redirects as rules of a web server; ends with code 3 if some do not fit its limits",
    takes: (command) =>
      command
        .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).makeOptionMandatory())
        .option('--literal', 'one rule for each redirect, without wildcards in their place')
        .option('--absolute', "with the host in addresses of the site's own pages; else their paths")
        .option('--out <file>', 'else on stdout'),
    run: async ({ db, options, projectId }) => {
      const { text, left, notes, ...counts } = await exportRules(
        db,
        projectId,
        options.format,
        options.literal,
        options.absolute,
      );
      const noted = notes.map(({ isLeftOut, ...note }) => ({ ...note, left_out: isLeftOut }));
      const { format, out } = options;
      if (out !== undefined) await writeOut(out, text);
      const value = { format, ...counts, notes: noted, left_out: left, ...(out === undefined ? { text } : { out }) };
      if (options.json) context.stdout.write(`${JSON.stringify(value)}\n`);
      else if (out === undefined) context.stdout.write(text);
      for (const kind of new Set(notes.map((note) => note.kind)))
        printSome(
          context,
          kind,
          noted.filter((note) => note.kind === kind).map(({ path, detail }) => `${path}: ${detail}`),
        );
      const ofGone =
        counts.gone > 0 ? ` and ${countOf(counts.gone, 'path')} that ${counts.gone === 1 ? 'is' : 'are'} gone` : '';
      context.stderr.write(
        `${countOf(counts.redirects, 'redirect')}${ofGone} became ${countOf(counts.rules, 'rule')}.\n`,
      );
      if (counts.ignored > 0 && options.format !== 'json' && options.format !== 'csv')
        context.stderr.write(`${counts.ignored} ignored paths are no rule of a server: json and csv have them.\n`);
      if (left.length === 0) return;
      for (const { path, to, reason } of left)
        context.stderr.write(`left out: ${JSON.stringify(path)} ${to === null ? 'gone' : `to ${to}`}: ${reason}\n`);
      throw new OperatorError(
        `${countOf(left.length, 'rule')} ${left.length === 1 ? 'does' : 'do'} not fit ${options.format} and ${wasOrWere(left.length)} left out.`,
        {
          exitCode: DOES_NOT_FIT,
        },
      );
    },
  });
}

function printSome(context: CommandContext, kind: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_PRINTED)) context.stderr.write(`${kind}: ${line}\n`);
  if (lines.length > MAX_PRINTED)
    context.stderr.write(`${kind}: ${lines.length - MAX_PRINTED} more; --json names them all\n`);
}
