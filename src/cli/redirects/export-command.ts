import { Option, type Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { groupBy } from '../../base/group-by.js';
import { countOf, wasOrWere } from '../../text/count-of.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../rule-formats/write/formats.js';
import { exportRules, type Exported } from '../../rules/import-export/export-rules.js';
import { writeOut, type CommandContext } from '../shared/context.js';
import { projectCommand } from '../shared/project-command.js';

/** The maximum number of notes of one kind that are printed. */
const MAX_PRINTED = 20;

/** The exit code if a rule that pathmend obeys is not in the file. */
const DOES_NOT_FIT = 3;

interface ExportOptions {
  format: ExportFormat;
  out?: string;
  absolute?: boolean;
}

export function addRedirectsExport(redirects: Command, context: CommandContext): void {
  projectCommand<ExportOptions>(redirects, context, 'export', {
    description:
      "a project's redirects as rules of a web server, an entry for each; ends with code 3 if some are left out that pathmend obeys",
    takes: (command) =>
      command
        .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).makeOptionMandatory())
        .option('--absolute', "with the host in addresses of the site's own pages; else their paths")
        .option('--out <file>', 'else on stdout'),
    run: async ({ db, options, projectId }) => {
      const { format, out, absolute } = options;
      const exported = await exportRules(db, projectId, format, absolute);
      const { text, left, notes, ...counts } = exported;
      const noted = notes.map(({ isLeftOut, ...note }) => ({ ...note, left_out: isLeftOut }));
      if (out !== undefined) await writeOut(out, text);
      const value = { format, ...counts, notes: noted, left_out: left, ...(out === undefined ? { text } : { out }) };
      if (options.json) context.stdout.write(`${JSON.stringify(value)}\n`);
      else if (out === undefined) context.stdout.write(text);
      report(context, format, exported);
    },
  });
}

/** @throws OperatorError if the file lacks rules that pathmend obeys */
function report(context: CommandContext, format: ExportFormat, exported: Exported): void {
  const { redirects, gone, ignored, rules, notes, left } = exported;
  for (const [kind, ofKind] of groupBy(notes, (note) => note.kind)) {
    for (const { path, detail } of ofKind.slice(0, MAX_PRINTED)) context.stderr.write(`${kind}: ${path}: ${detail}\n`);
    if (ofKind.length > MAX_PRINTED)
      context.stderr.write(`${kind}: ${ofKind.length - MAX_PRINTED} more; --json names them all\n`);
  }
  const goneText = gone > 0 ? ` and ${countOf(gone, 'path')} that ${gone === 1 ? 'is' : 'are'} gone` : '';
  context.stderr.write(`${countOf(redirects, 'redirect')}${goneText} became ${countOf(rules, 'rule')}.\n`);
  if (ignored > 0 && format !== 'json' && format !== 'csv')
    context.stderr.write(`${ignored} ignored paths are no rule of a server: json and csv have them.\n`);
  for (const { path, to, reason } of left)
    context.stderr.write(`left out: ${JSON.stringify(path)} ${to === null ? 'gone' : `to ${to}`}: ${reason}\n`);
  // A server would obey such a rule before it serves its pages; pathmend gets requests for missing pages alone.
  const hiding = notes.filter(({ kind }) => kind === 'shadows pages').length;
  const unsure = notes.filter(({ kind }) => kind === 'several hosts').length;
  const all = left.length + hiding + unsure;
  if (all === 0) return;
  const doNot = left.length === 1 ? 'does' : 'do';
  const reasons = [
    ...(left.length === 0 ? [] : [`${countOf(left.length, 'rule')} ${doNot} not fit ${format}`]),
    ...(hiding === 0 ? [] : [`${countOf(hiding, 'rule')} would hide pages`]),
    ...(unsure === 0 ? [] : [`${countOf(unsure, 'rule')} led to a path of several hosts`]),
  ];
  throw new OperatorError(`${reasons.join(' and ')}, and ${wasOrWere(all)} left out.`, { exitCode: DOES_NOT_FIT });
}
