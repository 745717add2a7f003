/**
 * Runs a migration, from an old site's list to a server that redirects all of it, and counts the urls of each step:
 *
 *   node .build/scripts/eval/migration.js FOLDER…
 *
 * FOLDER has pages.jsonl, the new site, and redirects.jsonl, which names the page that each old path went to. A program
 * plays the person who settles the doubtful rows of the sheet: it decides by redirects.jsonl. Needs nginx.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '#src/cli/shared/run-command.js';
import { csvCell } from '#src/rule-formats/write/rows.js';
import { isSamePage } from '#src/text/same-url.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { TableRows } from '#src/text/table-rows.js';
import { startWebServer } from '../../test/support/web-servers.js';
import { indexSite } from './index-site.js';
import { readSite, type SiteData } from './site-data.js';
import { startThrowawayService } from './throwaway-service.js';

interface Settled {
  sheet: string;
  /** Rows that the sheet redirects by itself. */
  sure: number;
  wrong: number;
  /** Rows that the person decides. */
  settled: number;
  /** Rows among the settled ones that had the right page already, as `new` or `second`. */
  inRow: number;
}

const COLUMNS = [
  ['site', 'pages', 'old urls', 'pages already', 'redirected by the sheet', 'of these wrong', 'settled by a person'],
  ['of these named in the row', 'stored', 'rules of nginx', 'verified'],
].flat();

/** Runs a command of pathmend in this process. Returns what it prints as JSON. */
async function run(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputTexts = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommand(args, { environment, stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, errors] = await outputTexts;
  process.stderr.write(errors.split('\n').slice(-4).join('\n'));
  if (out === '') throw new Error(`${args.join(' ')} ended with code ${String(code)}: ${errors}`);
  return JSON.parse(out) as Record<string, unknown>;
}

/** Plays a person who knows the old site: leaves the sure rows as they are, and names the right page in the others. */
function settle(sheet: string, site: SiteData): Settled {
  const answers = new Map(site.redirects.map(({ input, right }) => [input, right]));
  const url = (path: string): string => site.pages.find((page) => isSamePage(path, page.url))?.url ?? path;
  const rows = new TableRows(',');
  const settled: Settled = { sheet: '', sure: 0, wrong: 0, settled: 0, inRow: 0 };
  const lines = sheet.trimEnd().split('\n');
  settled.sheet = `${lines[0] ?? ''}\n`;
  for (const [at, line] of lines.entries()) {
    const cells = rows.push(line, at + 1)?.cells;
    if (!cells || at === 0) continue;
    const [old = '', chosen = '', score = '', action = '', second = '', ...more] = cells;
    const right = answers.get(old) ?? [];
    const isRight = (candidate: string): boolean =>
      candidate !== '' && right.some((path) => isSamePage(path, candidate));
    if (action === 'redirect') {
      settled.sure++;
      if (!isRight(chosen)) settled.wrong++;
      settled.sheet += `${line}\n`;
      continue;
    }
    settled.settled++;
    if (isRight(chosen) || isRight(second)) settled.inRow++;
    const page = [chosen, second].find(isRight) ?? url(right[0] ?? '');
    settled.sheet += `${[old, page, score, 'redirect', second, ...more].map(csvCell).join(',')}\n`;
  }
  return settled;
}

async function migrate(folder: string): Promise<void> {
  const site = await readSite(folder);
  const { service, environment, stop } = await startThrowawayService(process.env);
  const work = await mkdtemp(join(tmpdir(), 'pathmend-migration-'));
  try {
    const { projectId: project } = await indexSite(service, site);
    const [old, sheet, rules] = ['old.csv', 'sheet.csv', 'redirects.conf'].map((name) => join(work, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(old, ['url', ...site.redirects.map(({ input }) => csvCell(input)), ''].join('\n'));
    const mapped = await run(environment, 'redirects', 'map', '--project', project, old, '--out', sheet, '--json');
    const decided = settle(await readFile(sheet, 'utf8'), site);
    await writeFile(sheet, decided.sheet);
    const stored = await run(environment, 'redirects', 'import', '--project', project, sheet, '--json');
    const exported = await run(environment, 'redirects', 'export', '--project', project, '--format', 'nginx', '--json');
    const configuration = String(exported['text']);
    await writeFile(rules, configuration);
    const paths = site.pages.flatMap(({ url }) => parsePageUrl(url)?.path.split(/[?#]/, 1)[0] ?? []);
    const server = await startWebServer('nginx', configuration, paths.map(decodeURIComponent));
    try {
      const verified = await run(
        environment,
        'redirects',
        'verify',
        '--project',
        project,
        '--site',
        server.url,
        '--json',
      );
      const results = verified['results'] as { path: string; ok: boolean; problem?: string }[];
      for (const { path, problem } of results.filter(({ ok }) => !ok).slice(0, 20))
        process.stderr.write(`${path}: ${problem ?? ''}\n`);
      const cells = [
        ...[site.name, site.pages.length, site.redirects.length, mapped['live']],
        ...[decided.sure, decided.wrong, decided.settled, decided.inRow],
        ...[stored['created'], exported['rules'], `${String(verified['ok'])} of ${String(verified['checked'])}`],
      ];
      process.stdout.write(`| ${cells.map(String).join(' | ')} |\n`);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(work, { recursive: true, force: true });
    await stop();
  }
}

process.stdout.write(`| ${COLUMNS.join(' | ')} |\n|${COLUMNS.map(() => '---').join('|')}|\n`);
for (const folder of process.argv.slice(2)) await migrate(folder);
