import { macroAverage, type AveragedSection, type MacroAverage } from './average.js';
import type { HalfKnown, Section, SiteMeasures, SiteResult } from './evaluate-site.js';
import { outcomesOf, type RankMeasures } from './measures.js';
import { adviseThreshold, thresholdCurve } from './report/threshold.js';
import { REDIRECT_KINDS } from './redirect-kinds.js';
import { CASE_KINDS, OVERLAP_CLASSES, type CaseKind } from './site-data.js';

/** Renders the measures as lines for a terminal. `aim`: how often a redirect has to be right, 0 to 1. */
export function renderTable(results: readonly SiteResult[], aim: number): string {
  const sites: Record<string, SiteMeasures> = Object.fromEntries(
    results.map((result) => [result.site.name, result.measures]),
  );
  const lines = ['site                 what            n  r@1  r@3  mrr | answered prec@1 |  ece'];
  for (const [name, site] of Object.entries(sites)) {
    for (const kind of CASE_KINDS) if (site[kind].n > 0) lines.push(row(name, kind, site[kind]));
    lines.push(
      `${name.padEnd(20)} ${'probes'.padEnd(10)} ${String(site.probes.n).padStart(6)} ${' '.repeat(14)} | ${share(site.probes.answered).padStart(8)}`,
    );
    if (site.reliability.n > 0)
      lines.push(
        `${name.padEnd(20)} ${'scores'.padEnd(10)} ${String(site.reliability.n).padStart(6)} ${' '.repeat(14)} | ${' '.repeat(15)} | ${share(site.reliability.ece).padStart(4)}`,
      );
  }
  for (const [name, site] of Object.entries(sites)) lines.push(...kindLines(name, site.redirects.by_kind));
  const average = macroAverage(Object.values(sites));
  if (Object.keys(sites).length > 1) {
    for (const kind of CASE_KINDS) if (average[kind].n > 0) lines.push(row('macro-average', kind, average[kind]));
    for (const name of OVERLAP_CLASSES) {
      const section = average.by_overlap[name];
      if (section) lines.push(`${row('  overlap', name, section)} |      ${section.sites} sites`);
    }
    lines.push(...kindLines('macro-average', average.by_kind));
    lines.push(
      `macro-average: probes answered ${share(average.probes.answered)}, expected calibration error ${share(average.reliability.ece)}`,
    );
  }
  lines.push('', ...takenOffLines(sites, average));
  lines.push('', ...halfLines(sites, average));
  lines.push('', ...listLines(sites, average), '', ...results.flatMap((result) => adviceLines(result, aim)));
  if (CASE_KINDS.some((kind) => average[kind].peers)) lines.push('', peerTable(average));
  return lines.join('\n');
}

/** Shows redirects by their kind: by what the site did to the path. */
function kindLines(name: string, kinds: Partial<Record<string, RankMeasures>>): string[] {
  return REDIRECT_KINDS.flatMap((kind) => {
    const ranks = kinds[kind];
    if (!ranks) return [];
    return [
      `${name.padEnd(20)} ${kind.padEnd(14)} ${String(ranks.n).padStart(4)} ${share(ranks.recall1).padStart(4)} ${share(ranks.recall3).padStart(4)}`,
    ];
  });
}

/** Pages that were taken off: how many of their paths are answered and redirected, and what a mixture gets right. */
function takenOffLines(sites: Record<string, SiteMeasures>, average: MacroAverage): string[] {
  type TakenOff = Pick<SiteMeasures, 'taken_off' | 'deleted' | 'mixture'>;
  const named: [string, TakenOff][] = Object.entries(sites);
  if (named.length > 1) named.push(['macro-average', average]);
  const pairOf = ({ answered, at_redirect }: Section): string =>
    `${share(answered).padStart(8)} ${share(at_redirect?.answered ?? 0).padStart(10)}`;
  return [
    'pages taken off: no answer is right; mixture: a third each moved, mistyped, taken off',
    `${' '.repeat(25)} | unknown             | deleted             | mixture: share right`,
    `${'site'.padEnd(20)}    n | answered redirected | answered redirected | answered redirected`,
    ...named.map(([name, { taken_off, deleted, mixture }]) => {
      const right = mixture
        ? `${share(mixture.at_default.precision1).padStart(8)} ${share(mixture.at_redirect.precision1).padStart(10)}`
        : '';
      return `${name.padEnd(20)} ${String(taken_off.n).padStart(4)} | ${pairOf(taken_off)} | ${pairOf(deleted)} | ${right}`;
    }),
  ];
}

/** Shows what a site's own redirects teach: one half of them, asked for before and after the other half is known. */
function halfLines(sites: Record<string, SiteMeasures>, average: MacroAverage): string[] {
  const named: [string, Omit<HalfKnown, 'reliability'> & { reliability: { ece: number } }][] = [];
  for (const [name, { half_known: half }] of Object.entries(sites)) if (half) named.push([name, half]);
  if (named.length === 0) return [];
  if (named.length > 1 && average.half_known) named.push(['macro-average', average.half_known]);
  return [
    'half of the redirects known: the other half    n | cold r@1  r@3 | known r@1  r@3 | answered prec@1 | at .9 prec@1 |  ece',
    ...named.map(
      ([name, halfKnown]) =>
        `${name.padEnd(40)} ${String(halfKnown.n).padStart(6)} | ${share(halfKnown.cold.recall1).padStart(8)} ${share(halfKnown.cold.recall3).padStart(4)} | ${share(halfKnown.recall1).padStart(9)} ${share(halfKnown.recall3).padStart(4)} | ${share(halfKnown.answered).padStart(8)} ${share(halfKnown.precision1).padStart(6)} | ${share(halfKnown.at_redirect.answered).padStart(5)} ${share(halfKnown.at_redirect.precision1).padStart(6)} | ${share(halfKnown.reliability.ece).padStart(4)}`,
    ),
  ];
}

/** Shows how often the right page is among the links of a list, at the default threshold and at that for lists. */
function listLines(sites: Record<string, SiteMeasures>, average: MacroAverage): string[] {
  const named: [string, Record<CaseKind, Section>][] = Object.entries(sites);
  if (named.length > 1) named.push(['macro-average', average]);
  const line = (name: string, kind: CaseKind, { lists, n }: Section): string[] => {
    if (!lists || n === 0) return [];
    const cell = (at: 'at_default' | 'at_list'): string =>
      `${share(lists[at].right_shown).padStart(5)} ${lists[at].links.toFixed(1).padStart(5)}`;
    return [`${name.padEnd(20)} ${kind.padEnd(12)} | ${cell('at_default')} | ${cell('at_list')}`];
  };
  return [
    'lists of 3: the right page is shown (share of cases), links shown, at the default and at the list threshold',
    `${'site'.padEnd(20)} ${'what'.padEnd(12)} | at .7  links | at .1  links`,
    ...named.flatMap(([name, site]) => CASE_KINDS.flatMap((kind) => line(name, kind, site[kind]))),
  ];
}

/** The two thresholds that suit a site: for a redirect, and for a list that a visitor chooses from. */
function adviceLines({ site, measures, searchesByKind }: SiteResult, aim: number): string[] {
  const kind = searchesByKind.redirects.cases.length > 0 ? 'redirects' : 'typos';
  const { cases, answers } = searchesByKind[kind];
  const list = measures[kind].lists?.suits;
  if (cases.length === 0 || !list) return [];
  const advice = adviseThreshold(thresholdCurve(outcomesOf(cases, answers)), aim);
  const redirect =
    advice.verdict === 'too little'
      ? 'too few cases to say'
      : advice.verdict === 'never'
        ? `none is right ${share(aim)} of the time`
        : `${share(advice.point.threshold)} (${share(advice.point.precision)} right)`;
  return [
    `${site.name}: threshold for a redirect: ${redirect}; for a list: ${share(list.threshold)} (right page shown ${share(list.right_shown)}, ${list.links.toFixed(1)} links)`,
  ];
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
