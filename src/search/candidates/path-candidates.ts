import { findByPath, type PathCandidate } from '../store/by-path.js';
import type { SearchSpace } from '../store/space.js';
import type { KnownMove } from '../../rules/learned/known-move.js';
import { rulesOf, type MatchedRule } from '../../rules/match-rule.js';
import { followRules } from './follow-rules.js';
import { lookUpMoves } from './look-up-moves.js';
import { weighKnownMoves, withoutClicks } from '../ranking/moves/weigh-moves.js';
import { moveKeys, type MoveKeys } from '../../text/paths/move-keys.js';
import { embedPath } from './embed-path.js';
import type { Choices } from '../ranking/scores/explanation.js';
import { countChoices } from '../ranking/moves/count-choices.js';
import { createWordAssociation, readNeighbours } from '../ranking/evidence/word-association.js';
import { candidateLimits, choosingWeights, WITHOUT_WORDS } from './candidate-limits.js';
import type { PathAndContentEvidence, SuggestEvidence, Weights } from '../ranking/scores/calibration.js';
import { rankFingerprint, type OwnWeights } from '../ranking/scores/project-ranking.js';
import { chooseLookups, lookUpSiteWords, readCounts, type CandidateDeps } from './word-look-ups.js';
import { compareCandidates } from '../ranking/evidence/far-evidence.js';
import { findDeadEnds } from '../ranking/evidence/dead-ends.js';
import type { LivePath } from '../ranking/evidence/page-path.js';
import { mapYielding } from '../../base/map-yielding.js';
import { preparePath } from '../ranking/evidence/path-evidence.js';
import { prepareRedirects } from '../ranking/evidence/redirect-evidence.js';
import { addRewritten, findRewrittenPages, type RewrittenPage } from '../ranking/evidence/rewritten-pages.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { contradicts } from '../../text/paths/identities.js';
import { barePath } from '../../text/paths/path-segments.js';
import { MANY_GONE } from '../../rules/store/rules-of-path.js';
import { folderKey, pathKey } from '../../text/paths/plain-path.js';
import { comparedSegments, plainSegments } from '../../text/paths/plain-segments.js';
import { trigramSignature } from '../../text/paths/trigrams.js';
import { versionPatterns, versionsOf } from '../../text/paths/versions.js';
import { understandPath } from './understand-path.js';
import { type UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import { PATH_BUDGET } from '../../text/words/term-lookups.js';
import { pathTerms, searchedTerms, wordForms } from '../../text/words/terms.js';

const NOTHING_KNOWN = { rule: undefined, moved: new Map<string, number>() };

/** A candidate with its evidence. */
export interface PathCandidateEvidence {
  pageId: string;
  evidence: SuggestEvidence;
  /** `moved` without clicks. */
  byRedirects: number;
  /** What visitors of this path chose, or else those of its section. */
  chosen: Choices | undefined;
  /** See {@link findDeadEnds}. */
  isDeadEnd: boolean;
  /** See {@link contradicts}. */
  isContradicted: boolean;
  rewritten: RewrittenPage | undefined;
  row: PathCandidate;
}

/**
 * Finds the candidates of a dead path, unordered. Without a searchable word, only pages of moves and of the path's
 * versions are candidates.
 * Content evidence compares page content with the path's words, path evidence compares paths. Title and metadata do not
 * count.
 * @param asUnknown asks as if nothing were known of the path itself: for redirects that are held out. Returns true for
 * the section moves that are to be left out, too.
 */
export async function findPathCandidates(
  deps: CandidateDeps,
  space: SearchSpace,
  weights: Weights<PathAndContentEvidence>,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
  asUnknown?: (section: KnownMove) => boolean,
): Promise<{
  understood: UnderstoodPath;
  candidates: PathCandidateEvidence[];
  own: OwnWeights | null;
  rule: MatchedRule | undefined;
}> {
  const understood = await understandPath(deps, space, path);
  const { words, slug } = understood.words;
  const versions = versionPatterns(versionsOf(path.segments));
  // Without words and versions, such as `/index.php?id=1`, only moves of the whole path can answer.
  if (words.length === 0 && versions.length === 0) {
    const { rule, moved } = asUnknown ? NOTHING_KNOWN : await lookUpMoves(space, path.raw);
    if (moved.size === 0) return { understood, candidates: [], own: null, rule };
  }
  const asked = pathTerms([...words, ...slug]);
  const [vector, site] = await Promise.all([
    embedPath(deps.models, space.modelId, understood.words, signal),
    lookUpSiteWords(deps.vocabulary, space, [...asked.flatMap(wordForms), ...words], understood.counts),
  ]);
  const known = moveKeys(path.plain);
  const searched = {
    vector,
    terms: searchedTerms(pathTerms(words), [], site.termWeight, site.isKnown),
    slugTerms: searchedTerms(pathTerms(slug), [], site.termWeight, site.isKnown),
    lookups: chooseLookups(space, asked, site, PATH_BUDGET),
    signatures: { path: trigramSignature(words.join(' ')), slug: trigramSignature(slug.join(' ')) },
    versions,
    bare: barePath(path.raw),
    folder: folderKey(path.plain),
    fittedFor: rankFingerprint(weights),
  };
  const find = (moves: MoveKeys): ReturnType<typeof findByPath> =>
    findByPath(
      space,
      { ...searched, moves },
      choosingWeights(weights),
      words.length === 0 ? WITHOUT_WORDS : candidateLimits(space, limit),
    );
  let moves: MoveKeys = asUnknown ? { ...known, keys: [] } : known;
  let found = await find(moves);
  let rule: MatchedRule | undefined;
  if (asUnknown) {
    const own = new Set(known.keys.map((key) => key.toString('hex')));
    found.moves = found.moves.filter((move) => !asUnknown(move));
    found.nearRedirects = found.nearRedirects.filter((one) => !own.has(pathKey(one.old_path).toString('hex')));
    rule = rulesOf(path.raw, found.rules, moves).find(({ target }) => target === undefined);
  } else {
    const followed = await followRules(space, { path: path.raw, keys: moves, rules: found.rules });
    rule = followed.rule;
    // The page is a candidate by the rule that leads to it.
    if (followed.keys && rule?.pageId !== undefined) found = await find((moves = followed.keys));
  }
  site.add(readCounts(found.counts));
  const live = await mapYielding(found.candidates, (row) => deps.livePaths.read(row));
  const nearRedirects = found.nearRedirects.map((row) => ({
    pageId: row.page_id,
    oldPath: row.old_path,
    path: row.path,
    segments: comparedSegments(plainSegments(row.old_path)),
    page: deps.livePaths.read(row),
  }));
  const isGone = rule?.action === 'gone';
  const rewritten = findRewrittenPages(
    path,
    isGone ? [] : nearRedirects,
    found.candidates.map((row, i) => ({ pageId: row.page_id, path: row.path, live: live[i] as LivePath })),
  );
  const moved = addRewritten(weighKnownMoves(path.plain, found.moves, moves, rule), rewritten);
  const toldMoves = withoutClicks(found.moves);
  const movedByRedirects =
    toldMoves.length === found.moves.length
      ? moved
      : addRewritten(weighKnownMoves(path.plain, toldMoves, moves, rule), rewritten);
  const association = createWordAssociation(
    slug,
    readNeighbours(
      found.neighbours,
      live.flatMap(({ slugWords }) => slugWords.map(({ term }) => term)),
    ),
    ({ word, forms }) => site.shareOfPages(word, forms),
    ({ word, forms }) => site.termWeight(word, forms),
  );
  const prepared = preparePath(path, words, site.pathWeight);
  const redirects = prepareRedirects(path, words, nearRedirects, site.pathWeight);
  const isDeadEnd = findDeadEnds(path, isGone, found.goneInFolder >= MANY_GONE, nearRedirects);
  const { identities } = path;
  const chosen = countChoices(found.moves, moves);
  const candidates = await mapYielding(found.candidates, (row, i): PathCandidateEvidence => {
    const one = live[i] as LivePath;
    const path = prepared.compare(one);
    const redirected = redirects.compare(row.page_id, one);
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
      denseSlug: Math.max(0, row.slug_cosine ?? 0),
      lexical: row.lexical,
      slugLexical: row.slug_lexical,
      association: association(one.slugWords),
      redirectedSection: redirected.redirectedSection,
      redirectedFolder: redirected.redirectedFolder,
      redirectedPage: redirected.redirectedPage,
      renamedWords: redirected.renamedWords,
      moved: moved.get(row.page_id) ?? 0,
      denseIfFar: 0,
      beginningIfFar: 0,
      lexicalIfFar: 0,
      slugLexicalIfFar: 0,
    };
    return {
      pageId: row.page_id,
      evidence,
      byRedirects: movedByRedirects.get(row.page_id) ?? 0,
      chosen: chosen(row.page_id),
      isDeadEnd: isDeadEnd(one),
      isContradicted: contradicts(identities, one.identities),
      rewritten: rewritten.get(row.page_id),
      row,
    };
  });
  compareCandidates(candidates.map(({ evidence }) => evidence));
  return { understood, candidates, own: found.ownWeights, rule };
}
