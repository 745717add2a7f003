import type { Scope } from '../../database/queries/search/scope.js';
import type { JsonObject } from '../../glossary.js';
import type { CandidateDeps } from '../evidence/candidates.js';
import { findContentCandidates, type ContentCandidates } from '../evidence/content-candidates.js';
import { findPathCandidates, type PathCandidateEvidence } from '../evidence/path-candidates.js';
import type { PathCandidate } from '../../database/queries/search/found-by-path.js';
import { explain, type Explanation } from './explanation.js';
import { MAX_BY_CLICKS } from '../../moves/clicked-page.js';
import { moveKeys } from '../../moves/look-up-moves.js';
import { looksLikeProbe } from '../../text/paths/probe-path.js';
import type { Calibration, ContentEvidence, StandingCurve, Ranking } from './calibration.js';
import { knownValue, rankValue, scoreByStanding, scoreTogether } from './score.js';
import { understandPath, type UnderstoodPath } from '../spelling/understand-path.js';

/** A page with its score, best first. */
export interface Ranked {
  pageId: string;
  score: number;
  /** What an answer shows of it, as far as the search has read it. */
  page: RankedPage;
  /** Why; made only when somebody asks. */
  explain: () => Explanation;
}

export interface RankedPage {
  url: string;
  path: string;
  title: string | null;
  /** Undefined: not read yet, because it is long. */
  metadata: () => JsonObject | null | undefined;
  /** Null unless asked for. */
  content: string | null;
}

export interface RankedAnswer {
  /** What was searched for, in words. */
  understood: string;
  ranked: Ranked[];
  /** Whether vectors spoke for any page: then those of the model were there. */
  byMeaning: boolean;
}

/** What a request for scanners' and robots' files may score at most: below every threshold that means "good". */
export const MOST_FOR_PROBES = 0.5;

/** Ranks the pages that a dead path may have meant; `limit` of them are given. */
export async function rankForPath(
  deps: CandidateDeps,
  { rank: weights, score: curve }: Calibration['suggest'],
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const { understood, candidates } = await findPathCandidates(deps, scope, weights, path, limit, signal);
  const guesses = candidates.map(({ evidence }) => rankValue(weights, evidence));
  const values = candidates.map(({ evidence, told }, at) => (guesses[at] ?? 0) + knownValue(evidence.moved, told));
  const scores = scoreTogether(curve, values);
  // What would be answered without clicks; the same where nobody clicked.
  const clicked = candidates.some(({ evidence, told }) => evidence.moved > told);
  const unclicked = clicked
    ? scoreTogether(
        curve,
        candidates.map(({ told }, at) => (guesses[at] ?? 0) + knownValue(told, told)),
      )
    : scores;
  const isProbe = looksLikeProbe(path);
  const best = inOrder(
    candidates.map(({ pageId, evidence, told, row }, at) => {
      // What the customer or visitors have shown is known, whatever the paths look like.
      const most = isProbe && !looksLikeProbe(row.path) ? MOST_FOR_PROBES : 1;
      const score = Math.max(Math.min(most, scores[at] ?? 0), evidence.moved);
      const byClicks = evidence.moved > told ? Math.max(Math.min(most, unclicked[at] ?? 0), told, MAX_BY_CLICKS) : 1;
      return { at, pageId, value: values[at] ?? 0, score: Math.min(score, byClicks) };
    }),
  ).slice(0, limit);
  const ranked = best.map(({ at, pageId, score }): Ranked => {
    const { evidence, told, row } = candidates[at] as PathCandidateEvidence;
    return {
      pageId,
      score,
      page: pageOf(row),
      explain: () => explain(understood, weights, evidence, knownValue(evidence.moved, told)),
    };
  });
  return {
    understood: understood.words.words.join(' '),
    ranked,
    byMeaning: candidates.some(({ evidence }) => evidence.dense > 0),
  };
}

function pageOf({ url, path, title, metadata, large }: PathCandidate): RankedPage {
  return {
    url,
    path,
    title,
    metadata: () => (large === true ? undefined : metadata === null ? null : (JSON.parse(metadata) as JsonObject)),
    content: null,
  };
}

/** The same from content alone, where path evidence is switched off. */
export async function rankForPathByContent(
  deps: CandidateDeps,
  ranking: Ranking<ContentEvidence, StandingCurve>,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const understood = await understandPath(deps.vocabulary, scope, path);
  const text = understood.words.words.join(' ');
  if (text === '') return { understood: text, ranked: [], byMeaning: false };
  const most = looksLikeProbe(path) ? MOST_FOR_PROBES : 1;
  const found = await findContentCandidates(deps, scope, ranking.rank, text, limit, false, signal, moveKeys(path).keys);
  return { understood: text, ranked: rankContent(ranking, found, understood, most), byMeaning: isByMeaning(found) };
}

/** Ranks pages by their content for a query in natural language, which is taken as it is. */
export async function rankForQuery(
  deps: CandidateDeps,
  ranking: Ranking<ContentEvidence, StandingCurve>,
  scope: Scope,
  query: string,
  limit: number,
  withContent = false,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const found = await findContentCandidates(deps, scope, ranking.rank, query, limit, withContent, signal);
  return { understood: query, ranked: rankContent(ranking, found, undefined, 1), byMeaning: isByMeaning(found) };
}

function isByMeaning({ candidates }: ContentCandidates): boolean {
  return candidates.some(({ dense }) => dense > 0);
}

function rankContent(
  { rank: weights, score: curve }: Ranking<ContentEvidence, StandingCurve>,
  { candidates, words }: ContentCandidates,
  understood: UnderstoodPath | undefined,
  most: number,
): Ranked[] {
  const scores = scoreByStanding(
    curve,
    candidates.map(({ value }) => value),
    words,
  );
  return inOrder(
    candidates.map((found, i) => ({
      pageId: found.page_id,
      value: found.value,
      score: Math.min(most, scores[i] ?? 0),
      page: { ...found, metadata: () => found.metadata },
      explain: () =>
        explain(understood, weights, { dense: found.dense, beginning: found.beginning, lexical: found.lexical }),
    })),
  );
}

/** Best first; equal scores in a fixed order, so that the same question has the same answer. */
function inOrder<Page extends { pageId: string; score: number; value: number }>(pages: Page[]): Page[] {
  return pages.sort((a, b) => b.score - a.score || b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
}
