import { eraseDeletedPage } from '#src/pages/maintain-pages.js';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { parsePageUrl } from '#src/text/page-url.js';
import type { Service } from '#src/app/service.js';
import { random } from '../seeded.js';
import { pushSite, type IndexedSite } from './index-site.js';
import { plainPath, plainWords } from './path-words.js';
import type { Case, SiteData, SitePage } from './site-data.js';

/** Pages taken off a site at most, and the share of its pages, so that the rest is still that site. */
const MAX_TAKEN_OFF = 60;
const MAX_SHARE = 0.25;
/** A page whose runs of words stand on another page to this share is still there: its path has a right answer. */
const STANDS_ELSEWHERE = 0.9;
/** Words in a run. Five tell texts apart (Broder 1997, "On the resemblance and containment of documents"). */
const RUN = 5;
const SEED = 404;

/**
 * Pages to take off: chosen at random, the same on every run. A page whose text or path stands elsewhere too is left
 * out, and so is one whose path has no word.
 */
export function chooseTakenOff(pages: readonly SitePage[], most: number): SitePage[] {
  const chance = random(SEED);
  const shuffled = pages.map((page) => ({ page, at: chance() })).sort((a, b) => a.at - b.at);
  const wanted = Math.min(most, MAX_TAKEN_OFF, Math.floor(pages.length * MAX_SHARE));
  const sharedPaths = repeated(pages.map(({ path }) => plainPath(path)));
  const candidates = shuffled
    .map(({ page }) => page)
    .filter(({ path }) => plainWords(plainPath(path)).length > 0 && !sharedPaths.has(plainPath(path)));
  const chosen: SitePage[] = [];
  for (let from = 0; chosen.length < wanted && from < candidates.length; from += wanted) {
    const batch = candidates.slice(from, from + wanted);
    const elsewhere = findElsewhere(batch, pages);
    chosen.push(...batch.filter((page) => !elsewhere.has(page)));
  }
  return chosen.slice(0, wanted);
}

/** Finds those of some pages whose text stands on another page. Only their own runs of words are held in memory. */
function findElsewhere(candidates: readonly SitePage[], pages: readonly SitePage[]): Set<SitePage> {
  const sizes = new Map<SitePage, number>();
  const byRun = new Map<string, SitePage[]>();
  for (const page of candidates) {
    const runs = runsOf(page.content);
    sizes.set(page, runs.size);
    for (const run of runs) byRun.set(run, [...(byRun.get(run) ?? []), page]);
  }
  const elsewhere = new Set<SitePage>();
  for (const { path, content } of pages) {
    const common = new Map<SitePage, number>();
    for (const run of runsOf(content))
      for (const page of byRun.get(run) ?? []) if (page.path !== path) common.set(page, (common.get(page) ?? 0) + 1);
    for (const [page, count] of common) if (count / (sizes.get(page) ?? 0) >= STANDS_ELSEWHERE) elsewhere.add(page);
  }
  return elsewhere;
}

/** The answers to the paths of pages that were taken off: no page is right for any of them. */
export interface TakenOff<Found> {
  /** The project never knew the pages. */
  taken_off: Found;
  /** The project knew the pages and saw them deleted. */
  deleted: Found;
}

/**
 * Takes pages off a site over HTTP and asks for their paths, forgets that they were there, and asks again. Afterwards
 * the pages are indexed as before.
 */
export async function takeOff<Found>(
  service: Service,
  indexed: IndexedSite,
  site: SiteData,
  { most, titlesInContent }: { most: number; titlesInContent: boolean },
  ask: (cases: readonly Case[], kind: keyof TakenOff<Found>) => Promise<Found>,
): Promise<TakenOff<Found>> {
  const pages = chooseTakenOff(site.pages, most);
  const cases = pages.map(({ path }): Case => ({ input: path, right: [], kind: 'taken off' }));
  for (const { url } of pages) await deletePage(service, indexed, url);
  const deleted = await ask(cases, 'deleted');
  for (const { url } of pages) {
    const page = parsePageUrl(url);
    if (page) await eraseDeletedPage(service.db, indexed.projectId, page.hash);
  }
  await waitUntilVisible();
  const takenOff = await ask(cases, 'taken_off');
  await pushSite(service, indexed.projectId, site, titlesInContent);
  return { taken_off: takenOff, deleted };
}

async function deletePage(service: Service, { key }: IndexedSite, url: string): Promise<void> {
  const response = await fetch(`${service.url}/v1/pages/delete`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ url }),
  });
  if (response.status !== 200) throw new Error(`${url} could not be deleted: ${await response.text()}`);
}

function runsOf(text: string): Set<string> {
  const words = plainWords(text);
  if (words.length <= RUN) return new Set([words.join(' ')]);
  return new Set(words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(' ')));
}

function repeated(values: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(values.filter((value) => seen.size === seen.add(value).size));
}
