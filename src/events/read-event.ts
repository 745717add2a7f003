import { invalid } from '../base/errors.js';
import { cutText } from '../text/cut-text.js';
import { parseIsoTime } from '../text/parse-time.js';
import { checkClick, checkNotFound, type AnswerOutcome, type NotFoundBody } from './event-schema.js';
import { networkOf, plainAddress, VISITOR_NETWORK } from '../text/ip-address.js';

/** An event is queued and stored in this form. */
export type VisitorEvent = Click | NotFound;

interface Click {
  type: 'click';
  clickedUrl: string;
  clickedRank: number;
  rawPath: string;
  searchId: string;
  origin: string | null;
  occurredAt: string;
}

export interface NotFound {
  type: 'not-found';
  rawPath: string;
  origin: string | null;
  referrer: string | null;
  userAgent: string | null;
  visitorIp: string | null;
  /** The host that was asked for, where no origin names it. */
  host?: string;
  /** The search of the answer, if the 404 names one. */
  searchId?: string;
  /** The sender states which answer the visitor got. */
  outcome?: AnswerOutcome;
  /** The 404's own time; absent: when it arrived. */
  occurredAt?: string;
}

export interface EventRules {
  ipMode: IpMode;
  now: Date;
  /** Older 404s are refused. */
  retentionDays: number;
}

const URL_CHARACTERS = 2_048;
const USER_AGENT_CHARACTERS = 1_024;
const MIN_YEAR = 1990;
const MAX_YEAR = 2200;

/** A field of these tells a 404 that names its search from a click: a timestamp, if it has no clicked_rank. */
const TELL_A_404 = ['referrer', 'user_agent', 'user_ip', 'outcome', 'timestamp'];

/**
 * Tells a click from a 404 by the body's fields, checks it, cuts long texts and reduces the visitor's IP address.
 * A missing timestamp becomes `now`. Raw_path and search_id alone could be what is left of a click: that is a 404 only
 * by a field of TELL_A_404, which may be null. With a clicked_rank it is a click without its clicked_url.
 * @throws ApiError invalid_request
 */
export function readEvent(body: Record<string, unknown>, rules: EventRules): VisitorEvent {
  const has = (name: string): boolean => Object.hasOwn(body, name);
  if (has('clicked_url') && has('search_id')) {
    const click = checkClick(body);
    return {
      type: 'click',
      clickedUrl: cutText(click.clicked_url, URL_CHARACTERS),
      clickedRank: click.clicked_rank,
      rawPath: cutText(click.raw_path, URL_CHARACTERS),
      searchId: click.search_id.toLowerCase(),
      origin: cutOptional(click.origin, URL_CHARACTERS),
      occurredAt: (parseTimestamp(click.timestamp) ?? rules.now).toISOString(),
    };
  }
  if (has('clicked_rank') && has('search_id')) throw invalid('clicked_url', 'Missing required parameter: clicked_url');
  const isNotFound = !has('search_id') || TELL_A_404.some(has);
  if (has('raw_path') && !has('clicked_url') && isNotFound) {
    const notFound = checkNotFound(body);
    const at = parseTimestamp(notFound.timestamp);
    const reason = at && reasonToRefuse(at, rules);
    if (reason !== undefined)
      throw invalid('timestamp', `timestamp is ${reason}. Without one, a 404 has the time at which it arrived.`);
    return { ...makeNotFound(notFound, rules.ipMode), ...(at === undefined ? {} : { occurredAt: at.toISOString() }) };
  }
  throw invalid(
    undefined,
    'The type of the event is unclear: a click has clicked_url and search_id, a 404 has raw_path and no clicked_url, ' +
      'and beside a search_id one of referrer, user_agent, user_ip, outcome and timestamp.',
  );
}

const DAY_MS = 86_400_000;
/** Ten years: each week has partitions of its own. What is older is refused, however long events are kept. */
const MAX_DAYS = 3_660;
/** The clock of the site's server may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Says why a 404 of that time may not be stored; undefined: it may. */
export function reasonToRefuse(at: Date, { now, retentionDays }: Pick<EventRules, 'now' | 'retentionDays'>) {
  const days = Math.min(retentionDays, MAX_DAYS);
  if (at.getTime() < now.getTime() - days * DAY_MS) return `older than EVENT_RETENTION_DAYS (${days} days)`;
  return at.getTime() > now.getTime() + MAX_AHEAD_MS ? 'in the future' : undefined;
}

/** Cuts long texts and reduces the visitor's IP address. */
export function makeNotFound(body: NotFoundBody, ipMode: IpMode): NotFound {
  return {
    type: 'not-found',
    rawPath: cutText(body.raw_path, URL_CHARACTERS),
    origin: cutOptional(body.origin, URL_CHARACTERS),
    referrer: cutOptional(body.referrer, URL_CHARACTERS),
    userAgent: cutOptional(body.user_agent, USER_AGENT_CHARACTERS),
    visitorIp: reduceIp(body.user_ip, ipMode),
    ...(body.search_id ? { searchId: body.search_id.toLowerCase() } : {}),
    ...(body.outcome ? { outcome: body.outcome } : {}),
  };
}

function parseTimestamp(text: string | null | undefined): Date | undefined {
  if (text === undefined || text === null) return undefined;
  const date = parseIsoTime(text);
  if (!date) throw invalid('timestamp', 'timestamp must be an ISO 8601 date and time, such as 2026-03-14T09:26:53Z.');
  // Errors of a client's clock or of its units.
  if (date.getUTCFullYear() < MIN_YEAR || date.getUTCFullYear() > MAX_YEAR)
    throw invalid(
      'timestamp',
      `timestamp must be an ISO 8601 date and time of a year from ${MIN_YEAR} to ${MAX_YEAR}.`,
    );
  return date;
}

function cutOptional(text: string | null | undefined, length: number): string | null {
  return text === null || text === undefined ? null : cutText(text, length);
}

export type IpMode = 'full' | 'truncate' | 'drop';

/** Reduces an IP address before it is stored or queued: to itself, its network, or null, as any other text. */
function reduceIp(value: unknown, mode: IpMode): string | null {
  if (mode === 'drop' || typeof value !== 'string') return null;
  const address = plainAddress(value);
  if (address === undefined) return null;
  return mode === 'full' ? address : networkOf(address, VISITOR_NETWORK);
}
