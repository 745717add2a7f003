import type { SchemaObject } from 'ajv';
import { invalid } from '../errors.js';
import { compileBody } from '../validate.js';
import { cutText } from '../text/cut-text.js';
import { parseIsoTime } from '../text/parse-time.js';
import { UUID_PATTERN } from '../text/uuid.js';
import { reduceIp, type IpMode } from './visitor-ip.js';

/** An event as it is queued and stored. */
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
  /** What GET /v1/not-found answered; absent for events of others. */
  answered?: { outcome: NotFoundOutcome; searchId: string };
}

/** What became of a 404 that pathmend answered itself. */
export type NotFoundOutcome = 'redirected' | 'suggested' | 'nothing' | 'gone';

interface ClickBody {
  clicked_url: string;
  clicked_rank: number;
  raw_path: string;
  search_id: string;
  origin?: string | null;
  timestamp?: string | null;
}

interface NotFoundBody {
  raw_path: string;
  origin?: string | null;
  referrer?: string | null;
  user_agent?: string | null;
  user_ip?: unknown;
}

const URL_CHARACTERS = 2_048;
const USER_AGENT_CHARACTERS = 1_024;

const present: SchemaObject = { type: 'string', minLength: 1, label: 'a text of at least 1 character' };
const optional: SchemaObject = { type: ['string', 'null'] };
const ORIGIN: SchemaObject = { ...optional, description: 'The site: scheme and host.' };

const CLICK_SCHEMA: SchemaObject = {
  type: 'object',
  title: 'ClickEvent',
  required: ['clicked_url', 'clicked_rank', 'raw_path', 'search_id'],
  properties: {
    clicked_url: { ...present, description: 'The url that was clicked, as the suggestion had it.' },
    clicked_rank: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      label: 'a whole number from 1 on',
      description: 'Its place among the suggestions, from 1 on.',
    },
    raw_path: { ...present, description: 'The path or query that was searched for.' },
    search_id: {
      type: 'string',
      pattern: UUID_PATTERN,
      label: 'the search_id of a search: a UUID',
      description: "From the search's answer.",
    },
    origin: ORIGIN,
    timestamp: { ...optional, description: 'ISO 8601; absent: now.' },
  },
};

const NOT_FOUND_SCHEMA: SchemaObject = {
  type: 'object',
  title: 'NotFoundEvent',
  required: ['raw_path'],
  properties: {
    raw_path: { ...present, description: 'The path that was not found.' },
    origin: ORIGIN,
    referrer: { ...optional, description: 'The url of the page that led there.' },
    user_agent: { ...optional, description: "The visitor's browser." },
    user_ip: {
      documented: {
        ...optional,
        description:
          "The visitor's IP address. `EVENT_IP_MODE` decides how much of it is kept. Another text is stored as null.",
      },
    },
  },
};

export const EVENT_SCHEMA: SchemaObject = { type: 'object', anyOf: [CLICK_SCHEMA, NOT_FOUND_SCHEMA] };

const checkClick = compileBody<ClickBody>(CLICK_SCHEMA);
const checkNotFound = compileBody<NotFoundBody>(NOT_FOUND_SCHEMA);

/**
 * Tells a click from a 404 by the body's fields, checks it, cuts long texts and reduces the visitor's IP address.
 * A missing timestamp becomes `now`.
 * @throws ApiError invalid_request
 */
export function readEvent(body: Record<string, unknown>, ipMode: IpMode, now: Date): VisitorEvent {
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
      occurredAt: (click.timestamp === undefined || click.timestamp === null
        ? now
        : parseTimestamp(click.timestamp)
      ).toISOString(),
    };
  }
  if (has('raw_path') && !has('clicked_url') && !has('search_id')) {
    return makeNotFound(checkNotFound(body), ipMode);
  }
  throw invalid(
    undefined,
    'The type of the event cannot be told: a click has clicked_url and search_id, a 404 has raw_path and neither of them.',
  );
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
  };
}

function parseTimestamp(text: string): Date {
  const date = parseIsoTime(text);
  // Other years are errors of a client's clock or of its units.
  if (!date || date.getUTCFullYear() < 1990 || date.getUTCFullYear() > 2200) {
    throw invalid('timestamp', 'timestamp must be an ISO 8601 date and time, such as 2026-03-14T09:26:53Z.');
  }
  return date;
}

function cutOptional(text: string | null | undefined, length: number): string | null {
  return text === null || text === undefined ? null : cutText(text, length);
}
