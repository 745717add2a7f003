import { LIMITS } from '../../base/request-limits.js';
import { compileBody } from '../../base/validate.js';
import { RETRIEVED_FIELDS, RETRIEVED_NAMES } from '../../pages/page-fields.js';
import { retrieve, type Document } from '../retrieve-documents.js';
import { shownScore } from '../ranking/scores/score.js';
import { exactObject, named, type Operation, DEFAULT_LIMIT, LIMIT_SCHEMA, PAGE_ID } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { holdUntilSent, sendJsonPieces } from '../../http/answers.js';
import { FILTERS_SCHEMA, SCORE, inputSchema, type SearchRouteDeps } from './search-route.js';
import { createInputReader } from '../../http/read-body.js';

const DOCUMENT = named(
  'Document',
  exactObject(
    {
      id: PAGE_ID,
      url: { type: 'string', description: "The page's full url." },
      title: { type: 'string', description: 'Absent when the page has none.' },
      content: { type: 'string', description: 'All of it, as it was pushed.' },
      score: SCORE,
      ...RETRIEVED_FIELDS,
    },
    ['title', ...RETRIEVED_NAMES],
  ),
);

const OMITTED = named(
  'OmittedDocument',
  exactObject({
    id: { ...PAGE_ID, description: '`GET /v1/pages/{page_id}?content=true` has its content.' },
    url: { type: 'string', description: "The page's full url." },
    score: SCORE,
    bytes: { type: 'integer', description: 'Of its content and metadata, in UTF-8.' },
  }),
);

export const retrieveOperation = {
  method: 'POST',
  path: '/v1/retrieve',
  scope: 'read',
  id: 'retrieve',
  summary: 'Answers a question with whole documents, for retrieval-augmented generation.',
  description:
    'There is no threshold: the nearest documents come with their scores. ' +
    `Documents of ${LIMITS.retrieveBytes} bytes together at most, as JSON: \`omitted\` names those that found no room.`,
  body: {
    type: 'object',
    required: ['query'],
    properties: {
      query: inputSchema(LIMITS.queryCharacters, 'A question, taken as it is.'),
      top_k: LIMIT_SCHEMA,
      filters: FILTERS_SCHEMA,
    },
  },
  examples: {
    question: { summary: 'A question', value: { query: 'How long do I have to send something back?' } },
    filters: { summary: 'Help pages alone', value: { query: 'refund', top_k: 5, filters: { section: 'help' } } },
  },
  answers: {
    200: {
      description: 'Documents, best first.',
      schema: named(
        'Documents',
        exactObject(
          {
            documents: { type: 'array', items: DOCUMENT },
            omitted: {
              type: 'array',
              items: OMITTED,
              description: 'Found, and too large for the rest of this answer. Absent where everything found room.',
            },
          },
          ['omitted'],
        ),
      ),
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
} as const satisfies Operation;

export function retrieveRoute(deps: SearchRouteDeps): Route<InputOf<typeof retrieveOperation>> {
  const read = createInputReader(compileBody(retrieveOperation.body), deps);
  return {
    ...retrieveOperation,
    read,
    handle: async ({ caller, input, response, gone }) => {
      const { query, top_k: topK = DEFAULT_LIMIT, filters = {} } = input;
      const maxBytes = LIMITS.retrieveBytes;
      const hold = (bytes: number): void => holdUntilSent(response, deps.bytes, bytes);
      const documents = await retrieve(deps, caller, { query, topK, filters, maxBytes, hold, toJson }, gone());
      const omitted = documents
        .filter(({ json }) => !json)
        .map(({ id, url, score, bytes }) => ({ id, url, score: shownScore(score), bytes }));
      const listed = documents.flatMap(({ json }) => (json ? [COMMA, json] : [])).slice(1);
      const end = omitted.length === 0 ? ']}' : `],"omitted":${JSON.stringify(omitted)}}`;
      await sendJsonPieces(response, [Buffer.from('{"documents":['), ...listed, Buffer.from(end)]);
    },
  };
}

const COMMA = Buffer.from(',');

function toJson(retrieved: Document): Buffer {
  const { id, url, title, score, content } = retrieved;
  const isThere = (value: unknown): boolean =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== null;
  const document = {
    id,
    url,
    ...(title === null ? {} : { title }),
    content,
    score: shownScore(score),
    ...Object.fromEntries(
      RETRIEVED_NAMES.map((name) => [name, retrieved[name]] as const).filter(([, value]) => isThere(value)),
    ),
  };
  return Buffer.from(JSON.stringify(document));
}
