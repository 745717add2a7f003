import { mapYielding } from '../../base/map-yielding.js';
import type { PathWords } from '../../base/glossary.js';
import type { MatchedRule } from '../../rules/match-rule.js';
import { MANY_GONE } from '../../rules/store/rules-of-path.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { contradicts } from '../../text/paths/identities.js';
import type { RedirectKeys } from '../../text/paths/plain-path.js';
import { readCertainty, type CertaintyFacts } from '../ranking/evidence/certainty-facts.js';
import { assumeCosines } from '../ranking/evidence/missing-vectors.js';
import { readMissingWords, type MissingWords } from '../ranking/scores/doubts.js';
import { isInOtherLanguage, type LivePath, type LivePathCache } from '../ranking/evidence/page-path.js';
import { preparePath } from '../ranking/evidence/path-evidence.js';
import { findDeadEnds, prepareRedirects } from '../ranking/evidence/redirect-evidence.js';
import { addRewritten, findRewrittenPages, type RewrittenPage } from '../ranking/evidence/rewritten-pages.js';
import { countChoices, weighLearnedRedirects, withoutClicks } from '../ranking/learned-redirects/weigh-redirects.js';
import type { FarEvidence, Gated, SuggestEvidence } from '../ranking/scores/calibration.js';
import type { Choices } from '../ranking/scores/explanation.js';
import { CONTRADICTED, OTHER_LANGUAGE } from '../ranking/scores/score.js';
import type { FoundByPath, PathCandidate } from '../store/by-path.js';
import { parseSmallMetadata } from '../../pages/store/page-listing.js';
import { readCounts, type SiteWords } from './site-words.js';

/** A page that was found for a dead path, with all that its ranking and its explanation need. */
export interface PathCandidateEvidence {
  pageId: string;
  evidence: SuggestEvidence;
  /** The part of `evidence.moved` that does not come from clicks. */
  byRedirects: number;
  /** The choices of visitors of this path; where there are none, of visitors of its section. */
  chosen: Choices | undefined;
  /** Whether redirects or rules show that such paths lead nowhere: {@link findDeadEnds}. */
  isDeadEnd: boolean;
  /** The way in which redirects of the site rewrite the path into this page's. */
  rewritten: RewrittenPage | undefined;
  live: LivePath;
  /** The same for all candidates. */
  comparison: PathComparison;
  row: PathCandidate;
}

/** The comparisons of a path with a candidate that few candidates need. */
interface PathComparison {
  /** The reason why its score is bounded: other identities than the path's, or another language; else undefined. */
  readContradiction: (live: LivePath, row: PathCandidate) => string | undefined;
  readFacts: (live: LivePath) => CertaintyFacts;
  readMissing: (live: LivePath) => MissingWords;
}

/** Compares the path, with its corrected words, with each page found; the words of these are added to `site`. */
export async function weighCandidates(
  livePaths: LivePathCache,
  path: DeadPath,
  { words }: PathWords,
  site: SiteWords,
  byPath: FoundByPath,
  keys: RedirectKeys,
  rule: MatchedRule | undefined,
): Promise<PathCandidateEvidence[]> {
  site.add(readCounts(byPath.counts));
  const live = await mapYielding(byPath.candidates, (row) => livePaths.read(row));
  const nearRedirects = byPath.nearRedirects.map((row) => ({
    pageId: row.page_id,
    oldPath: row.old_path,
    path: row.path,
    old: livePaths.read({ path: row.old_path, path_words: '', slug_words: '' }),
    page: livePaths.read(row),
  }));
  const isGone = rule?.action === 'gone';
  const rewritten = findRewrittenPages(
    path,
    isGone ? [] : nearRedirects,
    byPath.candidates.map((row, i) => ({ pageId: row.page_id, path: row.path, live: live[i] as LivePath })),
  );
  const moved = addRewritten(weighLearnedRedirects(path.plain, byPath.redirects, keys, rule), rewritten);
  const redirectsWithoutClicks = withoutClicks(byPath.redirects);
  const movedWithoutClicks =
    redirectsWithoutClicks.length === byPath.redirects.length
      ? moved
      : addRewritten(weighLearnedRedirects(path.plain, redirectsWithoutClicks, keys, rule), rewritten);
  const prepared = preparePath(path, words, site.pathWeight);
  const redirects = prepareRedirects(path, words, nearRedirects, site.pathWeight);
  const isDeadEnd = findDeadEnds(path, isGone, byPath.goneInFolder >= MANY_GONE, nearRedirects);
  const { identities, segments: deadSegments } = path;
  const chosen = countChoices(byPath.redirects, keys);
  const comparison: PathComparison = {
    readContradiction: (livePath, row) => {
      if (contradicts(identities, livePath.identities)) return CONTRADICTED;
      return isInOtherLanguage(deadSegments, livePath, () => parseSmallMetadata(row)) ? OTHER_LANGUAGE : undefined;
    },
    readFacts: readCertainty(path, live, site.isWritten),
    readMissing: readMissingWords(path, site.isWritten),
  };
  const candidates = await mapYielding(byPath.candidates, (row, i): PathCandidateEvidence => {
    const livePath = live[i] as LivePath;
    const path = prepared.compare(livePath);
    const redirected = redirects.compare(row.page_id, livePath);
    // Property by property: with spread syntax the objects took six times the memory.
    const evidence: SuggestEvidence = {
      words: path.words,
      pathTrigrams: path.pathTrigrams,
      nearCopy: path.nearCopy,
      pathEdit: path.pathEdit,
      slugTrigrams: path.slugTrigrams,
      slugEdit: path.slugEdit,
      prefix: path.prefix,
      depth: path.depth,
      numbers: path.numbers,
      noOtherNumber: path.noOtherNumber,
      sameLanguage: path.sameLanguage,
      folderTrigrams: path.folderTrigrams,
      slugIsFolder: path.slugIsFolder,
      slugWithin: path.slugWithin,
      shallow: path.shallow,
      dense: Math.max(0, row.cosine ?? 0),
      beginning: Math.max(0, row.beginning ?? 0),
      denseTitle: Math.max(0, row.title_cosine ?? 0),
      denseMax: Math.max(0, row.cosine ?? 0, row.beginning ?? 0, row.title_cosine ?? 0, row.slug_cosine ?? 0),
      lexical: row.lexical,
      slugLexical: row.slug_lexical,
      redirectedSection: redirected.redirectedSection,
      redirectedFolder: redirected.redirectedFolder,
      redirectedPage: redirected.redirectedPage,
      renamedWords: redirected.renamedWords,
      moved: moved.get(row.page_id) ?? 0,
      // They depend on all candidates: compareCandidates sets them.
      denseIfFar: 0,
      beginningIfFar: 0,
      lexicalIfFar: 0,
      slugLexicalIfFar: 0,
    };
    return {
      pageId: row.page_id,
      evidence,
      byRedirects: movedWithoutClicks.get(row.page_id) ?? 0,
      chosen: chosen(row.page_id),
      isDeadEnd: isDeadEnd(livePath),
      rewritten: rewritten.get(row.page_id),
      live: livePath,
      comparison,
      row,
    };
  });
  assumeCosines(candidates.map(({ evidence, row }) => ({ evidence, hasVectors: row.cosine !== null })));
  compareCandidates(candidates.map(({ evidence }) => evidence));
  return candidates;
}

/** Sets {@link FarEvidence}: it counts the more, the less the nearest slug of all candidates resembles the dead one. */
export function compareCandidates(candidates: readonly (FarEvidence & Record<Gated | 'slugEdit', number>)[]): void {
  const nearest = candidates.reduce((max, candidate) => Math.max(max, candidate.slugEdit, candidate.slugLexical), 0);
  const far = Math.max(0, 1 - nearest);
  for (const candidate of candidates) {
    candidate.denseIfFar = far * candidate.dense;
    candidate.beginningIfFar = far * candidate.beginning;
    candidate.lexicalIfFar = far * candidate.lexical;
    candidate.slugLexicalIfFar = far * candidate.slugLexical;
  }
}
