import type { RequestLimits } from '../../platform/settings/config.js';
import type { Filters } from '../../base/glossary.js';
import { retrieve } from '../retrieve-documents.js';
import { shownScore } from '../thresholds.js';
import { exactly, named, type Operation, DEFAULT_LIMIT, limitSchema, PAGE_ID } from '../../http/operation.js';
import type { Route } from '../../http/route.js';
import { holdUntilSent, sendJson } from '../../http/send-json.js';
import { filtersSchema, METADATA, SCORE, inputSchema } from './search-body.js';
import { type SearchRouteDeps } from './search-route.js';
import { createInputReader } from '../../http/read-body.js';

interface RetrieveBody {
  query: string;
  top_k?: number;
  filters?: Filters;
}

const DOCUMENT = named(
  'Document',
  exactly(
    {
      id: PAGE_ID,
      url: { type: 'string', description: "The page's full url." },
      title: { type: 'string', description: 'Absent when the page has none.' },
      content: { type: 'string', description: 'All of it, as it was pushed.' },
      score: SCORE,
      metadata: METADATA,
    },
    ['title', 'metadata'],
  ),
);

export const retrieveOperation = (limits: RequestLimits) =>
  ({
    method: 'POST',
    path: '/v1/retrieve',
    scope: 'read',
    id: 'retrieve',
    summary: 'Answers a question with whole documents, for retrieval-augmented generation.',
    description: 'There is no threshold: the nearest documents come with their scores.',
    body: {
      type: 'object',
      required: ['query'],
      properties: {
        query: inputSchema(limits.queryCharacters, 'A question, taken as it is.'),
        top_k: limitSchema(limits),
        filters: filtersSchema(limits),
      },
    },
    examples: {
      question: { summary: 'A question', value: { query: 'How long do I have to send something back?' } },
      filters: { summary: 'Help pages alone', value: { query: 'refund', top_k: 5, filters: { section: 'help' } } },
    },
    answers: {
      200: {
        description: 'Documents, best first.',
        schema: named('Documents', exactly({ documents: { type: 'array', items: DOCUMENT } })),
        example: {
          documents: [
            {
              id: '6b0108326d41a6572507c82a',
              url: 'https://www.example.com/help/returns',
              title: 'Returns and refunds',
              content: 'How to send a parcel back, and when your money arrives.',
              score: 0.9101,
              metadata: { section: 'help' },
            },
          ],
        },
      },
    },
  }) satisfies Operation;

export function retrieveRoute(deps: SearchRouteDeps, limits: RequestLimits): Route<RetrieveBody> {
  const operation = retrieveOperation(limits);
  return {
    ...operation,
    read: createInputReader<RetrieveBody>(operation, deps, limits),
    handle: async ({ caller, input, response, gone }) => {
      const request = { query: input.query, topK: input.top_k ?? DEFAULT_LIMIT, filters: input.filters ?? {} };
      const documents = await retrieve(deps, caller, request, gone());
      const text = JSON.stringify({
        documents: documents.map(({ id, url, title, content, score, metadata }) => ({
          id,
          url,
          ...(title === null ? {} : { title }),
          content,
          score: shownScore(score),
          ...(metadata === undefined ? {} : { metadata }),
        })),
      });
      // A hundred documents may have a hundred megabytes, which stay in memory until they are sent.
      holdUntilSent(response, deps.bytes, Buffer.byteLength(text));
      sendJson(response, text);
    },
  };
}
