import { LIMITS } from '../../base/request-limits.js';
import { invalid } from '../../base/errors.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { deletePage, type DeleteDeps, type DeleteTarget } from '../delete-pages.js';
import { isPageId, notAUrl } from '../check-page.js';
import { parsePageUrl } from '../../text/page-url.js';
import { exactObject, named, type Operation, PAGE_ID } from '../../http/operation.js';
import { createInputReader } from '../../http/read-body.js';
import type { InputOf, Route } from '../../http/route.js';
import { compileBody } from '../../base/validate.js';

/** The maximum length of the url, which may be a normalized one: escaping may turn a character into twelve. */
export const MAX_DELETED_URL = LIMITS.urlCharacters * 12;

export const DELETED_URL_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_DELETED_URL,
  description: "The page's full url.",
} as const;

export const deletePageOperation = {
  method: 'DELETE',
  path: '/v1/pages/delete',
  scope: 'write',
  id: 'deletePage',
  summary: 'Removes the page of a url or of an identifier.',
  description:
    'One of `url` and `pageId` is needed. With both, they must be of the same page. A page of another project is answered 403.',
  body: {
    type: 'object',
    properties: {
      url: DELETED_URL_SCHEMA,
      pageId: { type: 'string', label: '24 lower-case hexadecimal characters' },
    },
  },
  examples: {
    url: { summary: 'By url', value: { url: 'https://www.example.com/help/returns' } },
    id: { summary: 'By identifier', value: { pageId: '6b0108326d41a6572507c82a' } },
  },
  answers: {
    200: {
      description: 'Removed, with its vectors and its waiting work.',
      schema: named(
        'DeletedPage',
        exactObject({
          status: { type: 'string', enum: ['success'] },
          message: { type: 'string' },
          pageId: PAGE_ID,
          url: { type: 'string' },
        }),
      ),
      example: {
        status: 'success',
        message: 'The page was deleted.',
        pageId: '6b0108326d41a6572507c82a',
        url: 'https://www.example.com/help/returns',
      },
    },
  },
} as const satisfies Operation;

export function deletePageRoute(
  deps: DeleteDeps & { bulkheads: Bulkheads; bytes: InFlightBytes },
): Route<DeleteTarget> {
  const readTarget = createInputReader(compileBody(deletePageOperation.body), deps);
  return {
    ...deletePageOperation,
    read: async (request, response) => targetOf(await readTarget(request, response)),
    handle: async ({ caller, input, response, gone }) => {
      const page = await deps.bulkheads.writes.run(caller.projectId, () => deletePage(deps, caller, input), gone());
      response.json({ status: 'success', message: 'The page was deleted.', pageId: page.page_id, url: page.url });
    },
  };
}

function targetOf({ url, pageId }: InputOf<typeof deletePageOperation>): DeleteTarget {
  if (url === undefined && pageId === undefined) throw invalid('url', 'Missing required parameter: url (or pageId)');
  if (pageId !== undefined && !isPageId(pageId))
    throw invalid('pageId', 'pageId must be 24 lower-case hexadecimal characters.');
  const page = url === undefined ? undefined : parsePageUrl(url);
  if (url !== undefined && !page) throw notAUrl('url');
  return { pageId, url: page };
}
