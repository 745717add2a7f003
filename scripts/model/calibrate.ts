/**
 * Fits a calibration, by which evidence becomes a score, on sites with known right answers, and writes it into a
 * model's manifest.
 * `npm run calibrate -- --sites DIR,DIR [--content-only MANIFEST] [--evidence FILE] [--most N] [--write MANIFEST]`
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { openModel } from '#src/embedding/open-model.js';
import type { Calibration } from '#src/search/ranking/scores/calibration.js';
import { mean, reliabilityOf, type Reliability } from '../eval/measures.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { fitAllScores, fitByContent, fitCalibration, type KeptRanks } from './calibration.js';
import { judgeQuery, judgeSuggest, judgeSureness, type Judgement } from './judge.js';
import { placePoints } from './place-points.js';
import { collectEvidence, type ContentExample, type Evidence, type SuggestExample } from './collect-evidence.js';

const KINDS = [
  'redirect',
  'known',
  'typo',
  'taken_off',
  'deleted',
  'probe',
  'meant',
  'foreign',
  'query',
  'question',
  'unanswered',
] as const;
const COLUMNS = ['recall@1', 'recall@3', 'answered at 0.7', 'precision@1 there', 'above 0.9', 'precision@1 there'];

function rowOf(judged: readonly Judgement[]): number[] {
  const answered = judged.filter(({ score }) => score >= 0.7);
  const redirected = judged.filter(({ score }) => score > 0.9);
  return [
    mean(judged.map(({ right }) => Number(right))),
    mean(judged.map(({ amongThree }) => Number(amongThree))),
    answered.length / (judged.length || 1),
    mean(answered.map(({ right }) => Number(right))),
    redirected.length / (judged.length || 1),
    mean(redirected.map(({ right }) => Number(right))),
  ];
}

function judgeSite(
  calibration: Calibration,
  evidence: Evidence,
  site: string,
  kind: (typeof KINDS)[number],
): Judgement[] {
  const ofContent = { query: 'query', question: 'meant', unanswered: 'foreign' }[kind as string];
  return ofContent !== undefined
    ? evidence.content
        .filter((example) => example.site === site && example.kind === ofContent)
        .map((example) => judgeQuery(calibration, example))
    : evidence.suggest
        .filter((example) => example.site === site && example.kind === kind)
        .map((example) => judgeSuggest(calibration.suggest, example));
}

/** The number of fits: each leaves out every fifth site. With fewer sites, each site is left out by itself. */
const FOLDS = 5;

/**
 * Judges each site by what was fitted without it, and all on average by what was fitted on all. Returns a report, and
 * the reliability of suggest's scores.
 */
function check(
  evidence: Evidence,
  fitted: Calibration,
  fit: (evidence: Evidence) => Calibration,
  withPoints: boolean,
): { report: string; checked: Reliability & { sites: number } } {
  const all = [...evidence.suggest, ...evidence.content];
  const sites = [...new Set(all.map(({ site }) => site))];
  const kinds = KINDS.filter((kind) => sites.some((site) => judgeSite(fitted, evidence, site, kind).length > 0));
  const lines = [`fitted without the site: site, kind, ${COLUMNS.join(', ')}`];
  const rows = new Map<string, number[][]>();
  const suggested: Judgement[] = [];
  const redirects: Judgement[] = [];
  const known: Judgement[] = [];
  const questions: Judgement[] = [];
  const folds = Array.from({ length: Math.min(FOLDS, sites.length) }, (_, fold) => {
    const leftOut = new Set(sites.filter((_, at) => at % FOLDS === fold));
    const trainingEvidence: Evidence = {
      suggest: evidence.suggest.filter(({ site }) => !leftOut.has(site)),
      content: evidence.content.filter(({ site }) => !leftOut.has(site)),
    };
    return fit(trainingEvidence);
  });
  if (withPoints) {
    const points = placePoints(
      evidence.suggest.map((example) =>
        judgeSureness((folds[sites.indexOf(example.site) % FOLDS] as Calibration).suggest, example),
      ),
    );
    for (const calibration of [fitted, ...folds]) calibration.suggest.score.points = points;
  }
  for (const [at, site] of sites.entries()) {
    const calibration = folds[at % FOLDS] as Calibration;
    for (const kind of kinds) {
      const judged = judgeSite(calibration, evidence, site, kind);
      if (judged.length === 0) continue;
      if (kind === 'redirect' || kind === 'typo' || kind === 'taken_off') suggested.push(...judged);
      if (kind === 'redirect') redirects.push(...judged);
      if (kind === 'known') known.push(...judged);
      if (kind === 'query' || kind === 'question') questions.push(...judged);
      const row = rowOf(judged);
      rows.set(kind, [...(rows.get(kind) ?? []), row]);
      lines.push(renderRow(site, kind, row));
    }
  }
  const average = (of: readonly number[][]): number[] => COLUMNS.map((_, i) => mean(of.map((row) => row[i] ?? 0)));
  for (const [kind, of] of rows) lines.push(renderRow('macro-average', kind, average(of)));
  for (const kind of kinds) {
    lines.push(
      renderRow(
        'fitted on all sites',
        kind,
        average(
          sites.flatMap((site) => {
            const judged = judgeSite(fitted, evidence, site, kind);
            return judged.length === 0 ? [] : [rowOf(judged)];
          }),
        ),
      ),
    );
  }
  lines.push(
    ...renderReliability('redirects, typos and pages taken off', suggested),
    ...renderReliability('redirects', redirects),
  );
  lines.push(...renderReliability('redirects, half of them known', known));
  lines.push(...renderReliability('questions', questions));
  const { n, ece, bins } = reliabilityOf(suggested);
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  const rounded = bins.map((bin) => ({ ...bin, score: round(bin.score), right: round(bin.right) }));
  return { report: lines.join('\n'), checked: { sites: sites.length, n, ece: round(ece), bins: rounded } };
}

function renderRow(site: string, kind: string, row: readonly number[]): string {
  return `${site.padEnd(20)} ${kind.padEnd(9)} ${row.map((value) => value.toFixed(3)).join('  ')}`;
}

function renderReliability(what: string, judged: readonly Judgement[]): string[] {
  const { ece, bins } = reliabilityOf(judged);
  return [
    `reliability, ${what}: expected calibration error ${ece.toFixed(3)}; score from, n, mean score, share right`,
    ...bins.map(
      ({ from, n, score, right }) =>
        `${from.toFixed(1)}  ${String(n).padStart(5)}  ${score.toFixed(3)}  ${right.toFixed(3)}`,
    ),
  ];
}

const options = new Command('calibrate')
  .requiredOption('--sites <dirs>', 'folders of sites, with commas')
  .option('--cases <dir>', "cases in visitors' own words, a file a site")
  .option('--evidence <file>', 'keep the collected evidence here, or use what is kept')
  .option('--content-only <manifest>', 'fit only searches by content alone, and keep the rest of this calibration')
  .option('--scores-only <manifest>', 'fit only the scores, and keep the weights of this calibration')
  .option('--keep-query-rank <manifest>', 'keep its weights of questions, and fit only their curve')
  .option('--keep-rank <manifest>', 'keep its weights of suggest, and fit those that it lacks')
  .option('--prior <manifest>', 'pull the weights of suggest a little to its')
  .option('--most <n>', 'cases of a kind per site at most', '300')
  .option('--write <manifest>', 'the manifest to write the calibration into')
  .parse()
  .opts<{
    cases?: string;
    contentOnly?: string;
    scoresOnly?: string;
    keepQueryRank?: string;
    keepRank?: string;
    prior?: string;
    sites: string;
    evidence?: string;
    most: string;
    write?: string;
  }>();

/** Writes one example a line: all examples of twenty sites are more than a string can hold. */
async function writeEvidence(file: string, { suggest, content }: Evidence): Promise<void> {
  function* lines(): Generator<string> {
    for (const example of suggest) yield `${JSON.stringify({ suggest: example })}\n`;
    for (const example of content) yield `${JSON.stringify({ content: example })}\n`;
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
}

async function readEvidence(file: string): Promise<Evidence> {
  const evidence: Evidence = { suggest: [], content: [] };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { suggest, content } = JSON.parse(line) as { suggest?: SuggestExample; content?: ContentExample };
    if (suggest) evidence.suggest.push(suggest);
    if (content) evidence.content.push(content);
  }
  return evidence;
}

type Checked = ReturnType<typeof check>['checked'];

async function readCalibration(manifest: string): Promise<Calibration & { checked?: Checked }> {
  return (JSON.parse(await readFile(manifest, 'utf8')) as { calibration: Calibration & { checked?: Checked } })
    .calibration;
}

async function collect(): Promise<Evidence> {
  if (options.evidence !== undefined && existsSync(options.evidence)) return readEvidence(options.evidence);
  const { service, stop } = await startThrowawayService(process.env);
  try {
    const evidence = await collectEvidence(
      service,
      options.sites.split(','),
      Number(options.most),
      options.contentOnly !== undefined,
      options.cases,
    );
    if (options.evidence !== undefined) await writeEvidence(options.evidence, evidence);
    return evidence;
  } finally {
    await stop();
  }
}

const evidence = await collect();
const kept: KeptRanks = {
  ...(options.keepQueryRank === undefined ? {} : { query: (await readCalibration(options.keepQueryRank)).query.rank }),
  ...(options.keepRank === undefined ? {} : { suggest: (await readCalibration(options.keepRank)).suggest }),
  ...(options.prior === undefined ? {} : { prior: (await readCalibration(options.prior)).suggest.rank }),
};
const baseFile = options.contentOnly ?? options.scoresOnly;
const base = baseFile === undefined ? undefined : await readCalibration(baseFile);
const fit = (examples: Evidence): Calibration =>
  base === undefined
    ? fitCalibration(examples, kept)
    : options.scoresOnly === undefined
      ? { ...base, ...fitByContent(examples.content, kept.query) }
      : fitAllScores(base, examples);
const fitted = fit(evidence);
const { report, checked } = check(evidence, fitted, fit, options.contentOnly === undefined);
process.stderr.write(`${report}\n`);
// The manifest has the results of the check, too: docs/evidence/relevance.md and a test read them.
const calibration = { ...fitted, checked: options.contentOnly === undefined ? checked : (base?.checked ?? checked) };
process.stdout.write(`${JSON.stringify(calibration, null, 2)}\n`);
if (options.write !== undefined) {
  // A model without a manifest gets the one that pathmend derives.
  const local = { cacheFolder: '', hubUrl: '' };
  const { manifest } = await openModel(dirname(resolve(options.write)), local, new Map());
  await writeFile(options.write, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`);
}
process.exit();
