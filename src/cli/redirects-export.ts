import { Option, type Command } from 'commander';
import { listPages, type ListedPage } from '../database/queries/page-status.js';
import { listRedirects, type ListedRedirect } from '../database/queries/redirect-rows.js';
import type { Db } from '../database/db.js';
import { OperatorError } from '../errors.js';
import { compileRules } from '../moves/redirect-rules/compile.js';
import { EXPORT_FORMATS, writeFormat, type ExportFormat } from '../moves/redirect-rules/formats.js';
import type { ExportRule } from '../moves/redirect-rules/rule.js';
import type { KnownRedirect } from '../moves/redirect-rules/lint.js';
import { encodeTarget, formatSource, parseSource, type SourceAddress } from '../moves/redirect-files/address.js';
import { requireProject, withDatabase, type CommandContext } from './context.js';

/** A compiler holds them all. Longer lists are no rules of a server. */
const MAX_REDIRECTS = 100_000;
const BATCH_ROWS = 5_000;
/** Max notes of one kind that are printed. */
const MAX_PRINTED = 20;

/** Exit code: something known is not in the file. */
const DOES_NOT_FIT = 3;

interface ExportOptions {
  project: string;
  format: ExportFormat;
  literal?: boolean;
  json?: boolean;
}

export function addRedirectsExport(redirects: Command, context: CommandContext): void {
  redirects
    .command('export')
    .description("a project's redirects as rules of a web server; ends with code 3 if some do not fit its limits")
    .requiredOption('--project <id|name>')
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--literal', 'one rule for each redirect, without wildcards in their place')
    .option('--json', 'one JSON value on stdout')
    .action((options: ExportOptions) =>
      withDatabase(context, async ({ db }) => {
        const { project_id } = await requireProject(db, options.project);
        const { known, wildcards, gone } = await readRedirects(db, project_id);
        // These hold data, not rules that a server obeys.
        const all = options.format === 'json' || options.format === 'csv';
        const { rules, notes } = await compileRules(known, wildcards, pageUrls(db, project_id), {
          literal: options.literal ?? false,
          all,
        });
        const { text, unfit } = writeFormat(options.format, rules, gone);
        const left = unfit.map(({ rule, reason }) => ({
          path: 'rest' in rule && rule.rest ? `${rule.path}*` : formatSource(rule),
          to: 'to' in rule ? rule.to : null,
          reason,
        }));
        const noted = notes.map(({ isLeftOut, ...note }) => ({ ...note, left_out: isLeftOut && !all }));
        context.stdout.write(
          options.json
            ? `${JSON.stringify({ format: options.format, redirects: known.length, gone: gone.length, rules: rules.length + gone.length - unfit.length, notes: noted, left_out: left, text })}\n`
            : text,
        );
        for (const kind of new Set(notes.map((note) => note.kind)))
          printSome(
            context,
            kind,
            noted.filter((note) => note.kind === kind).map(({ path, detail }) => `${path}: ${detail}`),
          );
        const count = rules.length + gone.length - unfit.length;
        const ofGone = gone.length > 0 ? ` and ${gone.length} paths that are gone` : '';
        context.stderr.write(`${known.length} redirects${ofGone} became ${count} rules.\n`);
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

/** @throws OperatorError if there are too many */
export async function readRedirects(
  db: Db,
  projectId: string,
): Promise<{ known: KnownRedirect[]; wildcards: ExportRule[]; gone: SourceAddress[] }> {
  const known: KnownRedirect[] = [];
  const wildcards: ExportRule[] = [];
  const gone: SourceAddress[] = [];
  let last: ListedRedirect | undefined;
  for (;;) {
    const rows: ListedRedirect[] = await listRedirects(db, projectId, last, BATCH_ROWS);
    for (const { path, url, active } of rows) {
      const source = url === null ? parseSource(path) : undefined;
      if (source) gone.push(source);
      if (url === null) continue;
      if (path.endsWith('/*')) wildcards.push(...toWildcard(path, url));
      else known.push({ path, url, active });
    }
    last = rows.at(-1);
    if (known.length > MAX_REDIRECTS)
      throw new OperatorError(`The project has more than ${MAX_REDIRECTS} redirects: no server takes so many rules.`);
    if (rows.length < BATCH_ROWS) return { known, wildcards, gone };
  }
}

/** A path that is literal never ends with a star: that is how wildcards are written. */
function toWildcard(path: string, url: string): ExportRule[] {
  const source = parseSource(path.slice(0, -1));
  const keepsRest = url.endsWith(':splat');
  const to = encodeTarget(keepsRest ? url.slice(0, -':splat'.length) : url);
  return source ? [{ path: source.path, query: '', to, rest: keepsRest ? 'kept' : 'dropped' }] : [];
}

export async function* pageUrls(db: Db, projectId: string): AsyncGenerator<string> {
  let last: ListedPage | undefined;
  for (;;) {
    const rows: ListedPage[] = await listPages(db, projectId, {}, last, BATCH_ROWS);
    for (const { url } of rows) yield url;
    last = rows.at(-1);
    if (rows.length < BATCH_ROWS) return;
  }
}
