import type { JsonObject, SearchKind } from '../base/glossary.js';
import type { Explanation } from './ranking/scores/explanation.js';
import { type SpaceRequest, searchIndex, type IndexDeps } from './search-index.js';
import { loadMetadata, parseSmallMetadata } from '../pages/store/page-listing.js';
import type { SearchSpace } from './store/space.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { Caller } from '../projects/caller.js';
import type { MatchedRule } from '../rules/match-rule.js';
import { localPath } from '../text/page-url.js';
import { readDeadPath } from '../text/paths/dead-path.js';
import { makeTitle } from '../text/paths/sanitize-path.js';
import type { Calibration } from './ranking/scores/calibration.js';
import { rankForPath, type Ranked, type RankedAnswer } from './candidates/rank-for-path.js';
import { rankForPathByContent, rankForQuery } from './candidates/rank-for-query.js';
import { shownScore } from './ranking/scores/score.js';

export interface FoundSuggestion {
  pageId: string;
  /** Full URL, for redirects. */
  href: string;
  /** Url path with query string, as callers see it. */
  url: string;
  title: string;
  score: number;
  metadata: JsonObject | undefined;
  /** Undefined unless requested. */
  explanation: Explanation | undefined;
}

/** Immutable, because the cache shares it between callers. */
export interface SearchAnswer {
  readonly suggestions: readonly FoundSuggestion[];
  /** The path's words after sanitizing and spelling correction, or the query. */
  readonly understood: string;
  /** A rule says that the path is gone for good. */
  readonly isGone?: boolean;
  /** The address on another host to which a rule leads. */
  readonly leadsTo?: string | undefined;
  /** The key of the rule that decided, if one did. */
  readonly rule?: Buffer | undefined;
}

export interface SearchRequest extends SpaceRequest {
  kind: SearchKind;
  /** A dead path for suggest, proxy and not-found, a query for the others. */
  input: string;
  limit: number;
  threshold: number;
  /** Whether suggestions have an explanation. */
  explain: boolean;
}

export function takesPath({ kind }: SearchRequest): boolean {
  return kind === 'suggest' || kind === 'proxy' || kind === 'not-found';
}

export interface AnswerDeps extends IndexDeps {
  /** SUGGEST_PATH_EVIDENCE. */
  pathEvidence: boolean;
}

/** The best pages that reach the threshold. */
export function answerFromIndex(
  deps: AnswerDeps,
  caller: Caller,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  return searchIndex(deps, caller, request, signal, async (space, calibration) => {
    const { understood, ranked, byVectors, rule } = await rank(deps, space, calibration, request, signal);
    const best = ranked.slice(0, request.limit).filter(({ score }) => shownScore(score) >= request.threshold);
    const suggestions = await readSuggestions(space, best, request.explain);
    return {
      answer: {
        understood,
        suggestions,
        isGone: rule?.action === 'gone',
        leadsTo: rule?.leadsTo,
        rule: deciding(rule, suggestions),
      },
      byVectors,
    };
  });
}

function rank(
  deps: AnswerDeps,
  space: SearchSpace,
  calibration: Calibration,
  request: SearchRequest,
  signal: AbortSignal | undefined,
): Promise<RankedAnswer> {
  const { input, limit } = request;
  if (!takesPath(request)) return rankForQuery(deps, calibration.query, space, input, limit, signal);
  const path = readDeadPath(input);
  return deps.pathEvidence
    ? rankForPath(deps, calibration.suggest, space, path, limit, signal)
    : rankForPathByContent(deps, calibration.pathAsText, space, path, limit, signal);
}

/** The key of the rule, if it decided the answer: its page may be filtered out, excluded, or not there yet. */
function deciding(rule: MatchedRule | undefined, suggestions: readonly FoundSuggestion[]): Buffer | undefined {
  if (rule?.action === 'redirect' && rule.pageId === undefined && rule.leadsTo === undefined) return undefined;
  return rule?.pageId === undefined || rule.pageId === suggestions[0]?.pageId ? rule?.key : undefined;
}

async function readSuggestions(
  tenant: Tenant,
  best: readonly Ranked[],
  explained: boolean,
): Promise<FoundSuggestion[]> {
  const shown = best.map((one) => ({ ...one, metadata: parseSmallMetadata(one.page) }));
  const unread = shown.filter(({ metadata }) => metadata === undefined).map(({ pageId }) => pageId);
  const read = unread.length === 0 ? new Map<string, JsonObject | null>() : await loadMetadata(tenant, unread);
  return shown.flatMap(({ pageId, score, page, explain, metadata: own }) => {
    const all = own === undefined ? read.get(pageId) : own;
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
        metadata,
        explanation: explained ? explain() : undefined,
      },
    ];
  });
}
