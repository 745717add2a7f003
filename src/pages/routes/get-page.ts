import { selectPage } from '../store/page-listing.js';
import { ApiError } from '../../base/errors.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { isPageId } from '../page-id.js';
import { compileBody } from '../../base/validate.js';
import { exactly, named, type Operation, PAGE_ID } from '../../http/operation.js';
import { readQueryString } from '../../http/query-string.js';
import type { Route } from '../../http/route.js';
import { holdUntilSent, sendJson } from '../../http/send-json.js';
import { PAGE_EXAMPLE, PAGE_FIELDS } from './list-pages.js';

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
        exactly({ ...PAGE_FIELDS, content: { type: 'string', description: 'As it was pushed.' } }, ['content']),
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
