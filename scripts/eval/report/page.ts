import type { Asked } from '../ask.js';
import { macroAverage } from '../average.js';
import { DEFAULT_THRESHOLD, REDIRECT_THRESHOLD, type Section, type SiteResult } from '../evaluate-site.js';
import { outcomesOf } from '../measures.js';
import { CASE_KINDS, OVERLAP_CLASSES, type CaseKind } from '../site-data.js';
import { adviceSection } from './advice.js';
import { listSection } from './list-advice.js';
import { figure, html, Html, percent, tableOf, two } from './html.js';
import { confidentMisses, lowRanked, type Miss } from './misses.js';
import { recallBars, reliabilityDiagram, type BarGroup } from './plots.js';
import { STYLE } from './style.js';

const MISSES = 20;
const TITLES: Record<CaseKind, string> = {
  redirects: 'Dead paths',
  typos: 'Mistyped paths',
  queries: 'Questions',
  meant_paths: 'Dead paths in other words',
  meant_questions: 'Questions in other words',
};

/** One file that needs nothing else: what was measured on these sites, and which threshold suits each. */
export function renderReport(results: readonly SiteResult[], aim: number): string {
  const title =
    results.length === 1 ? `pathmend on ${results[0]?.site.name ?? ''}` : `pathmend on ${results.length} sites`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><h1>${title}</h1>
<p>Every case has a page that is known to be right, except for paths of pages that were taken off. recall@1 is the share of cases whose first answer is that page, recall@3 the share where it is among the first three, both without a threshold.</p>
${results.length > 1 ? averages(results) : undefined}
${results.map((result) => siteSection(result, aim))}
</main></body></html>
`.text;
}

function averages(results: readonly SiteResult[]): Html {
  const average = macroAverage(results.map(({ measures }) => measures));
  const classes = OVERLAP_CLASSES.map((name) => [`Dead paths, overlap ${name}`, average.by_overlap[name]] as const);
  return html`<h2>All sites, each weighing the same</h2>${recallFigure([...CASE_KINDS.map((kind) => [TITLES[kind], average[kind]] as const), ...classes])}`;
}

function siteSection({ site, measures, searchesByKind: searches }: SiteResult, aim: number): Html {
  const classes = OVERLAP_CLASSES.map(
    (name) => [`Dead paths, overlap ${name}`, measures.redirects.by_overlap[name]] as const,
  );
  const groups = [...CASE_KINDS.map((kind) => [TITLES[kind], measures[kind]] as const), ...classes];
  const paths = [searches.redirects, searches.typos];
  // Mistakes seeded into live paths are easy, and would drown what the site's own dead paths say.
  const deadPaths = searches.redirects.cases.length > 0 ? searches.redirects : searches.typos;
  const pathOutcomes = outcomesOf(deadPaths.cases, deadPaths.answers);
  const queryOutcomes = outcomesOf(searches.queries.cases, searches.queries.answers);
  const junk = outcomesOf(searches.probes.cases, searches.probes.answers);
  const isClicks = [...searches.redirects.cases, ...searches.queries.cases].some(({ kind }) => kind === 'click');
  return html`<section><h2>${site.name}</h2>
<p>${site.pages.length} pages; ${CASE_KINDS.filter((kind) => measures[kind].n > 0).map((kind, i) => `${i > 0 ? ', ' : ''}${measures[kind].n} ${TITLES[kind].toLowerCase()}`)}.</p>
${isClicks ? html`<p>The cases are what visitors clicked. Nobody can click a page that was not shown, so these numbers flatter; a redirect map says more.</p>` : undefined}
${leftOut(site.leftOut)}
<h3>How often the right page is found</h3>
${recallFigure(groups)}
${
  pathOutcomes.length === 0
    ? undefined
    : html`${reliabilitySection(measures.reliability)}
${adviceSection({ endpoint: 'suggest', outcomes: pathOutcomes, junk, aim, standard: DEFAULT_THRESHOLD })}
${listSection('suggest', deadPaths, junk)}`
}
${
  queryOutcomes.length === 0
    ? undefined
    : html`${adviceSection({ endpoint: 'semantic-search', outcomes: queryOutcomes, junk: [], aim, standard: DEFAULT_THRESHOLD })}
<p>Several pages may answer a question; only those named in the cases count as right, so precision is lower here than visitors meet.</p>
${listSection('semantic-search', searches.queries, [])}`
}
${takenOffSection(measures, searches.taken_off)}
${missesSection(confidentMisses(paths, MISSES), 'Wrong answers with the highest scores', 'Dead paths')}
${missesSection(lowRanked(paths, MISSES), 'Right pages that are not among the first three', 'Dead paths')}
${missesSection(confidentMisses([searches.queries], MISSES), 'Questions answered wrongly with the highest scores', 'Questions')}
</section>`;
}

function takenOffSection({ taken_off: unknown, deleted }: SiteResult['measures'], searches: Asked): Html | undefined {
  if (unknown.n === 0) return undefined;
  const row = (title: string, { n, answered, at_redirect }: Section): (string | number)[] => [
    title,
    n,
    percent(answered),
    percent(at_redirect?.answered ?? 0),
  ];
  return html`<h3>Pages that were taken off</h3>
<p>These pages were taken off the site, and nothing took their place. No answer to their paths is right.</p>
${tableOf(
  'Paths of pages that were taken off',
  ['pages', 'paths', `answered at ${two(DEFAULT_THRESHOLD)}`, `redirected at ${two(REDIRECT_THRESHOLD)}`],
  [row('never known', unknown), row('known and deleted', deleted)],
)}
${missesSection(confidentMisses([searches], MISSES), 'Pages taken off, with the highest scores', 'Dead paths')}`;
}

function leftOut(all: SiteResult['site']['leftOut']): Html | undefined {
  if (all.length === 0) return undefined;
  const total = all.reduce((sum, { count }) => sum + count, 0);
  return html`<details><summary>${total} rows gave no case</summary>${tableOf(
    'What was left out',
    ['reason', 'rows', 'such as'],
    all.map(({ reason, count, examples }) => [reason, count, examples.join('; ')]),
  )}</details>`;
}

function recallFigure(groups: readonly (readonly [string, Section | undefined])[]): Html {
  const shown = groups.flatMap(([title, section]): { group: BarGroup; section: Section }[] => {
    if (!section || section.n === 0) return [];
    const peers = Object.entries(section.peers ?? {}).map(([name, { recall1, recall3 }]) => ({
      name: name.replaceAll('_', ' '),
      recall1,
      recall3,
    }));
    return [
      { section, group: { title: `${title} (${section.n})`, bars: [{ name: 'pathmend', ...section }, ...peers] } },
    ];
  });
  const rows = shown.flatMap(({ group }) =>
    group.bars.map(({ name, recall1, recall3 }) => [`${group.title}: ${name}`, two(recall1), two(recall3)]),
  );
  const rowsOfPathmend = shown.map(({ group, section }) => [
    group.title,
    two(section.recall1),
    two(section.recall3),
    two(section.mrr),
    percent(section.answered),
    two(section.precision1),
  ]);
  return html`${figure(
    'Full bar: recall@1; pale bar: recall@3. In brackets the number of cases; overlap is how much the words of old and new path agree (Jaccard index).',
    recallBars(shown.map(({ group }) => group)),
    tableOf('Recall of each method', ['method', 'recall@1', 'recall@3'], rows),
  )}
${tableOf(`pathmend; answered and precision@1 at the default threshold of ${two(DEFAULT_THRESHOLD)}`, ['cases', 'recall@1', 'recall@3', 'MRR', 'answered', 'precision@1'], rowsOfPathmend)}`;
}

function reliabilitySection(reliability: SiteResult['measures']['reliability']): Html {
  const rows = reliability.bins.map((bin) => [
    `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`,
    bin.n,
    bin.n === 0 ? '–' : two(bin.score),
    bin.n === 0 ? '–' : two(bin.right),
  ]);
  return html`<h3>Whether the score can be believed</h3>
<p>Expected calibration error: ${reliability.ece.toFixed(3)} on ${reliability.n} paths. It is how far score and share of right answers lie apart, on average.</p>
${figure(
  'Each point: the answers of a tenth of the scale, with the 95 % interval of the share that is right. On the diagonal a score of 0.8 is right 8 times in 10; points above it are better than they say.',
  reliabilityDiagram(reliability),
  tableOf('Reliability of the score', ['scores', 'cases', 'mean score', 'share right'], rows),
)}`;
}

function missesSection(misses: readonly Miss[], title: string, what: string): Html | undefined {
  if (misses.length === 0) return undefined;
  const rows = misses.map((miss) => [
    html`<code>${miss.input}</code>`,
    html`<code>${miss.wanted}</code>`,
    miss.answer === undefined ? 'nothing' : html`<code>${miss.answer}</code>`,
    two(miss.score),
    miss.rank === 0 ? 'not found' : miss.rank,
  ]);
  return html`<h3>${title}</h3>${tableOf(`${what}: ${misses.length}${misses.length === MISSES ? ' of the worst' : ''}`, [what === 'Questions' ? 'question' : 'path', 'wanted', 'given', 'score', 'rank of wanted'], rows)}`;
}
