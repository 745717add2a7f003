import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { parseConfig } from '#src/platform/settings/config.js';
import { OperatorError } from '#src/base/errors.js';
import { readClickedSite, toClickCases } from './own/click-cases.js';
import { parseRules, toCases } from './own/redirect-cases.js';
import { readText } from './read-lines.js';
import { CASE_KINDS, readPages, readSite, type SiteData, type SitePage } from './site-data.js';

type Environment = Record<string, string | undefined>;

export type Source =
  | { kind: 'sites'; folders: string[] }
  | { kind: 'redirects'; pages: string; redirects: string }
  | { kind: 'clicks'; project: string };

export interface EvalOptions {
  source: Source;
  json: boolean;
  most: number;
  peers: boolean;
  titlesInContent: boolean;
  report: string | undefined;
  /** 0 to 1: what the threshold recommended for a redirect aims at. */
  precision: number;
}

/** @throws OperatorError when options are missing, wrong, or do not go together. */
export function readOptions(argv: readonly string[]): EvalOptions {
  const options = new Command('npm run eval --')
    .description(
      'Measures suggest and semantic-search on cases with known right answers, through the real pipeline and real HTTP.',
    )
    .option('--sites <dirs>', 'folders with pages.jsonl and redirects, typos, queries or meaning .jsonl, with commas')
    .option('--pages <file>', 'your pages as `pages import` takes them; with --redirects')
    .option('--redirects <file>', 'your redirect map: JSON lines, .csv, .tsv, or lines of a web server')
    .option(
      '--clicks <id|name>',
      'a project of your installation (DATABASE_URL or DATA_DIR): its pages, and what visitors clicked',
    )
    .option('--json', 'one JSON value on stdout')
    .option('--most <n>', 'cases of a kind per site at most, evenly spread', '1000000')
    .option('--peers', 'run other methods beside it')
    .option('--titles-in-content', 'index each page with its title on top of its content, as importers push it')
    .option('--report <file.html>', 'write a page with plots, the worst misses and the thresholds that suit the site')
    .option('--precision <share>', 'how often a redirect has to be right, for the threshold recommended for it', '0.95')
    .parse(argv)
    .opts<{
      sites?: string;
      pages?: string;
      redirects?: string;
      clicks?: string;
      json?: boolean;
      most: string;
      peers?: boolean;
      titlesInContent?: boolean;
      report?: string;
      precision: string;
    }>();
  const most = Number(options.most);
  if (!Number.isInteger(most) || most < 1)
    throw new OperatorError(`--most must be a whole number from 1 on, not ${options.most}.`);
  const precision = Number(options.precision);
  if (!(precision > 0 && precision < 1))
    throw new OperatorError(`--precision must lie between 0 and 1, not ${options.precision}.`);
  return {
    source: sourceOf(options),
    json: options.json ?? false,
    most,
    peers: options.peers ?? false,
    titlesInContent: options.titlesInContent ?? false,
    report: options.report,
    precision,
  };
}

function sourceOf(options: { sites?: string; pages?: string; redirects?: string; clicks?: string }): Source {
  const { sites, pages, redirects, clicks } = options;
  const kinds = [sites, pages ?? redirects, clicks].filter((source) => source !== undefined).length;
  if (kinds !== 1)
    throw new OperatorError(
      'Name what to measure on by one of: --sites DIR,…; --pages FILE with --redirects FILE; --clicks PROJECT.',
    );
  if (clicks !== undefined) return { kind: 'clicks', project: clicks };
  if (sites !== undefined) {
    const folders = sites.split(',').filter((folder) => folder !== '');
    const names = folders.map((folder) => basename(resolve(folder)));
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (folders.length === 0) throw new OperatorError('--sites names no folder.');
    if (twice !== undefined)
      throw new OperatorError(`--sites names two folders called ${twice}: their results could not be told apart.`);
    return { kind: 'sites', folders };
  }
  if (pages === undefined || redirects === undefined)
    throw new OperatorError('--pages and --redirects go together: pages to find, and old paths that lead to them.');
  return { kind: 'redirects', pages, redirects };
}

/**
 * Lends `work` the sites of a source, each read when its turn comes, and the settings of a service to measure with.
 * Clicks are measured on an embedded database, so that the installation's own server is only read.
 * @throws OperatorError
 */
export async function withSites<T>(
  { source, report }: EvalOptions,
  environment: Environment,
  work: (sites: (() => Promise<SiteData>)[], environment: Environment) => Promise<T>,
): Promise<T> {
  if (report !== undefined) await writable(dirname(resolve(report)));
  if (source.kind === 'sites') {
    for (const folder of source.folders) await readable(join(folder, 'pages.jsonl'));
    return work(
      source.folders.map((folder) => async () => notEmpty(await readSite(folder), folder)),
      environment,
    );
  }
  if (source.kind === 'redirects') {
    const site = await readOwnSite(source.pages, source.redirects);
    return work([() => Promise.resolve(site)], environment);
  }
  const clicked = await readClickedSite(parseConfig(environment), source.project);
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-eval-pages-'));
  try {
    const pagesFile = join(folder, 'pages.jsonl');
    await writeFile(pagesFile, clicked.pages.map((page) => `${JSON.stringify(page)}\n`).join(''), { mode: 0o600 });
    const site = {
      name: clicked.projectName,
      pagesFile,
      pages: await readPages(pagesFile),
      typos: [],
      meant_paths: [],
      meant_questions: [],
      ...toClickCases(clicked),
    };
    return await work([() => Promise.resolve(notEmpty(site, `the project ${clicked.projectName}`))], {
      ...environment,
      DATABASE_URL: undefined,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws OperatorError, before anything is started for nothing. */
async function readable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be read: a folder of --sites needs its pages there.`, { cause: error });
  });
}

/** @throws OperatorError, before minutes of work are done for a report that cannot be written. */
async function writable(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new OperatorError(`--report: nothing can be written into ${folder}.`, { cause: error });
  });
}

/** @throws OperatorError that names the file and line. */
export async function readOwnSite(pagesFile: string, redirectsFile: string): Promise<SiteData> {
  const pages = await readPages(pagesFile);
  const { cases, leftOut } = toCases(parseRules(await readText(redirectsFile), redirectsFile), pages, redirectsFile);
  return notEmpty(
    {
      name: nameOf(pages, pagesFile),
      pagesFile,
      pages,
      redirects: cases,
      typos: [],
      queries: [],
      meant_paths: [],
      meant_questions: [],
      leftOut,
    },
    redirectsFile,
  );
}

function nameOf(pages: readonly SitePage[], file: string): string {
  const [first] = pages;
  return first ? new URL(first.url).host : basename(dirname(resolve(file)));
}

function notEmpty(site: SiteData, where: string): SiteData {
  if (site.pages.length === 0)
    throw new OperatorError(
      `${site.pagesFile} holds no page: a row is {"url": …, "title": …, "content": …} with a full url.`,
    );
  if (CASE_KINDS.every((kind) => site[kind].length === 0)) {
    const reasons = site.leftOut.map(({ reason, count }) => `${count} left out: ${reason}`).join('; ');
    throw new OperatorError(`${where} gives no case to measure${reasons === '' ? '' : ` (${reasons})`}.`);
  }
  return site;
}
