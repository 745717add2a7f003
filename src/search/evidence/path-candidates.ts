import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findByPath,
  type Choice,
  type ChoosingWeights,
  type PathCandidate,
} from '../../database/queries/search/by-path.js';
import { isFiltered, type SearchSpace } from '../../database/queries/search/space.js';
import { lookUpMoves, moveKeys, weighKnownMoves, withoutClicks } from '../../moves/look-up-moves.js';
import { associationWith, MIN_COVER, NEIGHBOURS, neighboursFrom } from './association.js';
import type { PathAndContentEvidence, SuggestEvidence, Weights } from '../rank/calibration.js';
import { lookupsOf, wordsOfSite, type CandidateDeps } from './candidates.js';
import type { LivePath } from './live-path.js';
import { preparePath } from './path-evidence.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { trigramSignature } from '../../text/paths/path-signature.js';
import { understandPath, type UnderstoodPath } from '../spelling/understand-path.js';
import { OF_PATH } from '../../text/words/term-lookups.js';
import { pathTerms, searchedTerms, wordForms } from '../../text/words/terms.js';

/** A page with all that speaks for it. */
export interface PathCandidateEvidence {
  pageId: string;
  evidence: SuggestEvidence;
  /** The part of `moved` that is the customer's own word: without clicks. */
  told: number;
  row: PathCandidate;
}

/**
 * Candidates that are weighed with care, and those of each kind of evidence at least (docs/benchmarks.md has what was
 * tried).
 */
const TOGETHER = 40;
const OF_EACH_KIND = 8;
/**
 * With filters the answer is that of a full scan: this many of the pages that match are weighed with care, and of each
 * kind.
 */
const FILTERED = 2_000;
const FILTERED_OF_EACH_KIND = 100;
/** Other requests have their turn after so many milliseconds. */
const AT_A_TIME_MS = 5;

/**
 * All candidates of a dead path, unordered, and what was understood of it. None when no searchable word is left.
 * Content evidence compares page content with the path's words; path evidence compares paths; title and metadata
 * take no part.
 */
export async function findPathCandidates(
  deps: CandidateDeps,
  space: SearchSpace,
  weights: Weights<PathAndContentEvidence>,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: UnderstoodPath; candidates: PathCandidateEvidence[] }> {
  const understood = await understandPath(deps.vocabulary, space, path);
  const { words, slug } = understood.words;
  // Without a word only what is known of the whole path can answer: `/index.php?id=1`.
  if (words.length === 0 && (await lookUpMoves(space, path.plain)).size === 0) return { understood, candidates: [] };
  const asked = pathTerms([...words, ...slug]);
  const [vector, site] = await Promise.all([
    deps.models.embedQuery(space.modelId, words.join(' '), signal ? { signal } : {}),
    wordsOfSite(deps.vocabulary, space, [...asked.flatMap(wordForms), ...words], understood.counts),
  ]);
  const moves = moveKeys(path.plain);
  const found = await findByPath(
    space,
    {
      vector,
      terms: searchedTerms(pathTerms(words), [], site.termWeight, site.isKnown),
      slugTerms: searchedTerms(pathTerms(slug), [], site.termWeight, site.isKnown),
      lookups: lookupsOf(space, asked, site, OF_PATH),
      signatures: { path: trigramSignature(words.join(' ')), slug: trigramSignature(slug.join(' ')) },
      moves,
    },
    choosingWeights(weights),
    words.length === 0 ? NOTHING_BUT_MOVED : choice(space, limit),
  );
  site.add(new Map(Object.entries(found.counts)));
  const moved = weighKnownMoves(path.plain, found.moves, moves);
  const toldMoves = withoutClicks(found.moves);
  const ofCustomer = toldMoves.length === found.moves.length ? moved : weighKnownMoves(path.plain, toldMoves, moves);
  const live = await inShortTurns(found.candidates, (row) => deps.livePaths.of(row));
  const association = associationWith(
    slug,
    neighboursFrom(
      found.neighbours,
      live.flatMap(({ slugWords }) => slugWords.map(({ term }) => term)),
    ),
    ({ word, forms }) => site.shareOfPages(word, forms),
    ({ word, forms }) => site.termWeight(word, forms),
  );
  const prepared = preparePath(path, words, site.pathWeight);
  const candidates = await inShortTurns(found.candidates, (row, i): PathCandidateEvidence => {
    const one = live[i] as LivePath;
    const path = prepared.compare(one);
    // Name by name: spread into an object that goes on growing, they took six times the memory.
    const evidence: SuggestEvidence = {
      words: path.words,
      liveInDead: path.liveInDead,
      pathTrigrams: path.pathTrigrams,
      nearCopy: path.nearCopy,
      slugTrigrams: path.slugTrigrams,
      slugEdit: path.slugEdit,
      prefix: path.prefix,
      depth: path.depth,
      numbers: path.numbers,
      dense: Math.max(0, row.cosine ?? 0),
      beginning: Math.max(0, row.beginning ?? 0),
      lexical: row.lexical,
      slugLexical: row.slug_lexical,
      association: association(one.slugWords),
      moved: moved.get(row.page_id) ?? 0,
    };
    return { pageId: row.page_id, evidence, told: ofCustomer.get(row.page_id) ?? 0, row };
  });
  return { understood, candidates };
}

/** Works on one after the other, and lets go of the thread in between where they take long. */
async function inShortTurns<From, To>(all: readonly From[], work: (one: From, at: number) => To): Promise<To[]> {
  const done: To[] = [];
  let until = performance.now() + AT_A_TIME_MS;
  for (const one of all) {
    done.push(work(one, done.length));
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + AT_A_TIME_MS;
  }
  return done;
}

const NOTHING_BUT_MOVED: Choice = { together: 0, each: 0, neighbours: 0, leastCover: 1 };

function choice(space: SearchSpace, limit: number): Choice {
  const together = isFiltered(space) ? FILTERED : TOGETHER + limit;
  return {
    together,
    each: Math.max(isFiltered(space) ? FILTERED_OF_EACH_KIND : OF_EACH_KIND, limit),
    neighbours: NEIGHBOURS,
    leastCover: MIN_COVER,
  };
}

/** The likeness of trigrams stands in for all that is compared in paths with more care later. */
function choosingWeights(weights: Weights<PathAndContentEvidence>): ChoosingWeights {
  const { dense, beginning, lexical, slugLexical } = weights;
  return {
    dense,
    beginning,
    lexical,
    slugLexical,
    path: weights.pathTrigrams + weights.nearCopy + weights.words + weights.prefix,
    slug: weights.slugTrigrams + weights.slugEdit + weights.liveInDead,
  };
}
