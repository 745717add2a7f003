/**
 * Measures what other methods redirect of the paths of pages that were taken off, where they send as many redirects to
 * the right page as pathmend does. `node .build/scripts/eval/peers/taken-off.js --sites DIR,DIR [--most N]`
 */
import { Command } from 'commander';
import { plainPath, plainWords } from '../path-words.js';
import { readSite, spread, type Case, type SitePage } from '../site-data.js';
import { chooseTakenOff } from '../taken-off.js';
import { miniSearch } from './minisearch.js';
import { pathTrigrams, slugEdit } from './paths.js';
import type { Peer, Ranked } from './peer.js';
import { KINDS, measureAt, placeThreshold, SURENESS, type BySite } from './place-threshold.js';
import { wordpressGuess } from './wordpress.js';

/** These shares of the redirects are sent to the right page, each with a threshold of its own. */
const AIMS = [0.55, 0.5];
// 404 Solution for WordPress redirects from 90 on; an edit counts a third there, so three letters of ten may differ.
const FIXED: Record<string, number> = {
  'slug_edit_distance by score': 0.7,
  'wordpress_guess by score': 1,
  'wordpress_same_folder by score': 1,
};

function buildPeers(pages: readonly SitePage[]): Peer[] {
  const scored = [miniSearch(pages), pathTrigrams(pages), slugEdit(pages)];
  return [...scored, wordpressGuess(pages, false), wordpressGuess(pages, true)];
}

const { sites, most } = new Command('taken-off')
  .requiredOption('--sites <dirs>', 'folders with pages.jsonl, redirects.jsonl and typos.jsonl, with commas')
  .option('--most <n>', 'cases of a kind per site at most', '120')
  .parse()
  .opts<{ sites: string; most: string }>();

const measured: Record<string, BySite> = {};
for (const folder of sites.split(',')) {
  const site = await readSite(folder);
  const takenOff = chooseTakenOff(site.pages, Number(most));
  const cases = {
    redirects: spread(site.redirects, Number(most)),
    typos: spread(site.typos, Number(most)),
    takenOff: takenOff.map(({ path }): Case => ({ input: path, right: [], kind: '' })),
  };
  const whole = buildPeers(site.pages);
  const without = buildPeers(site.pages.filter((page) => !takenOff.includes(page)));
  for (const kind of KINDS)
    for (const peer of kind === 'takenOff' ? without : whole) {
      const rankings: Ranked[][] = [];
      for (const { input } of cases[kind]) rankings.push(await peer.rank({ text: input, isPath: true }));
      for (const [name, sure] of Object.entries(SURENESS)) {
        const bySite = (measured[`${peer.name} by ${name}`] ??= { redirects: [], typos: [], takenOff: [] });
        bySite[kind].push(
          cases[kind].map(({ input, right }, i) => ({
            score: sure(rankings[i] ?? [], plainWords(plainPath(input)).length || 1),
            right: right.includes(rankings[i]?.[0]?.path ?? ''),
          })),
        );
      }
    }
  process.stderr.write(`${site.name}: ${KINDS.map((kind) => `${cases[kind].length} ${kind}`).join(', ')}\n`);
}

for (const [name, bySite] of Object.entries(measured))
  for (const threshold of [...AIMS.map((aim) => placeThreshold(bySite.redirects, aim)), FIXED[name]]) {
    if (threshold === undefined) continue;
    const figures = Object.entries({ threshold, ...measureAt(bySite, threshold) });
    const rounded = Object.fromEntries(figures.map(([of, figure]) => [of, Number(figure.toFixed(3))]));
    process.stdout.write(`${name}: ${JSON.stringify(rounded)}\n`);
  }
