import { LIMITS } from '../../base/request-limits.js';
import { PAGE_STATUSES } from '../../base/glossary.js';
import { selectPage, selectPageSummaries, type PageFilter } from '../store/page-listing.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { isPageId, notAUrl } from '../check-page.js';
import { LISTED_FIELDS } from '../page-fields.js';
import { parsePageUrl } from '../../text/page-url.js';
import { compileBody } from '../../base/validate.js';
import { exactObject, named, type Operation, LIMIT_SCHEMA, PAGE_ID, TIME } from '../../http/operation.js';
import { readQueryString } from '../../http/read-body.js';
import type { Route } from '../../http/route.js';
import { holdUntilSent, sendJson } from '../../http/answers.js';
import { ApiError } from '../../base/errors.js';
import { readCursor, writeCursor } from '../../base/cursor.js';

const DEFAULT_PAGES = 20;

/** The fields of a stored page, without its content. */
const PAGE_FIELDS = {
  page_id: PAGE_ID,
  url: { type: 'string', description: 'Normalized.' },
  ...Object.fromEntries(Object.entries(LISTED_FIELDS).map(([name, { schema }]) => [name, schema])),
  status: { type: 'string', enum: [...PAGE_STATUSES] },
  error: { type: ['string', 'null'], description: 'Why the page is in `ERROR`, in words.' },
  updated_at: { ...TIME, description: 'Of the last upsert that changed it.' },
  indexed_at: {
    ...TIME,
    type: ['string', 'null'],
    description: 'Since when it is found by its content; null: not yet.',
  },
};

const PAGE_EXAMPLE = {
  page_id: '6b0108326d41a6572507c82a',
  url: 'https://www.example.com/help/returns',
  ...Object.fromEntries(Object.entries(LISTED_FIELDS).map(([name, { example }]) => [name, example])),
  status: 'INDEXED',
  error: null,
  updated_at: '2026-03-14T09:26:53.589Z',
  indexed_at: '2026-03-14T09:26:54.793Z',
};

export const listPagesOperation = {
  method: 'GET',
  path: '/v1/pages',
  scope: 'read',
  id: 'listPages',
  summary: 'Lists the pages of the project, with their status.',
  description:
    'In the order of `page_id`, which is about that in which they were first pushed. `next_cursor` leads on; null: that was all.',
  query: {
    type: 'object',
    properties: {
      status: {
        type: 'string',
        enum: PAGE_STATUSES,
        label: `one of ${PAGE_STATUSES.join(', ')}`,
        description: 'Only pages of this status.',
      },
      url: {
        type: 'string',
        minLength: 1,
        maxLength: LIMITS.urlCharacters,
        label: `one url of at most ${LIMITS.urlCharacters} characters`,
        description: 'Only the page of this url.',
        examples: ['https://www.example.com/help/returns'],
      },
      limit: { ...LIMIT_SCHEMA, default: DEFAULT_PAGES, description: 'Pages at most.' },
      cursor: { type: 'string', label: 'one text', description: 'The `next_cursor` of the answer before.' },
    },
  },
  answers: {
    200: {
      description: 'Some pages, and where the next ones begin.',
      schema: named(
        'PageList',
        exactObject({
          pages: { type: 'array', items: named('StoredPage', exactObject(PAGE_FIELDS)) },
          next_cursor: { type: ['string', 'null'] },
        }),
      ),
      example: { pages: [PAGE_EXAMPLE], next_cursor: null },
    },
  },
} as const satisfies Operation;

export function listPagesRoute(deps: { bulkheads: Bulkheads }): Route<{ filter: PageFilter; limit: number }> {
  const check = compileBody(listPagesOperation.query);
  return {
    ...listPagesOperation,
    read: (request) => {
      const { status, url, cursor, limit = DEFAULT_PAGES } = check(readQueryString(request, listPagesOperation.query));
      const page = url === undefined ? undefined : parsePageUrl(url);
      if (url !== undefined && !page) throw notAUrl('url');
      const after = cursor === undefined ? undefined : readCursor(cursor, isPageId);
      return { filter: { status, urlHash: page?.hash, after }, limit };
    },
    handle: async ({ caller, input: { filter, limit }, response, gone }) => {
      // One more than the limit shows whether there are more.
      const select = () => selectPageSummaries(caller, filter, limit + 1);
      const summaries = await deps.bulkheads.searches.run(caller.projectId, select, gone());
      const pages = summaries.slice(0, limit);
      const last = summaries.length > limit ? pages.at(-1) : undefined;
      response.json({ pages, next_cursor: last ? writeCursor(last.page_id) : null });
    },
  };
}

export const getPageOperation = {
  method: 'GET',
  path: '/v1/pages/{page_id}',
  scope: 'read',
  id: 'getPage',
  summary: 'Shows one page of the project.',
  pathParameters: { type: 'object', required: ['page_id'], properties: { page_id: PAGE_ID } },
  query: {
    type: 'object',
    properties: {
      content: {
        type: 'boolean',
        default: false,
        label: 'true or false',
        description: 'Whether the answer holds the content, too.',
      },
    },
  },
  answers: {
    200: {
      description: 'The page.',
      schema: named(
        'StoredPageWithContent',
        exactObject({ ...PAGE_FIELDS, content: { type: 'string', description: 'As it was pushed.' } }, ['content']),
      ),
      example: PAGE_EXAMPLE,
    },
  },
} as const satisfies Operation;

export function getPageRoute(deps: {
  bulkheads: Bulkheads;
  bytes: InFlightBytes;
}): Route<{ pageId: string; content: boolean }> {
  const check = compileBody(getPageOperation.query);
  return {
    ...getPageOperation,
    read: (request) => {
      const { content = false } = check(readQueryString(request, getPageOperation.query));
      return { pageId: String(request.params['page_id']), content };
    },
    handle: async ({ caller, input: { pageId, content }, response, gone }) => {
      const page = isPageId(pageId)
        ? await deps.bulkheads.searches.run(caller.projectId, () => selectPage(caller, pageId, content), gone())
        : undefined;
      if (!page)
        throw new ApiError('not_found', { message: 'The project has no page with this id.', param: 'page_id' });
      const text = JSON.stringify(page);
      holdUntilSent(response, deps.bytes, Buffer.byteLength(text));
      sendJson(response, text);
    },
  };
}
