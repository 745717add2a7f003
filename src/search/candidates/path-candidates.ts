import { findByPath, type CandidateLimits, type ChoosingWeights } from '../store/by-path.js';
import { isFiltered, type SearchSpace } from '../store/space.js';
import type { PathAndContentEvidence, Weights } from '../ranking/scores/calibration.js';
import type { PathWords } from '../../base/glossary.js';
import { toUnitLength } from '../../embedding/pool-vectors.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import { versionPatterns, versionsOf } from '../../text/paths/codes.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { barePath } from '../../text/paths/path-segments.js';
import { folderKey } from '../../text/paths/plain-path.js';
import { parseRequestedPath, type RequestedPath } from '../../rules/requested-path.js';
import { trigramSignature } from '../../text/words/likeness.js';
import { PATH_BUDGET } from '../../text/words/term-lookups.js';
import { pathTerms, searchedTerms } from '../../text/words/terms.js';
import { wordForms } from '../../text/words/word-forms.js';
import { followStored, lookUpRedirects, matchesPattern } from './follow-rules.js';
import { chooseLookups, lookUpSiteWords, understandPath, type CandidateDeps } from './site-words.js';
import { weighCandidates } from './weigh-candidates.js';

/** The requested number of suggestions is added. Other values were measured (docs/evidence/benchmarks.md). */
const BY_SUM = 40;
const MIN_PER_KIND = 8;
/** With filters the answer is that of a full scan: more of the matching pages become candidates. */
const FILTERED_BY_SUM = 2_000;
const FILTERED_MIN_PER_KIND = 100;

/** Limits for a path without words: pages of learned redirects, and those with the version that the path names. */
const WITHOUT_WORDS: CandidateLimits = { bySum: 0, perKind: 0, withVersion: MIN_PER_KIND };

/** Computes the limits of candidates. `limit`: the requested number of suggestions. */
function candidateLimits(space: SearchSpace, limit: number): CandidateLimits {
  const filtered = isFiltered(space);
  const perKind = Math.max(filtered ? FILTERED_MIN_PER_KIND : MIN_PER_KIND, limit);
  return { bySum: filtered ? FILTERED_BY_SUM : BY_SUM + limit, perKind, withVersion: perKind };
}

/**
 * Returns the weights that choose candidates, as if no live path were near: that is known of chosen ones alone. The
 * likeness of trigrams stands for all evidence that needs a comparison of paths.
 */
function choosingWeights(weights: Weights<PathAndContentEvidence>): ChoosingWeights {
  return {
    dense: weights.dense + weights.denseIfFar,
    beginning: weights.beginning + weights.beginningIfFar,
    denseTitle: weights.denseTitle,
    denseMax: weights.denseMax,
    lexical: weights.lexical + weights.lexicalIfFar,
    slugLexical: weights.slugLexical + weights.slugLexicalIfFar,
    path: weights.pathTrigrams + weights.nearCopy + weights.words + weights.prefix,
    slug: weights.slugTrigrams + weights.slugEdit,
  };
}

/** Finds candidates, unordered; without words those of learned redirects and of the path's versions alone. */
export async function findPathCandidates(
  deps: CandidateDeps,
  space: SearchSpace,
  weights: Weights<PathAndContentEvidence>,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
) {
  const understood = await understandPath(deps, space, path);
  const { words, slug } = understood.words;
  const versions = versionPatterns(versionsOf(path.segments));
  // Without words and versions, such as `/index.php?id=1`, only learned redirects of the whole path can answer.
  if (words.length === 0 && versions.length === 0) {
    const { rule, isDated, moved } = await lookUpRedirects(space, path.raw, path.host, signal);
    if (moved.size === 0) return { understood, candidates: [], rule, isDated, trialAbove: undefined, goneShare: null };
  }
  const terms = pathTerms([...words, ...slug]);
  const requested = parseRequestedPath(path.raw, path.host, path.plain);
  const [vector, site, isPattern] = await Promise.all([
    embedPath(deps.models, space.modelId, understood.words, signal),
    lookUpSiteWords(deps.vocabulary, space, [...terms.flatMap(wordForms), ...words], understood.counts),
    matchesPattern(space, requested),
  ]);
  const searched = {
    vector,
    terms: searchedTerms(pathTerms(words), [], site.termWeight, site.isKnown),
    slugTerms: searchedTerms(pathTerms(slug), [], site.termWeight, site.isKnown),
    lookups: chooseLookups(space, terms, site, PATH_BUDGET),
    signatures: { path: trigramSignature(words.join(' ')), slug: trigramSignature(slug.join(' ')) },
    versions,
    bare: barePath(path.raw),
    folder: folderKey(path.plain),
  };
  const limits = words.length === 0 ? WITHOUT_WORDS : candidateLimits(space, limit);
  const find = (redirects: RequestedPath, pages: readonly string[] = []): ReturnType<typeof findByPath> =>
    findByPath(space, { ...searched, redirects, pages }, choosingWeights(weights), limits);
  // The search finds the path's own rules and their page, but no page of a pattern or of a rule further on.
  const first = isPattern ? undefined : await find(requested);
  const { rule, isDated, by } = await followStored(space, requested, first?.rules, signal);
  const pages = rule?.pageId === undefined ? [] : [rule.pageId];
  const redirects = (pages.length > 0 ? by : undefined) ?? requested;
  const byPath = first && redirects === requested ? first : await find(redirects, pages);
  const candidates = await weighCandidates(deps.livePaths, path, understood.words, site, byPath, redirects, rule);
  const { trialAbove, goneShare } = byPath;
  return { understood, candidates, rule, isDated, trialAbove: trialAbove ?? undefined, goneShare };
}

/**
 * Computes the vector of a dead path: the mean of the vectors of all its words and of its last segment. Most of what a
 * path means stands in that segment, and its folders count, too: of redirects, .693 were found by content in place of
 * .546 by all words, of paths in visitors' own words .558 in place of .508. It is of unit length, or all zeros for a
 * path without words.
 */
export async function embedPath(
  models: Pick<ModelRegistry, 'embedQuery'>,
  modelId: number,
  { words, slug }: PathWords,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const [all, last] = [words.join(' '), slug.join(' ')];
  const texts = last === '' || last === all ? [all] : [all, last];
  const vectors = await Promise.all(texts.map((text) => models.embedQuery(modelId, text, signal ? { signal } : {})));
  const [first = new Float32Array(), second] = vectors;
  return second ? toUnitLength(first.map((value, at) => value + (second[at] ?? 0))) : first;
}
