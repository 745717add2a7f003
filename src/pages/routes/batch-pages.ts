import { LIMITS } from '../../base/request-limits.js';
import { checkStorable, compileBody } from '../../base/validate.js';
import { ApiError, invalid } from '../../base/errors.js';
import { PAGE_STATUSES } from '../../base/glossary.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import type { Logger } from '../../base/logger.js';
import { applyBatch, type BatchItem } from '../apply-batch.js';
import { createPageCheck, notAUrl, PAGE_SCHEMA, type PushedPage } from '../check-page.js';
import type { DeleteDeps } from '../delete-pages.js';
import { UPSERT_ACTIONS, type UpsertDeps } from '../upsert-pages.js';
import { cutText } from '../../text/cut-text.js';
import { parsePageUrl, type PageUrl } from '../../text/page-url.js';
import { renderError, sendJson } from '../../http/answers.js';
import { ERROR_FIELDS, exactObject, named, type Operation, PAGE_ID } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { DELETED_URL_SCHEMA, MAX_DELETED_URL } from './delete-page.js';
import { createInputReader } from '../../http/read-body.js';

/** The input of a batch; `parsed` is the whole body. */
type Batch = Required<InputOf<typeof batchPagesOperation>> & { parsed: object };

const MAX_ITEMS = 1_000;

export const batchPagesOperation = {
  method: 'POST',
  path: '/v1/pages/batch',
  scope: 'write',
  id: 'batchPages',
  summary: `Upserts and deletes up to ${MAX_ITEMS} pages, with an answer for each.`,
  description:
    'First the upserts, then the deletes, each in the order given; a url may come again. One bad item does not fail the others. ' +
    'Each item takes a token of the write rate: 429 when the bucket holds fewer now, and nothing is done; 413 when it can never hold as many. ' +
    'Safe to repeat.',
  body: {
    type: 'object',
    properties: {
      // The items are for the documentation only: each item is checked separately.
      pages: {
        type: 'array',
        maxItems: MAX_ITEMS,
        description: 'Pages as upsert takes them.',
        items: { documented: PAGE_SCHEMA },
      },
      delete: {
        type: 'array',
        maxItems: MAX_ITEMS,
        description: `Urls of pages to delete. With \`pages\` at most ${MAX_ITEMS}.`,
        items: { documented: DELETED_URL_SCHEMA },
      },
    },
  },
  examples: {
    both: {
      summary: 'Two pages pushed, one deleted',
      value: {
        pages: [
          { url: 'https://www.example.com/help/returns', content: 'How to send a parcel back.' },
          { url: 'https://www.example.com/help/shipping', title: 'Shipping', content: 'When your parcel arrives.' },
        ],
        delete: ['https://www.example.com/help/old-returns'],
      },
    },
    deletes: {
      summary: 'Deletes alone',
      value: { delete: ['https://www.example.com/news/2019', 'https://www.example.com/news/2020'] },
    },
  },
  answers: {
    200: {
      description: 'A result for each item: the pages, then the deletes.',
      schema: named(
        'BatchResults',
        exactObject({
          results: {
            type: 'array',
            items: named(
              'BatchResult',
              exactObject(
                {
                  url: { type: ['string', 'null'], description: 'As given; null if it is not a string.' },
                  page_id: PAGE_ID,
                  status: {
                    type: 'string',
                    enum: [...PAGE_STATUSES, 'success'],
                    description: "The page's, as upsert answers it; `success` of a delete.",
                  },
                  action: {
                    type: 'string',
                    enum: [...UPSERT_ACTIONS, 'deleted'],
                    description: 'What was done; `updated_metadata` where nothing changed, too.',
                  },
                  error: { ...ERROR_FIELDS, description: 'Why nothing was done; in place of the other fields.' },
                },
                ['page_id', 'status', 'action', 'error'],
              ),
            ),
          },
        }),
      ),
      example: {
        results: [
          {
            url: 'https://www.example.com/help/returns',
            page_id: '6b0108326d41a6572507c82a',
            status: 'PENDING_VECTORIZATION',
            action: 'created',
          },
          {
            url: 'https://www.example.com/help/old-returns',
            error: { code: 'not_found', message: 'The project has no page with this url.', param: 'delete.0' },
          },
        ],
      },
    },
  },
} as const satisfies Operation;

export function batchPagesRoute(
  deps: UpsertDeps & DeleteDeps & { bulkheads: Bulkheads; bytes: InFlightBytes; logger: Logger },
): Route<Batch> {
  const readBody = createInputReader(compileBody(batchPagesOperation.body), deps);
  const checkPage = createPageCheck();

  function* itemsOf({ pages, delete: urls, parsed }: Batch): Generator<BatchItem> {
    for (const [index, page] of pages.entries()) {
      const at = `pages.${index}`;
      yield itemOf(at, () => ({ page: checkPage(page as Record<string, unknown>, { parsed, at }) }));
    }
    for (const [index, url] of urls.entries()) {
      const at = `delete.${index}`;
      yield itemOf(at, () => ({ gone: urlOf(url, at) }));
    }
  }

  return {
    ...batchPagesOperation,
    read: async (request, response) => {
      const parsed = await readBody(request, response);
      const { pages = [], delete: urls = [] } = parsed;
      if (parsed.pages === undefined && parsed.delete === undefined)
        throw invalid('pages', 'Missing required parameter: pages (or delete)');
      if (pages.length + urls.length > MAX_ITEMS)
        throw invalid('delete', `pages and delete must have at most ${MAX_ITEMS} entries together.`);
      return { pages, delete: urls, parsed };
    },
    handle: async ({ caller, input, response, takeMore, gone }) => {
      const { pages, delete: urls } = input;
      if (pages.length + urls.length > 1) await takeMore(pages.length + urls.length - 1);
      const signal = gone();
      const results = await applyBatch(deps, caller, itemsOf(input), (work) =>
        deps.bulkheads.writes.run(caller.projectId, work, signal),
      );
      const allUrls = [...pages.map((page) => (page as { url?: unknown } | null)?.url), ...urls];
      // Renders and logs each error once: items of a chunk share it.
      const errors = new Map<unknown, object>();
      const rendered = results.map((result, index) => {
        const url = allUrls[index];
        if ('error' in result && !errors.has(result.error))
          errors.set(result.error, renderError(result.error, response, deps.logger));
        return {
          url: typeof url === 'string' ? cutText(url, LIMITS.urlCharacters) : null,
          ...('error' in result
            ? { error: errors.get(result.error) }
            : { page_id: result.pageId, status: result.status, action: result.action }),
        };
      });
      sendJson(response, JSON.stringify({ results: rendered }));
    },
  };
}

function itemOf(at: string, check: () => { page: PushedPage } | { gone: PageUrl }): BatchItem {
  try {
    return { at, ...check() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { at, error };
  }
}

function urlOf(written: unknown, at: string): PageUrl {
  const url = typeof written === 'string' && written.length <= MAX_DELETED_URL ? parsePageUrl(written) : undefined;
  if (!url) throw notAUrl(at);
  checkStorable(written, at);
  return url;
}
