import type { SchemaObject } from 'ajv';
import type { NotFoundOutcome } from '../base/glossary.js';
import { compileBody, type Valid } from '../base/validate.js';
import { UUID_PATTERN } from '../text/uuid.js';

/** The site gives a visitor of a missing page one of these. */
const ANSWER_OUTCOMES = ['redirected', 'suggested', 'nothing', 'gone'] as const satisfies readonly NotFoundOutcome[];
export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

const present = { type: 'string', minLength: 1, label: 'a text of at least 1 character' } as const;
const optional = { type: ['string', 'null'] } as const;
export const SEARCH_ID = {
  pattern: UUID_PATTERN,
  label: 'the search_id of a search: a UUID',
  description: "From the search's answer.",
};
const ORIGIN = { ...optional, description: 'The site: scheme and host.' };

export const CLICKED_RANK = {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  label: 'a whole number from 1 on',
  description: 'Its place among the suggestions, from 1 on.',
} as const;

const CLICK_SCHEMA = {
  type: 'object',
  title: 'ClickEvent',
  required: ['clicked_url', 'clicked_rank', 'raw_path', 'search_id'],
  properties: {
    clicked_url: { ...present, description: 'The url that was clicked, as the suggestion had it.' },
    clicked_rank: CLICKED_RANK,
    raw_path: { ...present, description: 'The path or query that was searched for.' },
    search_id: { type: 'string', ...SEARCH_ID },
    origin: ORIGIN,
    timestamp: {
      ...optional,
      description:
        'ISO 8601; absent: now. It is kept beside the time at which the click arrived, by which it is counted, and may be any.',
    },
  },
} as const;

const NOT_FOUND_SCHEMA = {
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
    search_id: {
      ...optional,
      ...SEARCH_ID,
      description:
        'Of the search that answered this 404. Needs `referrer`, `user_agent`, `user_ip`, `outcome` or `timestamp` beside it.',
    },
    outcome: {
      enum: [...ANSWER_OUTCOMES, null],
      label: `one of ${ANSWER_OUTCOMES.join(', ')}`,
      description: "What the visitor was given; absent: by the search's answer.",
    },
    timestamp: {
      ...optional,
      description: 'ISO 8601; absent: now. Of the past as far as `EVENT_RETENTION_DAYS` goes, not of the future.',
    },
  },
} as const;
export type NotFoundBody = Valid<typeof NOT_FOUND_SCHEMA>;

export const EVENT_SCHEMA: SchemaObject = { type: 'object', anyOf: [CLICK_SCHEMA, NOT_FOUND_SCHEMA] };

export const checkClick = compileBody(CLICK_SCHEMA);
export const checkNotFound = compileBody(NOT_FOUND_SCHEMA);
