import { PAGE_STATUSES } from '../../base/glossary.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { createPageCheck, PAGE_SCHEMA, type PushedPage } from '../check-page.js';
import { UPSERT_ACTIONS, upsertPages, type UpsertDeps, type UpsertedPage } from '../upsert-pages.js';
import { exactObject, named, type Operation, PAGE_ID } from '../../http/operation.js';
import { createInputReader } from '../../http/read-body.js';
import type { Route } from '../../http/route.js';

export const upsertPageOperation = {
  method: 'POST',
  path: '/v1/pages/upsert',
  scope: 'write',
  id: 'upsertPage',
  summary: 'Creates or updates the page of a url and queues its vectorization.',
  description:
    'Safe to repeat. A page is found a moment after it is pushed; until new content is vectorized, the page is found by its old one.',
  body: PAGE_SCHEMA,
  examples: {
    page: {
      summary: 'A page with metadata to filter by',
      value: {
        url: 'https://www.example.com/help/returns',
        title: 'Returns and refunds',
        content: 'How to send a parcel back, and when your money arrives.',
        metadata: { section: 'help', language: 'en', tags: ['returns', 'refunds'] },
      },
    },
    clear: {
      summary: 'Without title and metadata from now on',
      value: { url: 'https://www.example.com/help', content: 'All help pages.', title: null, metadata: null },
    },
  },
  answers: {
    202: {
      description: 'Stored, and queued where it has to be vectorized.',
      schema: named(
        'UpsertedPage',
        exactObject({
          page_id: PAGE_ID,
          status: {
            type: 'string',
            enum: [...PAGE_STATUSES],
            description: '`INDEXED` pages are found by their present content.',
          },
          action: {
            type: 'string',
            enum: [...UPSERT_ACTIONS],
            description: 'What was done; `updated_metadata` where nothing changed, too.',
          },
          message: { type: 'string', description: 'The same for people.' },
        }),
      ),
      example: {
        page_id: '6b0108326d41a6572507c82a',
        status: 'PENDING_VECTORIZATION',
        action: 'created',
        message: 'The page was created and queued for vectorization.',
      },
    },
  },
} satisfies Operation;

export function upsertPageRoute(deps: UpsertDeps & { bulkheads: Bulkheads; bytes: InFlightBytes }): Route<PushedPage> {
  return {
    ...upsertPageOperation,
    read: createInputReader(createPageCheck(), deps),
    handle: async ({ caller, input, response, gone }) => {
      const upsert = () => upsertPages(deps, caller, [input]);
      const [page] = await deps.bulkheads.writes.run(caller.projectId, upsert, gone());
      if (!page) throw new Error('upsertPages returned no page');
      const { pageId, status, action } = page;
      response.status(202).json({ page_id: pageId, status, action, message: messageOf(page) });
    },
  };
}

function messageOf({ changed, action, status }: UpsertedPage): string {
  if (!changed) return 'Nothing changed: the page is stored with this content, title and metadata already.';
  if (action === 'created') return 'The page was created and queued for vectorization.';
  if (action === 'updated_content')
    return 'The content was updated and queued for vectorization; the page is found by its old content until then.';
  return status === 'PENDING_VECTORIZATION'
    ? 'The page was updated and is queued for vectorization.'
    : 'Title and metadata were updated; the content is the same.';
}
