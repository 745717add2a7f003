import type { Db } from '../database/connect.js';
import { countIndexedPages, findByContent, findByPathAndContent, type Scope, type SearchedWord } from '../database/queries/search.js';
import { lookUpWords } from '../database/queries/vocabulary.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import { preparePath, type LivePath } from './path-evidence.js';
import { applyCurve, leadOver, rankValue, type ContentEvidence, type Ranking, type SuggestEvidence } from './score.js';
import { splitWords } from './split-words.js';
import { plural, singular } from './stem.js';
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
/** Pages by cosine whose words are looked at. */
const CONTENT_CANDIDATES = 200;
/** With filters the answer is that of a full scan: every page that matches is a candidate. */
const ALL = 10_000_000;

/** A candidate of a dead path with all that speaks for it. */
export interface SuggestCandidate {
  pageId: string;
  evidence: SuggestEvidence;
}

/** A candidate by content alone. */
export interface ContentCandidate {
  pageId: string;
  evidence: ContentEvidence;
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
  const pages = await countIndexedPages(deps.db, scope.projectId);
  const searched = await weighWords(deps.db, scope.projectId, words.words, pages);
  const most = isFiltered(scope) ? ALL : Math.max(CANDIDATES, limit);
  const rows = await findByPathAndContent(deps.db, scope, vector, understood, words.slug.join(' '), searched, most);
  const vocabulary = new Set([...words.words, ...rows.flatMap((row) => split(row.path_words))]);
  const pagesOf = await lookUpWords(deps.db, scope.projectId, [...vocabulary]);
  const prepared = preparePath({ ...words, raw: path }, (word) => inverseFrequency(pagesOf.get(word) ?? 0, pages));
  return {
    understood,
    candidates: rows.map((row) => {
      const live: LivePath = { path: row.path, words: { words: split(row.path_words), slug: split(row.slug_words) } };
      return { pageId: row.page_id, evidence: { ...prepared.compare(live), content: Math.max(0, row.cosine ?? 0), coverage: row.coverage } };
    }),
  };
}

/** Ranks the pages that a dead path may have meant. */
export async function rankForPath(
  deps: RankDeps,
  ranking: Ranking<SuggestEvidence>,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { understood, candidates } = await findSuggestCandidates(deps, scope, path, limit, signal);
  return { understood, ranked: rank(ranking, candidates) };
}

/** The same from content alone, where path evidence is switched off. */
export async function rankForPathByContent(
  deps: RankDeps,
  ranking: Ranking<ContentEvidence>,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { words } = await understandPath(deps.db, scope.projectId, path);
  const understood = words.words.join(' ');
  if (understood === '') return { understood, ranked: [] };
  return { understood, ranked: rank(ranking, await findContentCandidates(deps, scope, understood, limit, signal)) };
}

/** Ranks pages by their content for a query in natural language, which is taken as it is. */
export async function rankForQuery(
  deps: RankDeps,
  ranking: Ranking<ContentEvidence>,
  scope: Scope,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Ranked[]> {
  return rank(ranking, await findContentCandidates(deps, scope, query, limit, signal));
}

/** The pages whose content is nearest to a text, unordered: by meaning (cosine) and by its words (coverage). */
export async function findContentCandidates(
  deps: RankDeps,
  scope: Scope,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<ContentCandidate[]> {
  const vector = await deps.models.embedQuery(scope.modelId, text, signal ? { signal } : {});
  const pages = await countIndexedPages(deps.db, scope.projectId);
  const searched = await weighWords(deps.db, scope.projectId, splitWords(text), pages);
  const most = isFiltered(scope) ? ALL : Math.max(CONTENT_CANDIDATES, limit);
  const rows = await findByContent(deps.db, scope, vector, searched, most);
  return rows.map((row) => ({ pageId: row.page_id, evidence: { content: Math.max(0, row.cosine), coverage: row.coverage } }));
}

/** More words than any sensible question has: what is behind them is left to the vector. */
const MOST_WORDS = 64;

/** Weighs the distinct words of a text by how telling they are on this site; plural and singular count as one. */
async function weighWords(db: Db, projectId: string, words: readonly string[], pages: number): Promise<SearchedWord[]> {
  const distinct = [...new Set(words)].slice(0, MOST_WORDS).map((word) => [...new Set([word, singular(word), plural(word)])]);
  const pagesOf = await lookUpWords(db, projectId, distinct.flat());
  return distinct.map((forms) => ({
    forms,
    weight: inverseFrequency(Math.max(...forms.map((form) => pagesOf.get(form) ?? 0)), pages),
  }));
}

/**
 * How telling a word is, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages (the usual inverse document
 * frequency, scaled), 1 for one that no other page has.
 */
function inverseFrequency(holding: number, pages: number): number {
  return holding <= 1 ? 1 : Math.log(1 + pages / holding) / Math.log(1 + pages);
}

function isFiltered(scope: Scope): boolean {
  return Object.keys(scope.filters).length > 0;
}

/** Best first; equal scores in a fixed order, so that the same question has the same answer. */
function rank<Evidence extends object>(ranking: Ranking<Evidence>, candidates: readonly { pageId: string; evidence: Evidence }[]): Ranked[] {
  const sorted = candidates
    .map(({ pageId, evidence }) => ({ pageId, value: rankValue(ranking, evidence) }))
    .sort((a, b) => b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
  return sorted.map(({ pageId, value }, place) => {
    const bestOther = sorted[place === 0 ? 1 : 0]?.value;
    return { pageId, score: applyCurve(ranking.score, value, leadOver(value, bestOther)) };
  });
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}
