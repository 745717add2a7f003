import type { LearnedRedirect } from '../../rules/learned/learned-redirect.js';
import { readOwnRedirects, readSomePages, type OwnRedirect } from '../store/project-weights.js';
import type { SearchSpace } from '../store/space.js';
import { listSectionRedirects } from '../../rules/store/section-redirects.js';
import { readDeadPath } from '../../text/paths/dead-path.js';
import { joinSegments, plainPath, maskNumbers } from '../../text/paths/plain-path.js';
import type { CandidateDeps } from '../candidates/site-words.js';
import { findPathCandidates } from '../candidates/path-candidates.js';
import type { Calibration } from '../ranking/scores/calibration.js';
import { redirectsValue, rankValue } from '../ranking/scores/score.js';
import type { OwnCases, OwnSearch } from '../ranking/fit/cross-validate.js';
import { createHash } from 'node:crypto';

/** Sampled redirects: each costs a search. */
const MAX_REDIRECTS = 300;
/** Redirects that are read, to choose from. */
const MAX_READ = 2_000;
/** Of one page: a page that took the place of many would be learned, and nothing else. */
const MAX_PER_PAGE = 10;
const MAX_MISTYPED = 100;
const JUNK = 20;
/** The best of a search and the right one; what stands below them changes no fit. */
const CANDIDATES = 20;
/** As many suggestions as a search shows at most decides how many candidates are weighed. */
const LIMIT = 10;
/** As many as a project has at most. */
const MAX_SECTION_MOVES = 1_000;

/**
 * Searches for a project's own redirects as if each were not known: without the redirect, and without the section
 * redirects that it alone shows. And for live paths with a mistake, and for junk.
 */
export async function collectOwnCases(
  deps: CandidateDeps,
  space: SearchSpace,
  model: Calibration['suggest'],
  signal: AbortSignal,
): Promise<OwnCases> {
  const redirects = choose(await readOwnRedirects(space.db, space.projectId, MAX_READ));
  const groups = groupRedirects(redirects);
  const shownOnce = await sectionsShownOnce(space);

  const ask = async (path: string, right: string | undefined, asUnknown: (redirect: LearnedRedirect) => boolean) => {
    signal.throwIfAborted();
    const found = await findPathCandidates(deps, space, model.rank, readDeadPath(path), LIMIT, signal, asUnknown);
    const weighed = found.candidates.map(({ pageId, evidence, byRedirects }) => {
      const base = redirectsValue(evidence.moved, byRedirects);
      return { evidence, base, right: pageId === right, value: rankValue(model.rank, evidence) + base };
    });
    weighed.sort((a, b) => b.value - a.value);
    const candidates: OwnSearch['candidates'] = weighed.filter((one, at) => at < CANDIDATES || one.right);
    return { candidates };
  };

  const cases: { [Kind in keyof OwnCases]: OwnCases[Kind][number][] } = { redirects: [], mistyped: [], junk: [] };
  for (const [at, { old_path: path, page_id: page, path: to }] of redirects.entries()) {
    const target = joinSegments(plainPath(to).segments);
    const byItself = ({ section }: LearnedRedirect): boolean =>
      section?.path === target && shownOnce.has(`${section.oldPrefix} ${section.newPrefix}`);
    cases.redirects.push({ ...(await ask(path, page, byItself)), group: groups[at] ?? '' });
  }
  // Too few for a fit: skip the other searches.
  if (cases.redirects.length === 0) return cases;
  for (const { page_id: page, path } of await readSomePages(space.db, space.projectId, MAX_MISTYPED)) {
    const mistyped = mistype(path);
    if (mistyped !== undefined) cases.mistyped.push({ ...(await ask(mistyped, page, () => false)), group: page });
  }
  for (const path of junkPaths(JUNK)) cases.junk.push(await ask(path, undefined, () => false));
  return cases;
}

/** At most so many in all, and of one page. A redirect of a path that no word is in tells nothing. */
function choose(redirects: readonly OwnRedirect[]): OwnRedirect[] {
  const ofPage = new Map<string, number>();
  return redirects
    .filter(({ page_id: page, old_path: path }) => {
      if (readDeadPath(path).words.length === 0) return false;
      const before = ofPage.get(page) ?? 0;
      ofPage.set(page, before + 1);
      return before < MAX_PER_PAGE;
    })
    .slice(0, MAX_REDIRECTS);
}

/** Section redirects that fewer than two moved paths show. */
async function sectionsShownOnce({ db, projectId }: SearchSpace): Promise<Set<string>> {
  const moves = await listSectionRedirects(db, projectId, undefined, MAX_SECTION_MOVES);
  return new Set(moves.flatMap((one) => (one.support < 2 ? [`${one.old_prefix} ${one.new_prefix}`] : [])));
}

/** A path with a mistake in its last segment: letters exchanged, left out or doubled. Undefined if it is too short. */
export function mistype(path: string): string | undefined {
  const slash = path.lastIndexOf('/', path.length - 2);
  const [folder, slug] = [path.slice(0, slash + 1), path.slice(slash + 1)];
  const places = [...slug.matchAll(/(?<=\p{L})\p{L}(?=\p{L})/gu)]
    .map(({ index }) => index)
    .filter((at) => slug[at] !== slug[at + 1]);
  if (path.includes('?') || places.length < 2) return undefined;
  const chance = numberOf(path);
  const at = places[chance % places.length] ?? 0;
  const [before, letter, next, after] = [slug.slice(0, at), slug.charAt(at), slug.charAt(at + 1), slug.slice(at + 2)];
  const mistakes = [next + letter, next, letter + letter + next];
  return folder + before + (mistakes[chance % mistakes.length] ?? '') + after;
}

/** Paths of random letters. */
export function junkPaths(many: number): string[] {
  return Array.from({ length: many }, (_, at) => {
    const letters = createHash('sha256')
      .update(`junk ${at}`)
      .digest('base64')
      .toLowerCase()
      .replace(/[^a-z]/g, '');
    return at % 2 === 0 ? `/${letters.slice(0, 9)}` : `/${letters.slice(0, 6)}/${letters.slice(6, 15)}`;
  });
}

/**
 * Names groups of redirects: those to one page, and those whose old paths differ in numbers, case or ending only. What
 * one of a group teaches is not news for the others.
 */
export function groupRedirects(redirects: readonly { old_path: string; page_id: string }[]): string[] {
  const parents = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) at = up;
    return at;
  };
  for (const { old_path: path, page_id: page } of redirects) parents.set(root(pathGroup(path)), root(`page ${page}`));
  return redirects.map(({ page_id: page }) => root(`page ${page}`));
}

function pathGroup(path: string): string {
  return `path ${maskNumbers(plainPath(path).segments)}`;
}

function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
