import { findByPath, type PathCandidate } from '../../database/queries/search/by-path.js';
import type { SearchSpace } from '../../database/queries/search/space.js';
import { lookUpMoves, moveKeys, weighKnownMoves, withoutClicks } from '../../moves/look-up-moves.js';
import { createAssociation, readNeighbours } from './association.js';
import { candidateLimits, choosingWeights, ONLY_MOVED } from './candidate-limits.js';
import type { PathAndContentEvidence, SuggestEvidence, Weights } from '../rank/calibration.js';
import { chooseLookups, lookUpSiteWords, type CandidateDeps } from './candidates.js';
import { findDeadEnds, movesDespite } from './dead-ends.js';
import type { LivePath } from './live-path.js';
import { mapYielding } from './map-yielding.js';
import { preparePath } from './path-evidence.js';
import { prepareRedirects } from './redirect-evidence.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { barePath } from '../../text/paths/path-segments.js';
import { folderKey } from '../../text/paths/plain-path.js';
import { trigramSignature } from '../../text/paths/path-signature.js';
import { understandPath, type UnderstoodPath } from '../spelling/understand-path.js';
import { PATH_BUDGET } from '../../text/words/term-lookups.js';
import { pathTerms, searchedTerms, wordForms } from '../../text/words/terms.js';

/** A candidate with its evidence. */
export interface PathCandidateEvidence {
  pageId: string;
  evidence: SuggestEvidence;
  /** `moved` without clicks. */
  byRedirects: number;
  /** See {@link findDeadEnds}. */
  isDeadEnd: boolean;
  row: PathCandidate;
}

/**
 * Finds the candidates of a dead path, unordered. Without a searchable word, only pages of moves are candidates.
 * Content evidence compares page content with the path's words, path evidence compares paths. Title and metadata do not
 * count.
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
  // Without words, such as `/index.php?id=1`, only moves of the whole path can answer.
  if (words.length === 0 && (await lookUpMoves(space, path.plain)).size === 0) return { understood, candidates: [] };
  const asked = pathTerms([...words, ...slug]);
  const [vector, site] = await Promise.all([
    deps.models.embedQuery(space.modelId, words.join(' '), signal ? { signal } : {}),
    lookUpSiteWords(deps.vocabulary, space, [...asked.flatMap(wordForms), ...words], understood.counts),
  ]);
  const moves = moveKeys(path.plain);
  const found = await findByPath(
    space,
    {
      vector,
      terms: searchedTerms(pathTerms(words), [], site.termWeight, site.isKnown),
      slugTerms: searchedTerms(pathTerms(slug), [], site.termWeight, site.isKnown),
      lookups: chooseLookups(space, asked, site, PATH_BUDGET),
      signatures: { path: trigramSignature(words.join(' ')), slug: trigramSignature(slug.join(' ')) },
      bare: barePath(path.raw),
      moves,
      folder: folderKey(path.plain),
    },
    choosingWeights(weights),
    words.length === 0 ? ONLY_MOVED : candidateLimits(space, limit),
  );
  site.add(new Map(Object.entries(found.counts)));
  const known = movesDespite(found.gone, found.moves);
  const moved = weighKnownMoves(path.plain, known, moves);
  const toldMoves = withoutClicks(known);
  const movedByRedirects = toldMoves.length === known.length ? moved : weighKnownMoves(path.plain, toldMoves, moves);
  const live = await mapYielding(found.candidates, (row) => deps.livePaths.read(row));
  const association = createAssociation(
    slug,
    readNeighbours(
      found.neighbours,
      live.flatMap(({ slugWords }) => slugWords.map(({ term }) => term)),
    ),
    ({ word, forms }) => site.shareOfPages(word, forms),
    ({ word, forms }) => site.termWeight(word, forms),
  );
  const prepared = preparePath(path, words, site.pathWeight);
  const redirects = prepareRedirects(
    path,
    words,
    found.nearRedirects.map((row) => ({ pageId: row.page_id, oldPath: row.old_path, page: deps.livePaths.read(row) })),
    site.pathWeight,
  );
  const isDeadEnd = findDeadEnds(path, found.gone, found.nearRedirects);
  const candidates = await mapYielding(found.candidates, (row, i): PathCandidateEvidence => {
    const one = live[i] as LivePath;
    const path = prepared.compare(one);
    const redirected = redirects.compare(row.page_id, one);
    // Property by property: with spread syntax the objects took six times the memory.
    const evidence: SuggestEvidence = {
      words: path.words,
      pathTrigrams: path.pathTrigrams,
      nearCopy: path.nearCopy,
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
      lexical: row.lexical,
      slugLexical: row.slug_lexical,
      association: association(one.slugWords),
      redirectedSection: redirected.redirectedSection,
      redirectedFolder: redirected.redirectedFolder,
      redirectedPage: redirected.redirectedPage,
      renamedWords: redirected.renamedWords,
      moved: moved.get(row.page_id) ?? 0,
    };
    const byRedirects = movedByRedirects.get(row.page_id) ?? 0;
    return { pageId: row.page_id, evidence, byRedirects, isDeadEnd: isDeadEnd(one), row };
  });
  return { understood, candidates };
}
