import type { JsonObject, LedBy, SearchKind } from '../base/glossary.js';
import type { Explanation } from './ranking/scores/explanation.js';
import { type SpaceRequest, searchIndex, type IndexDeps } from './search-index.js';
import { loadMetadata, parseSmallMetadata } from '../pages/store/page-listing.js';
import type { SearchSpace } from './store/space.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { Caller } from '../projects/caller.js';
import { atTarget } from '../rule-formats/read-redirect.js';
import type { MatchedRule } from '../rules/match-rule.js';
import { localPath } from '../text/page-url.js';
import { readDeadPath } from '../text/paths/dead-path.js';
import { makeTitle } from '../text/paths/sanitize-path.js';
import type { Calibration } from './ranking/scores/calibration.js';
import { findTrialThreshold } from '../projects/store/projects.js';
import { rankForPath, type Ranked, type RankedAnswer } from './candidates/rank-for-path.js';
import { rankForPathByContent, rankForQuery, rankForTyped } from './candidates/rank-for-query.js';
import { isSure, shownScore } from './ranking/scores/score.js';

export interface FoundSuggestion {
  pageId: string;
  /** Full URL, for redirects. */
  href: string;
  /** Url path with query string, as callers see it. */
  url: string;
  title: string;
  score: number;
  /** No guess redirects to the page, because its vectors do not exist yet. */
  isWaiting: boolean;
  metadata: JsonObject | undefined;
  by?: LedBy | undefined;
  /** Undefined unless requested. */
  explanation: Explanation | undefined;
}

/** Immutable, because the cache shares it between callers. */
export interface SearchAnswer {
  readonly suggestions: readonly FoundSuggestion[];
  /** The path's words after sanitizing and spelling correction, or the query. */
  readonly understood: string;
  /** Whether a rule marks the path as gone (410). */
  readonly isGone?: boolean;
  /** The address on another host to which a rule leads. */
  readonly leadsTo?: string | undefined;
  /** The key of the rule that decided, if one did. */
  readonly rule?: Buffer | undefined;
  /** The code with which that rule answers, and whether it passes the query string on. */
  readonly terms?: AnswerTerms | undefined;
  /** Whether a rule of the path has a date, so that the answer must not be cached. */
  readonly isDated?: boolean | undefined;
  /** Present if the project is in trial, so that no guess redirects: the score over which a guess would redirect. */
  readonly trialAbove?: number | undefined;
}

/** The terms of a rule that its answer needs. */
export type AnswerTerms = Pick<MatchedRule, 'code' | 'passQuery'>;

export interface SearchRequest extends SpaceRequest {
  kind: SearchKind;
  /** A dead path for suggest, proxy and not-found, a query for the others. */
  input: string;
  /** The requested host of a dead path, if known. */
  host?: string | undefined;
  limit: number;
  threshold: number;
  explain: boolean;
  /** The input is a query that is still typed: it is searched by words alone, and not logged. */
  isTyped?: boolean;
}

export function isPathSearch({ kind }: SearchRequest): boolean {
  return kind === 'suggest' || kind === 'proxy' || kind === 'not-found';
}

export interface AnswerDeps extends IndexDeps {
  /** The setting SUGGEST_PATH_EVIDENCE: whether searches for dead paths compare paths, and not content only. */
  pathEvidence: boolean;
}

/** Finds the best pages that reach the threshold. */
export function answerFromIndex(
  deps: AnswerDeps,
  caller: Caller,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  return searchIndex(deps, caller, request, signal, async (space, calibration) => {
    const ranking = await rank(deps, space, calibration, request, signal);
    const { understood, ranked, byVectors, rule, isDated, trialAbove } = ranking;
    const best = ranked.slice(0, request.limit).filter(({ score }) => shownScore(score) >= request.threshold);
    const suggestions = await readSuggestions(space, best, request.explain);
    const decides = isDeciding(rule, suggestions);
    return {
      answer: {
        understood,
        suggestions: suggestions.map((page) => (decides && page.pageId === rule?.pageId ? toTarget(page, rule) : page)),
        isGone: rule?.action === 'gone',
        leadsTo: rule?.leadsTo,
        ...(decides && rule ? { rule: rule.key, terms: { code: rule.code, passQuery: rule.passQuery } } : {}),
        isDated,
        trialAbove,
      },
      byVectors,
    };
  });
}

async function rank(
  deps: AnswerDeps,
  space: SearchSpace,
  calibration: Calibration,
  request: SearchRequest,
  signal: AbortSignal | undefined,
): Promise<RankedAnswer> {
  const { input, limit, host = null } = request;
  if (!isPathSearch(request))
    return (request.isTyped ? rankForTyped : rankForQuery)(deps, calibration.query, space, input, limit, signal);
  const path = readDeadPath(input, host);
  return deps.pathEvidence
    ? rankForPath(deps, calibration.suggest, space, path, limit, signal)
    : {
        ...(await rankForPathByContent(deps, calibration.pathAsText, space, path, limit, signal)),
        trialAbove: await findTrialThreshold(space),
      };
}

/** Tells whether the best page would redirect its visitor if the project were not in trial. */
export function wouldRedirect({ trialAbove, suggestions: [best] }: SearchAnswer): boolean {
  return best !== undefined && best.score < 1 && isSure(best, { redirectAbove: trialAbove ?? 1 });
}

/** Tells whether the rule decided the answer: its page may be filtered out, excluded, or not indexed yet. */
function isDeciding(rule: MatchedRule | undefined, suggestions: readonly FoundSuggestion[]): boolean {
  if (rule?.action === 'redirect' && rule.pageId === undefined && rule.leadsTo === undefined) return false;
  return rule !== undefined && (rule.pageId === undefined || rule.pageId === suggestions[0]?.pageId);
}

/** Adds the query string and section that a rule names to the address of its page. */
function toTarget(page: FoundSuggestion, rule: MatchedRule): FoundSuggestion {
  return { ...page, href: atTarget(page.href, rule), url: atTarget(page.url, rule) };
}

async function readSuggestions(tenant: Tenant, best: readonly Ranked[], explained: boolean) {
  const shown = best.map((ranked) => ({ ...ranked, metadata: parseSmallMetadata(ranked.page) }));
  const unread = shown.filter(({ metadata }) => metadata === undefined).map(({ pageId }) => pageId);
  const read = unread.length === 0 ? new Map<string, JsonObject | null>() : await loadMetadata(tenant, unread);
  return shown.flatMap(({ pageId, score, page, by, explain, metadata: small }): FoundSuggestion[] => {
    const all = small === undefined ? read.get(pageId) : small;
    // The page was deleted between the two queries.
    if (all === undefined) return [];
    const metadata = all !== null && Object.keys(all).length > 0 ? all : undefined;
    return [
      {
        pageId,
        href: page.url,
        url: localPath(page.path),
        // A link without text cannot be seen.
        title: page.title !== null && page.title.trim() !== '' ? page.title : makeTitle(page.path),
        score,
        isWaiting: page.is_waiting,
        by,
        metadata,
        explanation: explained ? explain() : undefined,
      },
    ];
  });
}
