import type { Db } from '../database/connect.js';
import { findByContent, findByPathAndContent, type Scope } from '../database/queries/search.js';
import { lookUpWords } from '../database/queries/vocabulary.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import { preparePath, type LivePath, type WordWeight } from './path-evidence.js';
import { applyCurve, rankValue, type Calibration, type SuggestEvidence } from './score.js';
import { understandPath } from './understand-path.js';

/** A page with its score, best first. */
export interface Ranked {
  pageId: string;
  score: number;
}

export interface RankDeps {
  db: Db;
  models: ModelRegistry;
}

/** Candidates taken from each kind of evidence, at least. */
const CANDIDATES = 50;

/** A candidate of a dead path with all that speaks for it. */
export interface SuggestCandidate {
  pageId: string;
  evidence: SuggestEvidence;
}

/**
 * All candidates of a dead path, unordered, and what was understood of it. None when no searchable word is left.
 * Content evidence compares page content with the path's words; path evidence compares paths; title and metadata
 * take no part.
 */
export async function findSuggestCandidates(
  deps: RankDeps,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; candidates: SuggestCandidate[] }> {
  const { words } = await understandPath(deps.db, scope.projectId, path);
  const understood = words.words.join(' ');
  if (understood === '') return { understood, candidates: [] };
  const vector = await deps.models.embedQuery(scope.modelId, understood, signal ? { signal } : {});
  const rows = await findByPathAndContent(deps.db, scope, vector, understood, words.slug.join(' '), Math.max(CANDIDATES, limit));
  const vocabulary = new Set([...words.words, ...rows.flatMap((row) => split(row.path_words))]);
  const pagesOf = await lookUpWords(deps.db, scope.projectId, [...vocabulary]);
  const prepared = preparePath({ ...words, raw: path }, inverseFrequency(pagesOf, rows[0]?.pages ?? 0));
  return {
    understood,
    candidates: rows.map((row) => {
      const live: LivePath = { path: row.path, words: { words: split(row.path_words), slug: split(row.slug_words) } };
      return { pageId: row.page_id, evidence: { ...prepared.compare(live), content: Math.max(0, row.cosine ?? 0) } };
    }),
  };
}

/** Ranks the pages that a dead path may have meant. */
export async function rankForPath(
  deps: RankDeps,
  calibration: Calibration,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { understood, candidates } = await findSuggestCandidates(deps, scope, path, limit, signal);
  const ranked = candidates
    .map(({ pageId, evidence }) => ({ pageId, score: applyCurve(calibration.suggest.score, rankValue(calibration, evidence)) }))
    .sort(byScore);
  return { understood, ranked };
}

/** A path's words as the query that its content evidence is measured with; no vector when no word is left. */
export async function embedPath(
  deps: RankDeps,
  scope: Scope,
  path: string,
  signal?: AbortSignal,
): Promise<{ understood: string; vector?: Float32Array }> {
  const { words } = await understandPath(deps.db, scope.projectId, path);
  const understood = words.words.join(' ');
  if (understood === '') return { understood };
  return { understood, vector: await deps.models.embedQuery(scope.modelId, understood, signal ? { signal } : {}) };
}

/** The same from content alone, where path evidence is switched off. */
export async function rankForPathByContent(
  deps: RankDeps,
  calibration: Calibration,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { understood, vector } = await embedPath(deps, scope, path, signal);
  if (!vector) return { understood, ranked: [] };
  const rows = await findByContent(deps.db, scope, vector, limit);
  return { understood, ranked: rows.map((row) => ({ pageId: row.page_id, score: applyCurve(calibration.pathAsText, row.cosine) })) };
}

/** Ranks pages by their content for a query in natural language, which is taken as it is. */
export async function rankForQuery(
  deps: RankDeps,
  calibration: Calibration,
  scope: Scope,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Ranked[]> {
  const vector = await deps.models.embedQuery(scope.modelId, query, signal ? { signal } : {});
  const rows = await findByContent(deps.db, scope, vector, limit);
  return rows.map((row) => ({ pageId: row.page_id, score: applyCurve(calibration.query, row.cosine) }));
}

/**
 * How telling a word is, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages (the usual inverse document
 * frequency, scaled), 1 for one that no other page has.
 */
function inverseFrequency(pagesOf: ReadonlyMap<string, number>, pages: number): WordWeight {
  return (word) => {
    const holding = pagesOf.get(word) ?? 0;
    return holding <= 1 ? 1 : Math.log(1 + pages / holding) / Math.log(1 + pages);
  };
}

/** Best first; equal scores in a fixed order, so that the same question has the same answer. */
function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.pageId < b.pageId ? -1 : 1);
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}
