import { PathmendError } from './errors.js';

const MAX_ITEMS = 1_000;
/** Below the 2 MiB that pathmend takes as a body. */
const MAX_BYTES = 1_900_000;

/**
 * @typedef {import('../index.js').Page} Page
 * @typedef {import('../index.js').BatchResult} BatchResult
 * @typedef {{ page: Page } | { url: string }} Item a page to upsert, or a url to delete
 */

/**
 * Sends pages and deletes in as few batches as the bounds of a batch allow, one after the other, so that pages may come
 * from a stream. A batch that is too large for the project's plan (413) is halved, and so are those after it.
 * @param {(batch: { pages: Page[], delete: string[] }) => Promise<{ results?: BatchResult[] }>} sendBatch
 * @param {Iterable<Page> | AsyncIterable<Page>} pages
 * @param {Iterable<string> | AsyncIterable<string>} urls to delete
 * @returns {Promise<{ results: BatchResult[] }>} in the order of the pages, then of the urls
 */
export async function sendBatches(sendBatch, pages, urls) {
  /** @type {BatchResult[]} */
  const results = [];
  const encoder = new TextEncoder();
  let maxItems = MAX_ITEMS;
  /** @param {Item[]} items */
  const sendAll = async (items) => {
    for (let start = 0; start < items.length;) {
      const batch = items.slice(start, start + maxItems);
      try {
        const answers = await sendOne(sendBatch, batch);
        // pathmend ends a long batch after some seconds. Those that it did not come to go into the next one.
        const left = answers.findIndex(({ error }) => error?.code === 'overloaded');
        const done = left > 0 ? answers.slice(0, left) : answers;
        results.push(...done);
        start += done.length;
      } catch (error) {
        if (!(error instanceof PathmendError) || error.status !== 413) throw error;
        maxItems = Math.max(1, Math.floor(batch.length / 2));
        if (batch.length > 1) continue;
        // This one page is too large, whatever its company. The others still go.
        results.push({ url: urlOf(batch[0]), error: { code: 'payload_too_large', message: error.message } });
        start += 1;
      }
    }
  };
  /** @type {Item[]} */
  let waiting = [];
  let bytes = 0;
  for await (const item of itemsOf(pages, urls)) {
    const size = encoder.encode(JSON.stringify(item)).length;
    if (waiting.length > 0 && (waiting.length >= maxItems || bytes + size > MAX_BYTES)) {
      await sendAll(waiting);
      waiting = [];
      bytes = 0;
    }
    waiting.push(item);
    bytes += size;
  }
  await sendAll(waiting);
  return { results };
}

/**
 * @param {Iterable<Page> | AsyncIterable<Page>} pages
 * @param {Iterable<string> | AsyncIterable<string>} urls
 * @returns {AsyncGenerator<Item>}
 */
async function* itemsOf(pages, urls) {
  for await (const page of pages) yield { page };
  for await (const url of urls) yield { url };
}

/**
 * @param {(batch: { pages: Page[], delete: string[] }) => Promise<{ results?: BatchResult[] }>} sendBatch
 * @param {Item[]} items
 * @returns {Promise<BatchResult[]>}
 */
async function sendOne(sendBatch, items) {
  const { results } = await sendBatch({
    pages: items.flatMap((item) => ('page' in item ? [item.page] : [])),
    delete: items.flatMap((item) => ('url' in item ? [item.url] : [])),
  });
  if (!Array.isArray(results) || results.length !== items.length)
    throw new PathmendError('pathmend did not answer for each page of the batch.', { code: 'wrong_answer' });
  // Where the item stands in this batch says nothing to those who gave all of them.
  return results.map(({ error, ...result }) => {
    if (!error) return result;
    const { param = '', ...errorFields } = error;
    const field = param.replace(/^(?:pages|delete)\.\d+\.?/, '');
    return { ...result, error: { ...errorFields, ...(field === '' ? {} : { param: field }) } };
  });
}

/** @param {Item | undefined} item */
function urlOf(item) {
  if (!item) return '';
  return 'page' in item ? item.page.url : item.url;
}
