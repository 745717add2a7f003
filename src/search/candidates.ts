import type { Db } from '../database/connect.js';
import { loadTerms } from '../database/queries/page-terms.js';
import { findByContent, findByPathAndContent, type PathCandidate, type Scope } from '../database/queries/search.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import { lookUpMoves } from '../moves/look-up-moves.js';
import { associationWith, LEAST_COVER, NEIGHBOURS } from './association.js';
import { preparePath, type LivePath } from './paths/path-evidence.js';
import type { ContentEvidence, SuggestEvidence } from './calibration.js';
import { wordsOfSite } from './words/site-words.js';
import { pathTerms, searchedTerms, searchedWords, type TermWeights } from './words/terms.js';
import { understandPath, type UnderstoodPath } from './paths/understand-path.js';

export interface CandidateDeps {
  db: Db;
  models: ModelRegistry;
}

/** A page with all that speaks for it. */
export interface Candidate<Evidence> {
  pageId: string;
  evidence: Evidence;
}

export interface PathCandidateEvidence extends Candidate<SuggestEvidence> {
  /** Url path with query string. */
  path: string;
}

/** Candidates taken from each kind of evidence, at least. */
const FROM_EACH_KIND = 50;
/** Of content alone. */
const FROM_CONTENT = 200;
/** With filters the answer is that of a full scan: every page that matches is a candidate. */
const ALL = 10_000_000;

/**
 * All candidates of a dead path, unordered, and what was understood of it. None when no searchable word is left.
 * Content evidence compares page content with the path's words; path evidence compares paths; title and metadata
 * take no part.
 */
export async function findSuggestCandidates(
  deps: CandidateDeps,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: UnderstoodPath; candidates: PathCandidateEvidence[] }> {
  const understood = await understandPath(deps.db, scope.projectId, path);
  const { words, slug } = understood.words;
  const moved = await lookUpMoves(deps.db, scope.projectId, path);
  // Without a word only what is known of the whole path can answer: `/index.php?id=1`.
  if (words.length === 0 && moved.size === 0) return { understood, candidates: [] };
  const text = words.join(' ');
  const vector = await deps.models.embedQuery(scope.modelId, text, signal ? { signal } : {});
  const site = await wordsOfSite(deps.db, scope.projectId, pathTerms([...words, ...slug]));
  const terms = searchedTerms(pathTerms(words), [], site.termWeight, site.isKnown);
  const slugTerms = searchedTerms(pathTerms(slug), [], site.termWeight, site.isKnown);
  const most = isFiltered(scope) ? ALL : Math.max(FROM_EACH_KIND, limit);
  const rows = await findByPathAndContent(deps.db, scope, vector, { words: text, slug: slug.join(' '), terms, slugTerms, moved: [...moved.keys()] }, words.length === 0 ? 0 : most);
  const live = rows.map((row): LivePath => ({ path: row.path, words: { words: split(row.path_words), slug: split(row.slug_words) } }));
  await site.learn(live.flatMap((one) => one.words.slug), live.flatMap((one) => one.words.words).concat(words));
  const association = associationWith(slug, await neighboursOf(deps.db, scope.projectId, rows), site.shareOfPages, site.termWeight);
  const prepared = preparePath({ ...understood.words, raw: path }, site.pathWeight);
  const candidates = rows.map((row, i): PathCandidateEvidence => {
    const path = live[i] as LivePath;
    const evidence = Object.assign(prepared.compare(path), {
      dense: Math.max(0, row.cosine ?? 0),
      beginning: Math.max(0, row.beginning ?? 0),
      lexical: row.lexical,
      slugLexical: row.slug_lexical,
      association: association(path.words.slug),
      moved: moved.get(row.page_id) ?? 0,
    });
    return { pageId: row.page_id, path: row.path, evidence };
  });
  return { understood, candidates };
}

/** The pages whose content covers the slug best, with their terms. */
async function neighboursOf(db: Db, projectId: string, rows: readonly PathCandidate[]): Promise<{ weight: number; terms: Set<number> }[]> {
  const best = rows
    .filter((row) => row.slug_lexical > LEAST_COVER)
    .sort((a, b) => b.slug_lexical - a.slug_lexical || (a.page_id < b.page_id ? -1 : 1))
    .slice(0, NEIGHBOURS);
  const terms = await loadTerms(db, projectId, best.map((row) => row.page_id));
  return best.map((row) => ({ weight: row.slug_lexical, terms: terms.get(row.page_id) ?? new Set() }));
}

/** Candidates by content, unordered. */
export interface ContentCandidates {
  candidates: Candidate<ContentEvidence>[];
  /** Distinct words of what was searched for. */
  words: number;
}

/** The pages whose content is nearest to a text, unordered: by meaning (vectors) and by wording (terms). */
export async function findContentCandidates(
  deps: CandidateDeps,
  scope: Scope,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<ContentCandidates> {
  const vector = await deps.models.embedQuery(scope.modelId, text, signal ? { signal } : {});
  const { terms, words } = await termsOfText(deps.db, scope.projectId, text);
  const most = isFiltered(scope) ? ALL : Math.max(FROM_CONTENT, limit);
  const rows = await findByContent(deps.db, scope, vector, terms, most);
  const candidates = rows.map((row) => ({
    pageId: row.page_id,
    evidence: { dense: Math.max(0, row.cosine ?? 0), beginning: Math.max(0, row.beginning ?? 0), lexical: row.lexical },
  }));
  return { candidates, words };
}

async function termsOfText(db: Db, projectId: string, text: string): Promise<{ terms: TermWeights; words: number }> {
  const { words, codes } = searchedWords(text);
  const site = await wordsOfSite(db, projectId, [...words, ...codes]);
  return { terms: searchedTerms(words, codes, site.termWeight, site.isKnown), words: words.length };
}

function isFiltered(scope: Scope): boolean {
  return Object.keys(scope.filters).length > 0;
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}
