import type { RequestLimits } from '../../config.js';
import { createPageCheck } from '../../pages/check-page.js';
import { upsertPages, type PushedPage, type UpsertDeps, type UpsertedPage } from '../../pages/upsert-pages.js';
import { createBodyReader } from '../read-body.js';
import type { Route } from '../route.js';

/** POST /v1/pages/upsert: creates or updates the page of a url and queues its vectorization. */
export function upsertPageRoute(deps: UpsertDeps, limits: RequestLimits): Route<PushedPage> {
  const readBody = createBodyReader(limits.bodyBytes);
  const check = createPageCheck(limits);
  return {
    method: 'POST',
    path: '/v1/pages/upsert',
    scope: 'write',
    read: async (request, response) => check(await readBody(request, response)),
    handle: async ({ caller, input, response }) => {
      const [page] = await upsertPages(deps, caller.projectId, [input]);
      if (!page) throw new Error('an upsert of one page returned none');
      response.status(202).json({ page_id: page.pageId, status: page.status, action: page.action, message: messageOf(page) });
    },
  };
}

function messageOf(page: UpsertedPage): string {
  if (!page.changed) return 'Nothing changed: the page is stored with this content, title and metadata already.';
  switch (page.action) {
    case 'created':
      return 'The page was created and queued for vectorization.';
    case 'updated_content':
      return 'The content was updated and queued for vectorization; the page is found by its old content until then.';
    case 'updated_metadata':
      return page.status === 'PENDING_VECTORIZATION'
        ? 'The page was updated and is queued for vectorization.'
        : 'Title and metadata were updated; the content is the same.';
  }
}
