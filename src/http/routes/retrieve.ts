import type { RequestLimits } from '../../config.js';
import type { Filters } from '../../glossary.js';
import type { ByteBudget } from '../../limits/byte-budget.js';
import { retrieve } from '../../search/retrieve.js';
import type { SearchDeps } from '../../search/search.js';
import { exactly, type Operation } from '../operation.js';
import { createBodyReader } from '../read-body.js';
import type { Route } from '../route.js';
import { holdUntilTaken, sendJson } from '../send-json.js';
import { compileBody } from '../../validate.js';
import { filtersSchema, limitSchema, METADATA, PAGE_ID, roundScore, SCORE } from './search-body.js';

interface RetrieveBody {
  query: string;
  top_k?: number;
  filters?: Filters;
}

const DEFAULT_TOP_K = 3;

const DOCUMENT = exactly(
  { id: PAGE_ID, url: { type: 'string' }, title: { type: 'string' }, content: { type: 'string' }, score: SCORE, metadata: METADATA },
  ['title', 'metadata'],
);

export const retrieveOperation = (limits: RequestLimits) =>
  ({
    method: 'POST',
    path: '/v1/retrieve',
    scope: 'read',
    summary: 'Whole documents for a question, for retrieval-augmented generation.',
    body: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', trimmedLength: [1, limits.queryCharacters] },
        top_k: limitSchema(limits),
        filters: filtersSchema(limits),
      },
    },
    answers: { 200: { description: 'Documents, best first.', schema: exactly({ documents: { type: 'array', items: DOCUMENT } }) } },
  }) satisfies Operation;

/** POST /v1/retrieve: whole documents for a question, for retrieval-augmented generation. */
export function retrieveRoute(deps: SearchDeps & { bytes: ByteBudget }, limits: RequestLimits): Route<RetrieveBody> {
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  const operation = retrieveOperation(limits);
  const check = compileBody<RetrieveBody>(operation.body);
  return {
    ...operation,
    read: async (request, response) => check(await readBody(request, response)),
    handle: async ({ caller, input, response, gone }) => {
      const request = { query: input.query, topK: input.top_k ?? DEFAULT_TOP_K, filters: input.filters ?? {} };
      const until = gone();
      const documents = await deps.bulkheads.searches.run(() => retrieve(deps, caller, request, until), until);
      const text = JSON.stringify({
        documents: documents.map(({ id, url, title, content, score, metadata }) => ({
          id,
          url,
          ...(title === null ? {} : { title }),
          content,
          score: roundScore(score),
          ...(metadata === undefined ? {} : { metadata }),
        })),
      });
      // A hundred documents may be a hundred megabytes, which stay until the caller has taken them.
      holdUntilTaken(response, deps.bytes, Buffer.byteLength(text));
      sendJson(response, text);
    },
  };
}
