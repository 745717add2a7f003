import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { NoRedirects } from '../../rule-formats/read/config-documents.js';
import type { ColumnNames } from '../../rule-formats/read/file-columns.js';
import { RedirectFile } from '../../rule-formats/read/redirect-file.js';
import { SKIP_REASONS, type LocatedRule } from '../../rule-formats/read/read-rule.js';
import { findLostPages, listHtml, type RedirectsOfFile } from '../../rule-formats/lost-pages.js';
import { readLines } from '../../text/read-lines.js';
import { print, type CommandContext } from '../shared/context.js';
import { OR_STDIN, withInputFile } from '../shared/input-file.js';
import { columnsOption } from './columns-option.js';

/** The files in which site generators and hosts keep redirects. */
const REDIRECT_FILES = ['_redirects', 'vercel.json', 'netlify.toml', '.htaccess', 'web.config'];

interface CheckOptions {
  before: string;
  after: string;
  redirects?: string;
  columns?: ColumnNames;
  json?: boolean;
}

export function addRedirectsCheck(redirects: Command, context: CommandContext): void {
  redirects
    .command('check')
    .description('compare two builds of a site; ends with code 1 if a page vanishes without a redirect. No database')
    .requiredOption('--before <folder>', 'the site as it is')
    .requiredOption('--after <folder>', `the site as it will be, with ${REDIRECT_FILES.join(', ')} if it has them`)
    .option('--redirects <file>', `more redirects, in any format of \`redirects import\`, ${OR_STDIN}`)
    .addOption(columnsOption())
    .option('--json', 'one JSON value on stdout')
    .action(async (options: CheckOptions) => {
      const [before, after] = [await listHtml(options.before), await listHtml(options.after)];
      const files = REDIRECT_FILES.map((name) => join(options.after, name)).filter((file) => existsSync(file));
      const read: RedirectsOfFile[] = [];
      for (const file of files) read.push(await readRules(file, context));
      const { redirects: more, columns } = options;
      const shown = more === '-' ? 'stdin' : more;
      if (more !== undefined)
        read.push(await withInputFile(more, context, (file) => readRules(file, context, shown, columns)));
      const lost = findLostPages(before, after, read);
      const rules = read.reduce((sum, file) => sum + file.rules.length, 0);
      const value = { pages_before: before.size, pages_after: after.size, redirects: rules, lost };
      print(context, options, value, () =>
        [
          ...lost.map(({ path, problem }) => `${path} vanishes: ${problem}`),
          `${before.size} pages before, ${after.size} after, ${lost.length} vanish without a redirect.`,
        ].join('\n'),
      );
      if (lost.length > 0) throw new OperatorError(`Pages that vanish without a redirect: ${lost.length}.`);
    });
}

/** Returns the last redirects of a file. A host's file without redirects is valid: it has none. */
function endOf(reader: RedirectFile): LocatedRule[] {
  try {
    return reader.end();
  } catch (error) {
    if (error instanceof NoRedirects) return [];
    throw error;
  }
}

/** The redirects of a file; other lines are reported. @throws OperatorError */
async function readRules(file: string, context: CommandContext, shown = file, columns?: ColumnNames) {
  const reader = new RedirectFile(basename(file), undefined, columns);
  const read: LocatedRule[] = [];
  try {
    for await (const line of readLines(file)) read.push(...reader.push(line));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${shown} is not a file that can be read.`, { cause: error });
  }
  read.push(...endOf(reader));
  for (const rule of read) {
    if (rule.kind === 'refused') context.stderr.write(`${shown}:${rule.line}: ${rule.reason}\n`);
    if (rule.kind === 'skipped')
      context.stderr.write(`${shown}:${rule.line}: ${SKIP_REASONS[rule.reason]} (${rule.text})\n`);
  }
  const rules = read.filter(({ kind }) => kind === 'redirect' || kind === 'wildcard' || kind === 'pattern');
  return { rules, isOfServer: reader.isOfServer };
}
