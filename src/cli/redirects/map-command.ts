import type { Command } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { countOf } from '../../text/count-of.js';
import { csvCell } from '../../rule-formats/write/rows.js';
import { createMapper, type Mapped, type MappedUrl } from '../../search/map-old-url.js';
import type { NoOldUrl, OldUrl } from '../../sources/source.js';
import { packageVersion } from '../../base/package-root.js';
import type { Logger } from '../../base/logger.js';
import { parseUrl } from '../../text/page-url.js';
import type { CommandSearch } from '../shared/command-search.js';
import { writeOut, type CommandContext } from '../shared/context.js';
import { projectCommand } from '../shared/project-command.js';
import { inParallel } from '../shared/in-parallel.js';

const COLUMNS = ['old', 'new', 'score', 'action', 'second', 'second_score', 'hits', 'why'] as const;

/** The maximum number of old urls: they are sorted, so all are held in memory. */
const MAX_URLS = 100_000;
const CONCURRENCY = 4;
const MAX_PRINTED = 20;

interface MapOptions {
  out?: string;
  allow: string[];
}

export function addRedirectsMap(redirects: Command, context: CommandContext): void {
  projectCommand<MapOptions>(redirects, context, 'map', {
    description:
      'old urls to a table of where they go: old, new, score, action; what matters and is doubtful comes first',
    takes: (command) =>
      command
        .argument(
          '<file|url|->',
          'lines, CSV (columns url, title, content, hits), a sitemap or its url, the export of a crawl, or an access log',
        )
        .option('--out <file>', 'else on stdout')
        .option(
          '--allow <origin>',
          'read the sitemaps that an index names on this origin, such as https://www.example.com; may be repeated',
          (origin: string, all: string[]) => [...all, origin],
          [] as string[],
        ),
    run: async (run) => {
      const { options, projectId, logger } = run;
      const [file = ''] = run.args;
      // This loads the search and its model, which no other command of redirects needs.
      const { withSearch } = await import('../shared/command-search.js');
      await withSearch(run, projectId, async (search) => {
        const urls = await openOldUrls(file, options.allow, context.stdin, logger);
        const { rows, live, leftOut, refused } = await mapAll(search, urls, file);
        rows.sort((a, b) => doubt(b) - doubt(a) || (a.old < b.old ? -1 : 1));
        const text = `${[COLUMNS.join(','), ...rows.map(toLine)].join('\n')}\n`;
        if (options.out !== undefined) await writeOut(options.out, text);
        const count = (action: MappedUrl['action']): number => rows.filter((row) => row.action === action).length;
        const actions = { redirect: count('redirect'), review: count('review'), gone: count('gone') };
        const counts = { urls: rows.length, ...actions, live, left_out: leftOut, refused: refused.length };
        if (options.json)
          context.stdout.write(
            `${JSON.stringify(options.out === undefined ? { ...counts, rows } : { ...counts, out: options.out })}\n`,
          );
        else if (options.out === undefined) context.stdout.write(text);
        for (const { line, reason } of refused.slice(0, MAX_PRINTED)) context.stderr.write(`line ${line}: ${reason}\n`);
        if (leftOut.length > 0)
          context.stderr.write(
            `${leftOut.length} left out, which are no pages (well-known files, parts of pages, probes): ${listed(leftOut)}\n`,
          );
        context.stderr.write(
          `${counts.redirect} to redirect, ${counts.review} to review, ${counts.gone} gone; ${live} are pages already, ${countOf(counts.refused, 'line')} refused.\n`,
        );
      });
    },
  });
}

async function mapAll({ answer, caller }: CommandSearch, urls: AsyncIterable<OldUrl | NoOldUrl>, file: string) {
  const mapOne = await createMapper(answer, caller);
  const rows: MappedUrl[] = [];
  const refused: NoOldUrl[] = [];
  let live = 0;
  const leftOut: string[] = [];
  const work = async (oldUrl: OldUrl | NoOldUrl): Promise<Mapped> => {
    if ('reason' in oldUrl) return oldUrl;
    const mapped = await mapOne(oldUrl);
    if (mapped === 'left out') leftOut.push(oldUrl.old);
    return mapped;
  };
  for await (const mapped of inParallel(urls, CONCURRENCY, work)) {
    if (mapped === 'live') live++;
    else if (mapped === 'left out') continue;
    else if ('reason' in mapped) refused.push(mapped);
    else rows.push(mapped);
    if (rows.length + refused.length > MAX_URLS)
      throw new OperatorError(`${file} has more than ${MAX_URLS} old urls: split it.`);
  }
  return { rows, live, leftOut, refused };
}

/** Opens the old urls of a file or a served sitemap. Requests go only to origins that the operator names. */
async function openOldUrls(file: string, allow: readonly string[], stdin: NodeJS.ReadableStream, logger: Logger) {
  const { readOldUrls, readServedSitemap } = await import('../../sources/rows/old-urls.js');
  const { readSitemapUrls } = await import('../../sources/web/read-sitemaps.js');
  const { originOf } = await import('../../sources/web/read-web.js');
  const start = /^https?:/i.test(file) ? parseUrl(file) : undefined;
  const origins = new Set([...(start ? [start.origin] : []), ...allow.map(originOf)]);
  const read = (url: string): ReturnType<typeof readSitemapUrls> =>
    readSitemapUrls(url, { origins, logger, userAgent: `pathmend/${packageVersion()}` });
  if (start) return readServedSitemap(read(start.href), 1);
  const { openText } = await import('../../sources/rows/open-text.js');
  const { name, chunks } = await openText(file, stdin, true);
  return readOldUrls(name, chunks, read);
}

/** Lists the first names, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_PRINTED;
  return `${names.slice(0, MAX_PRINTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function doubt({ hits, score }: MappedUrl): number {
  return (hits ?? 1) * (1 - score);
}

function toLine(row: MappedUrl): string {
  return COLUMNS.map((column) => csvCell(String(row[column] ?? ''))).join(',');
}
