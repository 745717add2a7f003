import { macroAverage, type AveragedSection, type MacroAverage } from './average.js';
import type { Section, SiteMeasures } from './evaluate-site.js';
import { CASE_KINDS, OVERLAP_CLASSES } from './site-data.js';

/** What is measured, as lines for a terminal. */
export function renderTable(sites: Record<string, SiteMeasures>): string {
  const lines = ['site                 what            n  r@1  r@3  mrr | answered prec@1 |  ece'];
  for (const [name, site] of Object.entries(sites)) {
    for (const kind of CASE_KINDS) if (site[kind].n > 0) lines.push(row(name, kind, site[kind]));
    lines.push(`${name.padEnd(20)} ${'probes'.padEnd(10)} ${String(site.probes.n).padStart(6)} ${' '.repeat(14)} | ${share(site.probes.answered).padStart(8)}`);
    if (site.reliability.n > 0) lines.push(`${name.padEnd(20)} ${'scores'.padEnd(10)} ${String(site.reliability.n).padStart(6)} ${' '.repeat(14)} | ${' '.repeat(15)} | ${share(site.reliability.ece).padStart(4)}`);
  }
  const average = macroAverage(Object.values(sites));
  if (Object.keys(sites).length > 1) {
    for (const kind of CASE_KINDS) if (average[kind].n > 0) lines.push(row('macro-average', kind, average[kind]));
    for (const name of OVERLAP_CLASSES) {
      const section = average.by_overlap[name];
      if (section) lines.push(`${row('  overlap', name, section)} |      ${section.sites} sites`);
    }
    lines.push(`macro-average: probes answered ${share(average.probes.answered)}, expected calibration error ${share(average.reliability.ece)}`);
  }
  if (CASE_KINDS.some((kind) => average[kind].peers)) lines.push('', peerTable(average));
  return lines.join('\n');
}

/** pathmend and its peers, one a line: recall@1/@3, each site weighing the same. */
function peerTable(average: MacroAverage): string {
  const columns: [string, AveragedSection][] = [
    ...CASE_KINDS.map((kind): [string, AveragedSection] => [kind, average[kind]]),
    ...OVERLAP_CLASSES.flatMap((name): [string, AveragedSection][] => {
      const section = average.by_overlap[name];
      return section ? [[name, section]] : [];
    }),
  ].filter(([, { n }]) => n > 0);
  const names = [...new Set(columns.flatMap(([, { peers }]) => Object.keys(peers ?? {})))];
  const line = (name: string, cell: (section: AveragedSection) => string): string =>
    name.padEnd(20) + columns.map(([, section]) => cell(section).padStart(14)).join('');
  return [
    'recall@1/@3 beside peers; the last columns are classes of redirects by overlap of old and new path',
    'peer'.padEnd(20) + columns.map(([title]) => title.padStart(14)).join(''),
    line('n', ({ n }) => String(n)),
    line('pathmend', pair),
    ...names.map((name) => line(name, ({ peers }) => (peers?.[name] ? pair(peers[name]) : ''))),
  ].join('\n');
}

function pair({ recall1, recall3 }: { recall1: number; recall3: number }): string {
  return `${share(recall1)}/${share(recall3)}`;
}

function row(site: string, what: string, s: Section): string {
  return `${site.padEnd(20)} ${what.padEnd(12)} ${String(s.n).padStart(4)} ${share(s.recall1).padStart(4)} ${share(s.recall3).padStart(4)} ${share(s.mrr).padStart(4)} | ${share(s.answered).padStart(8)} ${share(s.precision1).padStart(6)}`;
}

function share(value: number): string {
  return value.toFixed(2).replace(/^0/, '');
}
