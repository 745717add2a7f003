/**
 * Measures suggest and semantic-search on sites with known right answers, through the real pipeline and real HTTP.
 * `npm run eval -- --sites DIR,DIR [--json] [--most N]`; a DIR has pages.jsonl and redirects, typos or queries.
 */
import { Command } from 'commander';
import type { Service } from '#src/service.js';
import { bm25, pathOverlap, recallOf, type Baseline } from './baselines.js';
import { indexSite, mapConcurrently, type IndexedSite } from './index-site.js';
import { mean, measure, type Measures, type Suggested } from './measures.js';
import { PROBES } from './probes.js';
import { readSite, spread, type Case, type SiteData } from './site-data.js';
import { startThrowawayService } from './throwaway-service.js';

const DEFAULT_THRESHOLD = 0.7;
const ANSWERS = 20;
const AT_ONCE = 4;

type Section = Measures & { baselines: Record<string, { recall1: number; recall3: number }> };

interface SiteReport {
  redirects: Section;
  typos: Section;
  queries: Section;
  probes: { n: number; answered: number };
}

async function evaluateSite(service: Service, site: SiteData, most: number): Promise<SiteReport> {
  const indexed = await indexSite(service, site);
  process.stderr.write(`${site.name}: ${site.pages.length} pages indexed in ${indexed.seconds.toFixed(1)} s\n`);
  const baselines = [pathOverlap(site), bm25(site)];
  const section = async (endpoint: 'suggest' | 'semantic-search', cases: Case[]): Promise<Section> => {
    const chosen = spread(cases, most);
    const answers = await mapConcurrently(chosen, AT_ONCE, (one) => ask(service, indexed, endpoint, one.input, 0));
    return { ...measure(chosen, answers, DEFAULT_THRESHOLD), baselines: compare(baselines, chosen) };
  };
  const report = {
    redirects: await section('suggest', site.redirects),
    typos: await section('suggest', site.typos),
    queries: await section('semantic-search', site.queries),
  };
  const probes = await mapConcurrently(PROBES, AT_ONCE, (path) => ask(service, indexed, 'suggest', path, DEFAULT_THRESHOLD));
  return { ...report, probes: { n: PROBES.length, answered: mean(probes.map((list) => Number(list.length > 0))) } };
}

async function ask(service: Service, { key }: IndexedSite, endpoint: 'suggest' | 'semantic-search', input: string, searchThreshold: number): Promise<Suggested[]> {
  const body = { [endpoint === 'suggest' ? 'path' : 'query']: input, limit: ANSWERS, options: { searchThreshold } };
  const response = await fetch(`${service.url}/v1/${endpoint}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${endpoint} answered ${response.status} to ${input}: ${await response.text()}`);
  return ((await response.json()) as { suggestions: Suggested[] }).suggestions;
}

function compare(baselines: readonly Baseline[], cases: readonly Case[]): Section['baselines'] {
  return Object.fromEntries(baselines.map((baseline) => [baseline.name, recallOf(baseline, cases)]));
}

function renderTable(reports: Record<string, SiteReport>): string {
  const two = (value: number): string => value.toFixed(2).replace(/^0/, '');
  const lines = ['site                 what            n  r@1  r@3  mrr | answered prec@1 | overlap r@1/r@3  bm25 r@1/r@3'];
  const row = (site: string, what: string, s: Section): string => {
    const pairs = Object.values(s.baselines).map((b) => `${two(b.recall1)}/${two(b.recall3)}`.padEnd(16));
    return `${site.padEnd(20)} ${what.padEnd(10)} ${String(s.n).padStart(6)} ${two(s.recall1).padStart(4)} ${two(s.recall3).padStart(4)} ${two(s.mrr).padStart(4)} | ${two(s.answered).padStart(8)} ${two(s.precision1).padStart(6)} | ${pairs.join(' ')}`;
  };
  const kinds = ['redirects', 'typos', 'queries'] as const;
  for (const [site, report] of Object.entries(reports)) {
    for (const what of kinds) if (report[what].n > 0) lines.push(row(site, what, report[what]));
    lines.push(`${site.padEnd(20)} ${'probes'.padEnd(10)} ${String(report.probes.n).padStart(6)} ${' '.repeat(14)} | ${two(report.probes.answered).padStart(8)}`);
  }
  for (const what of kinds) {
    const sections = Object.values(reports).map((report) => report[what]).filter((s) => s.n > 0);
    if (sections.length > 0) lines.push(row('macro-average', what, average(sections)));
  }
  return lines.join('\n');
}

function average(sections: readonly Section[]): Section {
  const of = (pick: (s: Section) => number): number => mean(sections.map(pick));
  const names = Object.keys(sections[0]?.baselines ?? {});
  return {
    n: sections.reduce((sum, s) => sum + s.n, 0),
    recall1: of((s) => s.recall1),
    recall3: of((s) => s.recall3),
    mrr: of((s) => s.mrr),
    answered: of((s) => s.answered),
    precision1: of((s) => s.precision1),
    baselines: Object.fromEntries(
      names.map((name) => [name, { recall1: of((s) => s.baselines[name]?.recall1 ?? 0), recall3: of((s) => s.baselines[name]?.recall3 ?? 0) }]),
    ),
  };
}

const options = new Command('eval')
  .requiredOption('--sites <dirs>', 'folders of sites, with commas')
  .option('--json', 'one JSON value on stdout')
  .option('--most <n>', 'cases of a kind per site at most, evenly spread', '1000000')
  .parse()
  .opts<{ sites: string; json?: boolean; most: string }>();

const { service, stop } = await startThrowawayService(process.env);
try {
  const reports: Record<string, SiteReport> = {};
  for (const folder of options.sites.split(',').filter((one) => one !== '')) {
    const site = await readSite(folder);
    reports[site.name] = await evaluateSite(service, site, Number(options.most));
  }
  process.stdout.write(options.json ? `${JSON.stringify(reports)}\n` : `${renderTable(reports)}\n`);
} finally {
  await stop();
}
process.exit();
