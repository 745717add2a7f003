import type { SearchRow } from '../../search/store/searches.js';
import type { RecordEventPayload } from '../../events/record-events-job.js';
import { isHuman, visitorOf } from '../../text/visitor.js';
import { makeNotFound, type IpMode } from '../../events/read-event.js';
import type { AnswerOutcome } from '../../events/event-schema.js';
import { DEFAULT_THRESHOLDS, isSure } from '../../search/thresholds.js';
import type { FoundSuggestion, SearchAnswer } from '../../search/answer.js';
import { GENERATED_ORIGIN } from '../../events/generated-origin.js';
import type { Visit } from './visits.js';

/** What a visit leaves: a search, and the events that the site sends. */
export interface VisitRecord {
  search: SearchRow;
  events: RecordEventPayload[];
}

/** How many visitors click the page that they mean, where it is shown first, second, third. */
const CLICK_CHANCES = [0.66, 0.5, 0.35];
/** And the first page, where theirs is not shown. */
const WRONG_CLICK_CHANCE = 0.04;

/** Of the list on the 404 page, and of the search box. */
export const THRESHOLDS = { suggest: 0.1, 'semantic-search': 0.35 } as const;

/** The path or question that is searched for. */
export function inputOf({ asks }: Visit): string {
  return 'link' in asks ? asks.link.path : asks.question;
}

export function kindOf({ asks }: Visit): keyof typeof THRESHOLDS {
  return 'link' in asks ? 'suggest' : 'semantic-search';
}

/** What a site that uses the middleware records of a visit that was answered so. @param cached asked before */
export function recordOf(
  visit: Visit,
  answer: SearchAnswer,
  { projectId, ipMode, cached }: { projectId: string; ipMode: IpMode; cached: boolean },
): VisitRecord {
  const { asks, at, number, luck } = visit;
  const input = inputOf(visit);
  const kind = kindOf(visit);
  const searchId = generatedId('search', number);
  const search: SearchRow = {
    project_id: projectId,
    search_id: searchId,
    searched_at: at.toISOString(),
    kind,
    is_test: false,
    input,
    understood: answer.understood,
    filtered: false,
    threshold: THRESHOLDS[kind],
    results: answer.suggestions.map(({ pageId, url, score }) => ({ page_id: pageId, url, score })),
    best_score: answer.suggestions[0]?.score ?? null,
    cached,
    // Made up as well: between 3 and 20 ms, and a tenth of that from the cache.
    took_ms: Number(((cached ? 0.3 : 3) * Math.exp(1.9 * luck)).toFixed(3)),
    // A site's server asks: who came is said by the 404.
    of_others: !isHuman(visitorOf(null, 'link' in asks ? input : '')),
    redirected: false,
  };
  const event = (id: string, seconds: number, of: RecordEventPayload['event']): RecordEventPayload => ({
    eventId: id,
    projectId,
    isTest: false,
    receivedAt: new Date(at.getTime() + seconds * 1_000).toISOString(),
    event: of,
  });
  const outcome = outcomeOf(answer);
  const events: RecordEventPayload[] = [];
  if ('link' in asks) {
    const body = {
      raw_path: input,
      origin: GENERATED_ORIGIN,
      referrer: asks.link.referrer,
      user_agent: visit.userAgent,
      user_ip: visit.ip,
      search_id: searchId,
      outcome,
    };
    events.push(event(generatedId('notFound', number), 0, makeNotFound(body, ipMode)));
  }
  const rank =
    visit.clicks && ('question' in asks || outcome !== 'redirected')
      ? clickedRank(visit, answer.suggestions)
      : undefined;
  if (rank !== undefined) {
    const seconds = 5 + Math.round(40 * luck);
    events.push(
      event(generatedId('click', number), seconds, {
        type: 'click',
        clickedUrl: answer.suggestions[rank - 1]?.url ?? '',
        clickedRank: rank,
        rawPath: input,
        searchId,
        origin: GENERATED_ORIGIN,
        occurredAt: new Date(at.getTime() + seconds * 1_000).toISOString(),
      }),
    );
  }
  return { search, events };
}

function outcomeOf({ suggestions: [best], isGone = false }: SearchAnswer): AnswerOutcome {
  if (best && isSure(best.score, DEFAULT_THRESHOLDS)) return 'redirected';
  if (isGone) return 'gone';
  return best ? 'suggested' : 'nothing';
}

function clickedRank({ asks, luck }: Visit, suggestions: readonly FoundSuggestion[]): number | undefined {
  const meant = 'link' in asks ? asks.link.meant : asks.meant;
  const place = suggestions.findIndex(({ url }) => url === meant);
  const chance = place === -1 ? (suggestions.length > 0 ? WRONG_CLICK_CHANCE : 0) : (CLICK_CHANCES[place] ?? 0);
  return luck < chance ? Math.max(place, 0) + 1 : undefined;
}

/** Ids of made-up searches and events begin alike, as their origin is GENERATED_ORIGIN. */
const KINDS = { search: '1', notFound: '2', click: '3' } as const;
/** The letters "gene" and "ra". */
const BEGINNING = '67656e65-7261-8';

/** The same id for the same visit, so that nothing is stored twice. RFC 9562, version 8. */
export function generatedId(kind: keyof typeof KINDS, number: number): string {
  return `${BEGINNING}${KINDS[kind]}00-8000-${number.toString(16).padStart(12, '0')}`;
}

export function numberOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16);
}
