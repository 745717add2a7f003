import type { DeadPath } from '../../../text/paths/dead-path.js';
import { commonPrefix, dice, sortedTrigrams } from '../../../text/words/likeness.js';
import { lastStemsOf, MAX_OLD_WORDS, pathStem, type LivePath } from './page-path.js';

/** Evidence for a page from redirects of paths near the dead one; each 0 to 1, and 0 without such redirects. */
export interface RedirectEvidence {
  /** The folders that the page shares with the pages of the dead path's section, on average. */
  redirectedSection: number;
  /** The share of near redirects into the page's folder. The more alike their old path, the more they count. */
  redirectedFolder: number;
  /** The same for the page itself: a section whose pages were merged into it. */
  redirectedPage: number;
  /** The weight of the dead path's words that redirects replaced by words of the live path: `dtr` by `registry`. */
  renamedWords: number;
}

/** A redirect near the dead path. */
export interface KnownRedirect {
  pageId: string;
  oldPath: string;
  old: LivePath;
  /** The page's path with its query string, and prepared for comparison. */
  path: string;
  page: LivePath;
}

/** This sets how fast a redirect counts less with the distance of its old path: at a likeness of .9 it counts .45. */
const NEARNESS = 8;
/** The doubt is as one redirect that leads elsewhere, at a likeness of .63: less alike redirects decide little. */
const DOUBT = 0.05;
const NOTHING: RedirectEvidence = { redirectedSection: 0, redirectedFolder: 0, redirectedPage: 0, renamedWords: 0 };

/** Prepares the redirects near a dead path. `words`: the path's corrected words. */
export function prepareRedirects(
  { segments }: DeadPath,
  words: readonly string[],
  known: readonly KnownRedirect[],
  weight: (word: string) => number,
): { compare(pageId: string, live: LivePath): RedirectEvidence } {
  if (known.length === 0) return { compare: () => NOTHING };
  const section = foldersOfSection(segments, known);
  const near = nearnessOf(segments, known);
  const renamed = readRenamed(words, known, weight);
  // Many candidates share their folder.
  const ofFolder = new Map<string, number>();
  return {
    compare(pageId, live) {
      const shared = ofFolder.get(live.folder) ?? shareOfFolders(live.segments, section);
      ofFolder.set(live.folder, shared);
      return {
        redirectedSection: shared,
        redirectedFolder: near.folders.get(live.folder) ?? 0,
        redirectedPage: near.pages.get(pageId) ?? 0,
        renamedWords: renamed(live),
      };
    },
  };
}

/** Returns the live paths of the redirects that share most folders with the dead path; none if none shares any. */
function foldersOfSection(dead: readonly string[], known: readonly KnownRedirect[]): (readonly string[])[] {
  const shared = known.map(({ old }) => commonPrefix(dead, old.segments, dead.length - 1));
  const max = Math.max(0, ...shared);
  return max === 0 ? [] : known.filter((_, at) => shared[at] === max).map(({ page }) => page.segments);
}

/** Returns the mean share of common folders, as if one more redirect shared none. */
function shareOfFolders(live: readonly string[], section: readonly (readonly string[])[]): number {
  let sum = 0;
  for (const other of section) {
    const folders = Math.max(1, live.length - 1, other.length - 1);
    sum += commonPrefix(live, other, Math.min(live.length, other.length) - 1) / folders;
  }
  return sum / (section.length + 1);
}

/** Returns the share of each folder and page in the redirects, weighed by the likeness of their old paths. */
function nearnessOf(dead: readonly string[], known: readonly KnownRedirect[]) {
  const whole = sortedTrigrams(dead.join('/'));
  const [folders, pages] = [new Map<string, number>(), new Map<string, number>()];
  let total = DOUBT;
  for (const { old, pageId, page } of known) {
    const counts = Math.exp(NEARNESS * (dice(whole, old.pathTrigrams) - 1));
    total += counts;
    folders.set(page.folder, (folders.get(page.folder) ?? 0) + counts);
    pages.set(pageId, (pages.get(pageId) ?? 0) + counts);
  }
  for (const shares of [folders, pages]) for (const [key, counts] of shares) shares.set(key, counts / total);
  return { folders, pages };
}

/** Returns a function that computes `renamedWords` of a live path. */
function readRenamed(
  words: readonly string[],
  known: readonly KnownRedirect[],
  weight: (word: string) => number,
): (live: LivePath) => number {
  const wordByStem = new Map(words.map((word) => [pathStem(word), word]));
  let total = 0;
  for (const word of wordByStem.values()) total += weight(word);
  const replaced = [...wordByStem]
    .slice(-MAX_OLD_WORDS)
    .map(([ownStem, word]) => ({ ownStem, weight: weight(word), by: replacementsOf(ownStem, wordByStem, known) }))
    .filter(({ by }) => by.size > 0);
  return (live) => {
    if (replaced.length === 0 || total === 0) return 0;
    const stems = new Set(live.words.map((word) => word.stem));
    let sum = 0;
    for (const lost of replaced) {
      if (stems.has(lost.ownStem)) continue;
      let best = 0;
      for (const [other, share] of lost.by) if (share > best && stems.has(other)) best = share;
      sum += lost.weight * best;
    }
    return sum / total;
  };
}

/** Returns the words that came with the loss of a word, with their shares, as if one more old path kept it. */
function replacementsOf(
  lost: string,
  wordByStem: ReadonlyMap<string, string>,
  known: readonly KnownRedirect[],
): Map<string, number> {
  const counts = new Map<string, number>();
  let paths = 0;
  for (const { old, page } of known) {
    const stems = lastStemsOf(old);
    if (!stems.has(lost)) continue;
    paths++;
    if (page.words.some((word) => word.stem === lost)) continue;
    for (const { stem: gained } of page.words.slice(0, MAX_OLD_WORDS))
      if (!stems.has(gained) && !wordByStem.has(gained)) counts.set(gained, (counts.get(gained) ?? 0) + 1);
  }
  return new Map([...counts].map(([gained, count]) => [gained, count / (paths + 1)]));
}

/**
 * Tells for which pages a dead path is a dead end, however alike they look: for all if its rule marks it gone; for
 * those outside its folder if that is gone and no redirect leads out of it. A mistyped path may mean those inside.
 */
export function findDeadEnds(
  { segments }: DeadPath,
  isGone: boolean,
  folderIsGone: boolean,
  nearRedirects: readonly Pick<KnownRedirect, 'old'>[],
): (live: LivePath) => boolean {
  if (isGone) return () => true;
  if (!folderIsGone) return () => false;
  const folder = segments.slice(0, -1).join('/');
  // Near redirects are the next in order: those of the folder are among them, if there are any.
  const leavesFolder = nearRedirects.some(({ old }) => old.folder === folder);
  return (live) => !leavesFolder && live.folder !== folder;
}
