/**
 * Measures section redirects on sites with known redirects: half of a site's redirects are known, the other half are
 * dead paths. No database and no model: what is measured is src/rules/learned alone.
 *
 *   npm run build:tools && node .build/scripts/eval/moved-sections.js DIR…
 */
import { proposeSectionRedirects } from '#src/rules/learned/propose-section-redirects.js';
import { weighSectionRedirects } from '#src/rules/learned/weigh-section-redirects.js';
import { applySectionRedirects } from '#src/search/ranking/learned-redirects/weigh-redirects.js';
import { joinSegments, plainPath } from '#src/text/paths/plain-path.js';
import { random } from '../seeded.js';
import { readSite, type Case, type SiteData } from './site-data.js';

/** Halves are drawn so often, from fixed seeds. */
const ROUNDS = 10;

interface Tally {
  total: number;
  answered: number;
  right: number;
}

const byConfidence = new Map<string, Tally>();
const rows: string[][] = [['site', 'redirects', 'covered', 'precision']];
const shares: { covered: number; precision: number }[] = [];
for (const folder of process.argv.slice(2)) {
  const site = await readSite(folder);
  const tally = measureSite(site);
  const covered = tally.answered / tally.total;
  const precision = tally.right / tally.answered;
  rows.push([
    site.name,
    String(site.redirects.length),
    covered.toFixed(2),
    tally.answered === 0 ? 'none' : precision.toFixed(3),
  ]);
  shares.push({ covered, precision });
}
const precise = shares.filter(({ precision }) => !Number.isNaN(precision));
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
rows.push([
  'mean',
  '',
  mean(shares.map((s) => s.covered)).toFixed(2),
  mean(precise.map((s) => s.precision)).toFixed(3),
]);
for (const row of rows) console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(20) : cell.padStart(10))).join(''));
console.log('\nconfidence   answers  precision');
for (const [confidence, { answered, right }] of [...byConfidence].sort()) {
  console.log(`${confidence.padEnd(10)}${String(answered).padStart(10)}${(right / answered).toFixed(3).padStart(11)}`);
}

function measureSite(site: SiteData): Tally {
  const live = new Set(site.pages.map(({ path }) => plain(path)));
  const tally: Tally = { total: 0, answered: 0, right: 0 };
  for (let round = 1; round <= ROUNDS; round++) {
    const next = random(round * 7_919);
    const known: Case[] = [];
    const dead: Case[] = [];
    for (const redirect of site.redirects) (next() < 0.5 ? known : dead).push(redirect);
    const moves = weighSectionRedirects(
      proposeSectionRedirects(
        known.map(({ input, right }) => ({
          from: plainPath(input).segments,
          to: plainPath(right[0] ?? '').segments,
          weight: 1,
        })),
      ),
      live,
    );
    for (const { input, right } of dead) {
      const [best] = applySectionRedirects(plainPath(input).segments, moves, (path) => live.has(path));
      const isRight = best !== undefined && right.map(plain).includes(best.path);
      count(tally, best !== undefined, isRight);
      if (best) count(tallyOf(best.confidence.toFixed(1)), true, isRight);
    }
  }
  return tally;
}

function tallyOf(confidence: string): Tally {
  const tally = byConfidence.get(confidence) ?? { total: 0, answered: 0, right: 0 };
  byConfidence.set(confidence, tally);
  return tally;
}

function count(tally: Tally, answered: boolean, right: boolean): void {
  tally.total++;
  if (answered) tally.answered++;
  if (right) tally.right++;
}

function plain(path: string): string {
  return joinSegments(plainPath(path).segments);
}
