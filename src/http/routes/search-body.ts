import type { SchemaObject } from 'ajv';
import type { RequestLimits } from '../../config.js';
import type { Filters } from '../../glossary.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { exactly, type Answer } from '../operation.js';

/** What suggest and semantic-search share: their options, and the shape of a suggestion. */

export const DEFAULT_LIMIT = 3;
export const DEFAULT_THRESHOLD = 0.7;

export interface SearchOptions {
  excludeUrls?: string[];
  searchThreshold?: number;
  filters?: Filters;
  explain?: boolean;
}

export function limitSchema(limits: RequestLimits): SchemaObject {
  return { type: 'integer', minimum: 1, maximum: limits.results, label: `a whole number from 1 to ${limits.results}` };
}

export function filtersSchema(limits: RequestLimits): SchemaObject {
  return {
    type: 'object',
    maxProperties: limits.filters,
    additionalProperties: {
      type: ['string', 'number', 'boolean', 'null'],
      label: 'a JSON scalar: a string, a number, true, false or null',
    },
  };
}

export function optionsSchema(limits: RequestLimits): SchemaObject {
  return {
    type: 'object',
    properties: {
      excludeUrls: {
        type: 'array',
        maxItems: limits.excludeUrls,
        items: { type: 'string', minLength: 1, maxLength: limits.urlCharacters, label: 'a full URL or a path' },
      },
      searchThreshold: { type: 'number', minimum: 0, maximum: 1, label: 'a number from 0.0 to 1.0' },
      filters: filtersSchema(limits),
      explain: { type: 'boolean', label: 'true or false' },
    },
  };
}

export const SCORE: SchemaObject = { type: 'number', minimum: 0, maximum: 1 };
const SEARCH_ID: SchemaObject = { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' };
export const PAGE_ID: SchemaObject = { type: 'string', pattern: '^[0-9a-f]{24}$' };
export const METADATA: SchemaObject = { type: 'object' };

const SUGGESTIONS: SchemaObject = {
  type: 'array',
  items: exactly(
    { url: { type: 'string' }, title: { type: 'string' }, score: SCORE, metadata: METADATA, explanation: { type: 'object' } },
    ['metadata', 'explanation'],
  ),
};

/** What searches answer, best first. */
export const SUGGESTIONS_ANSWER: Answer = { description: 'Pages, best first.', schema: exactly({ suggestions: SUGGESTIONS, search_id: SEARCH_ID }) };

export function renderSuggestion(suggestion: FoundSuggestion): Record<string, unknown> {
  const { url, title, score, metadata, explanation } = suggestion;
  return {
    url,
    title,
    score: roundScore(score),
    ...(metadata === undefined ? {} : { metadata }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

/** Four decimals, rounded down: a rounded score must not reach a threshold that the score itself missed. */
export function roundScore(score: number): number {
  return Math.floor(score * 10_000) / 10_000;
}
