/**
 * Fits how evidence becomes a score, on sites with known right answers, and writes it into a model's manifest.
 * `npm run calibrate -- --sites DIR,DIR [--evidence FILE] [--most N] [--write models/NAME/manifest.json]`
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { applyCurve, leadOver, rankValue, type Calibration, type ContentEvidence, type Ranking, type SuggestEvidence } from '#src/search/score.js';
import { mean } from '../eval/measures.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { collectEvidence, type ContentExample, type Evidence, type SuggestExample } from './collect-evidence.js';
import { fitChoice, fitCurve } from './fit.js';

const SUGGEST_NAMES: readonly (keyof SuggestEvidence)[] = [
  'words', 'liveInDead', 'pathTrigrams', 'slugTrigrams', 'slugEdit', 'prefix', 'depth', 'numbers', 'dense', 'lexical', 'slugLexical', 'association',
];
const CONTENT_NAMES: readonly (keyof ContentEvidence)[] = ['dense', 'lexical'];
const STRAIGHT = { slope: 1, lead: 0, intercept: 0 };

/** Every site weighs the same, a redirect twice a typo; junk as much as all typos of its site. */
function weightsOf(examples: readonly SuggestExample[]): (example: SuggestExample) => number {
  const counts = new Map<string, number>();
  for (const { site, kind } of examples) counts.set(`${site} ${kind}`, (counts.get(`${site} ${kind}`) ?? 0) + 1);
  return ({ site, kind }) => (kind === 'redirect' ? 2 : 1) / (counts.get(`${site} ${kind}`) ?? 1);
}

function fit(evidence: Evidence): Calibration {
  const { suggest, content } = evidence;
  const weigh = weightsOf(suggest);
  const choices = suggest.map((example) => ({ weight: weigh(example), candidates: example.candidates }));
  const ranking: Ranking<SuggestEvidence> = { rank: fitChoice(choices, SUGGEST_NAMES), score: STRAIGHT };
  const outcomes = suggest.flatMap((example) => {
    const best = firstOf(ranking, example);
    return best ? [{ x: best.value, lead: best.lead, y: Number(best.right), weight: weigh(example) }] : [];
  });
  return {
    suggest: { ...ranking, score: fitCurve(outcomes) },
    pathAsText: fitContent(content.filter((one) => one.kind === 'path')),
    query: fitContent(content.filter((one) => one.kind === 'query')),
  };
}

/**
 * Content alone seldom tells the one labelled page from its neighbours, several of which may answer a question. So
 * its score says less than suggest's: how probably a page of this evidence is the labelled one in a pool of that page
 * and three arbitrary ones of the site (nine are drawn, each counts a third).
 */
function fitContent(examples: readonly ContentExample[]): Ranking<ContentEvidence> {
  const choices = examples.map(({ candidates }) => ({ weight: 1, candidates }));
  const ranking: Ranking<ContentEvidence> = { rank: fitChoice(choices, CONTENT_NAMES), score: STRAIGHT };
  // No lead here: an arbitrary page never leads, so the first page would be good whatever it says.
  const outcomes = examples.flatMap(({ pool }) =>
    pool.map(({ evidence, right }) => ({ x: rankValue(ranking, evidence), lead: 0, y: Number(right), weight: right ? 1 : 1 / 3 })),
  );
  return { ...ranking, score: fitCurve(outcomes) };
}

function firstOf<Evidence extends object>(
  ranking: Ranking<Evidence>,
  example: { candidates: readonly { evidence: Evidence; right: boolean }[] },
): { value: number; lead: number; right: boolean } | undefined {
  const sorted = example.candidates
    .map(({ evidence, right }) => ({ value: rankValue(ranking, evidence), right }))
    .sort((a, b) => b.value - a.value);
  const [best, other] = sorted;
  return best && { ...best, lead: leadOver(best.value, other?.value) };
}

function isAmongFirst<Evidence extends object>(
  ranking: Ranking<Evidence>,
  example: { candidates: readonly { evidence: Evidence; right: boolean }[] },
  most: number,
): boolean {
  const sorted = example.candidates
    .map(({ evidence, right }) => ({ value: rankValue(ranking, evidence), right }))
    .sort((a, b) => b.value - a.value);
  return sorted.slice(0, most).some(({ right }) => right);
}

/** Each site judged by what was fitted on the others. */
function report(evidence: Evidence): string {
  const sites = [...new Set(evidence.suggest.map((example) => example.site))];
  const lines: string[] = ['fitted without the site: site, kind, recall@1, recall@3, answered at 0.7, precision@1 there'];
  const scored: { score: number; right: boolean }[] = [];
  const summary = new Map<string, number[][]>();
  for (const site of sites) {
    const calibration = fit({
      suggest: evidence.suggest.filter((one) => one.site !== site),
      content: evidence.content.filter((one) => one.site !== site),
    });
    for (const kind of ['redirect', 'typo', 'probe'] as const) {
      const examples = evidence.suggest.filter((one) => one.site === site && one.kind === kind);
      const first = examples.map((one) => {
        const best = firstOf(calibration.suggest, one);
        return best ? { score: applyCurve(calibration.suggest.score, best.value, best.lead), right: best.right } : { score: 0, right: false };
      });
      if (kind !== 'probe') scored.push(...first);
      const answered = first.filter((one) => one.score >= 0.7);
      const row = [
        mean(first.map((one) => Number(one.right))),
        mean(examples.map((one) => Number(isAmongFirst(calibration.suggest, one, 3)))),
        answered.length / (first.length || 1),
        mean(answered.map((one) => Number(one.right))),
      ];
      lines.push(`${site.padEnd(20)} ${kind.padEnd(9)} ${row.map((value) => value.toFixed(3)).join('  ')}`);
      summary.set(kind, [...(summary.get(kind) ?? []), row]);
    }
    const queries = evidence.content.filter((one) => one.site === site && one.kind === 'query');
    const found = queries.map((one) => firstOf(calibration.query, one));
    const clear = found.filter((best) => best && applyCurve(calibration.query.score, best.value, best.lead) >= 0.7);
    const row = [
      mean(found.map((best) => Number(best?.right ?? false))),
      mean(queries.map((one) => Number(isAmongFirst(calibration.query, one, 3)))),
      clear.length / (found.length || 1),
      mean(clear.map((best) => Number(best?.right ?? false))),
    ];
    lines.push(`${site.padEnd(20)} query     ${row.map((value) => value.toFixed(3)).join('  ')}`);
    summary.set('query', [...(summary.get('query') ?? []), row]);
  }
  for (const [kind, rows] of summary) {
    lines.push(`macro-average        ${kind.padEnd(9)} ${[0, 1, 2, 3].map((i) => mean(rows.map((row) => row[i] ?? 0)).toFixed(3)).join('  ')}`);
  }
  lines.push('reliability (redirects and typos): score from, n, share right');
  for (let from = 0; from < 1; from += 0.1) {
    const bin = scored.filter(({ score }) => score >= from && score < from + 0.1);
    lines.push(`${from.toFixed(1)}  ${String(bin.length).padStart(5)}  ${mean(bin.map((one) => Number(one.right))).toFixed(3)}`);
  }
  return lines.join('\n');
}

const options = new Command('calibrate')
  .requiredOption('--sites <dirs>', 'folders of sites, with commas')
  .option('--evidence <file>', 'keep the collected evidence here, or use what is kept')
  .option('--most <n>', 'cases of a kind per site at most', '300')
  .option('--write <manifest>', 'the manifest to write the calibration into')
  .parse()
  .opts<{ sites: string; evidence?: string; most: string; write?: string }>();

async function collect(): Promise<Evidence> {
  if (options.evidence !== undefined && existsSync(options.evidence)) return JSON.parse(await readFile(options.evidence, 'utf8')) as Evidence;
  const { service, stop } = await startThrowawayService(process.env);
  try {
    const evidence = await collectEvidence(service, options.sites.split(','), Number(options.most));
    if (options.evidence !== undefined) await writeFile(options.evidence, JSON.stringify(evidence));
    return evidence;
  } finally {
    await stop();
  }
}

const evidence = await collect();
process.stderr.write(`${report(evidence)}\n`);
const calibration = fit(evidence);
process.stdout.write(`${JSON.stringify(calibration, null, 2)}\n`);
if (options.write !== undefined) {
  const manifest = JSON.parse(await readFile(options.write, 'utf8')) as object;
  await writeFile(options.write, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`);
}
process.exit();
