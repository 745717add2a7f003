import { LIMITS } from '../../base/request-limits.js';
import type { SchemaObject } from 'ajv';
import type { SearchKind } from '../../base/glossary.js';
import type { Valid } from '../../base/validate.js';
import type { Response } from 'express';
import type { FoundSuggestion, SearchAnswer, SearchRequest } from '../answer.js';
import { shownScore } from '../ranking/scores/score.js';
import { RETRIEVED_FIELDS } from '../../pages/page-fields.js';
import { exactObject, freeForm, named, type Answer, type Operation, DEFAULT_LIMIT } from '../../http/operation.js';
import { browserAgent } from '../../text/visitor.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { search, type SearchDeps } from '../search.js';
import type { Route } from '../../http/route.js';
import { holdUntilSent, sendJson } from '../../http/answers.js';
import { originalHost, setRuleHeaders } from './rule-headers.js';

export const DEFAULT_THRESHOLD = 0.7;

const THRESHOLD_DESCRIPTION =
  'Minimum score of an answer. 0.7, the default, is for one link that is probably right: three of four dead paths get one, and nine of ten of those are right. ' +
  'For a list "did you mean", from which a visitor chooses, 0.1: the right page is among the links more often. Above 0.9 a redirect is nearly certain. ' +
  'Questions score lower. Figures: docs/evidence/relevance.md.';

export type SearchOptions = Valid<typeof OPTIONS_SCHEMA>;

/** The path or the question of a search. */
export function inputSchema(maxCharacters: number, description: string) {
  return { type: 'string', trimmedLength: [1, maxCharacters], description } as const;
}

export const FILTERS_SCHEMA = {
  title: 'Filters',
  type: 'object',
  maxProperties: LIMITS.filters,
  description:
    'Only pages whose metadata match all of these: a field of that name that equals the value, or is a list that contains it. ' +
    'Types matter: `"true"` is not `true`.',
  additionalProperties: {
    type: ['string', 'number', 'boolean', 'null'],
    label: 'a JSON scalar: a string, a number, true, false or null',
  },
} as const;

export const OPTIONS_SCHEMA = {
  type: 'object',
  properties: {
    excludeUrls: {
      type: 'array',
      maxItems: LIMITS.excludeUrls,
      description: 'Pages to leave out: full urls or paths.',
      items: {
        type: 'string',
        minLength: 1,
        maxLength: LIMITS.urlCharacters,
        label: `a full URL or a path of 1 to ${LIMITS.urlCharacters} characters`,
      },
    },
    searchThreshold: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: DEFAULT_THRESHOLD,
      label: 'a number from 0.0 to 1.0',
      description: THRESHOLD_DESCRIPTION,
    },
    filters: FILTERS_SCHEMA,
    explain: {
      type: 'boolean',
      default: false,
      label: 'true or false',
      description: 'Whether each suggestion says why it is one.',
    },
  },
} as const;

export const SCORE: SchemaObject = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  description: 'How certain it is that this page was meant.',
};
const SEARCH_ID: SchemaObject = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'Of this search; a click event sends it back.',
};

const SUGGESTION: SchemaObject = named(
  'Suggestion',
  exactObject(
    {
      url: { type: 'string', description: "The page's path, with its query string if it has one." },
      title: { type: 'string', description: "The page's title, or its last path segment made readable." },
      score: SCORE,
      metadata: RETRIEVED_FIELDS.metadata,
      explanation: freeForm(
        'Asked for with `options.explain`: the `words` that a path was read as, spelling `corrections`, the `rule` that leads to the page or the `rewriting` by which redirects do, what visitors have `chosen` where that raised the score (clicks on the page, and of how many; or the section whose visitors chose so), why the score is `bounded` where it is the most that it may be, the `doubts` that make a guess clearly less sure, the strongest first, why the path is proposed as `gone` where the best page does not stand for it, and each kind of `evidence` with its share in what moved the page up among the others.',
      ),
    },
    ['metadata', 'explanation'],
  ),
);

export const SUGGESTIONS_ANSWER: Answer = {
  description: 'Pages, best first; none when no page is near enough.',
  schema: named(
    'Suggestions',
    exactObject({ suggestions: { type: 'array', items: SUGGESTION }, search_id: SEARCH_ID }),
  ),
  example: {
    suggestions: [{ url: '/help/returns', title: 'Returns and refunds', score: 0.9312, metadata: { section: 'help' } }],
    search_id: '507d2d7f-b6f1-4881-9f89-e3f184df2bc0',
  },
};

export function renderSuggestion(suggestion: FoundSuggestion): Record<string, unknown> {
  const { url, title, score, metadata, explanation } = suggestion;
  return {
    url,
    title,
    score: shownScore(score),
    ...(metadata === undefined ? {} : { metadata }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

interface SearchInput {
  limit?: number;
  options?: SearchOptions;
}

export type SearchRouteDeps = SearchDeps & { bytes: InFlightBytes };

/** Makes a search request, with defaults for what the caller left out. `input`: a path or a query. */
export function searchRequest(
  kind: SearchKind,
  input: string,
  { limit = DEFAULT_LIMIT, options = {} }: SearchInput = {},
): SearchRequest {
  const { searchThreshold = DEFAULT_THRESHOLD, filters = {}, excludeUrls = [], explain = false } = options;
  return { kind, input, limit, threshold: searchThreshold, filters, excludeUrls, explain };
}

/** Only answers with large metadata are longer, up to 64 KiB for each suggestion. */
const LARGE = 100_000;

/** A route that searches and answers with suggestions. `textOf`: the path or query of a request. */
export function searchRoute<Input extends SearchInput>(
  deps: SearchRouteDeps,
  route: Pick<Route<Input>, 'read'> & { kind: SearchKind; operation: Operation; textOf: (input: Input) => string },
): Route<Input> {
  const { kind, operation, read, textOf } = route;
  return {
    ...operation,
    read,
    handle: async ({ caller, input, request, response, gone }) => {
      const named = request.get('user-agent');
      const text = textOf(input);
      const searched = {
        ...searchRequest(kind, text, input),
        host: kind === 'suggest' ? originalHost(request) : undefined,
      };
      const { answer, log } = await search(deps, caller, searched, browserAgent(named), gone);
      if (kind === 'suggest') setRuleHeaders(response, answer, text, named);
      sendSuggestions(deps, response, answer, log());
    },
  };
}

export function sendSuggestions(
  { bytes }: SearchRouteDeps,
  response: Response,
  answer: SearchAnswer,
  id: string,
): void {
  const json = JSON.stringify({ suggestions: answer.suggestions.map(renderSuggestion), search_id: id });
  if (json.length > LARGE) holdUntilSent(response, bytes, json.length);
  sendJson(response, json);
}
