import { sendBatches } from './batches.js';
import { createClickLinks } from './click-links.js';
import { createEventQueue } from './event-queue.js';
import { createGate } from './gate.js';
import { createLoopGuard } from './loop-guard.js';
import { connect, send } from './send.js';

/** A hundred suggestions with the largest metadata that pathmend stores. */
const MAX_SUGGESTIONS_BYTES = 8 * 2 ** 20;
const MAX_DOCUMENTS_BYTES = 128 * 2 ** 20;
const MAX_WRITE_BYTES = 4 * 2 ** 20;

/**
 * The handlers of 404s share this, for one client.
 * @typedef {object} Shared
 * @property {number} timeoutMs
 * @property {(body: object, options: { timeoutMs: number, headers: Record<string, string> }) => Promise<{
 *   answer: Record<string, unknown>, headers: Headers }>} suggest
 * @property {Shared['suggest']} semanticSearch
 * @property {(query: string, limit: number, options: Parameters<Shared['suggest']>[1]) => ReturnType<Shared['suggest']>
 *   } searchTyped by words alone
 * @property {import('./gate.js').Gate} gate
 * @property {import('./event-queue.js').EventQueue} events
 * @property {import('./click-links.js').ClickLinks} links
 * @property {import('./loop-guard.js').LoopGuard} loopGuard
 * @property {() => void} warmUp connects, once
 */

/** @type {WeakMap<import('../index.js').Client, Shared>} */
const shared = new WeakMap();

/**
 * @param {import('../index.js').Client} client
 * @throws TypeError if createClient did not make it
 */
export function sharedOf(client) {
  const internals = shared.get(client);
  if (!internals) throw new TypeError('The client must be one that createClient made.');
  return internals;
}

/** @type {typeof import('../index.js').createClient} */
export function createClient(settings) {
  const { timeoutMs = 150, writeTimeoutMs = 10_000, retries = 4, pauseMs = 5_000 } = settings;
  const key = checkKey(settings.key);
  const service = { url: checkUrl(settings.url), key, fetch: settings.fetch ?? defaultFetch };

  /**
   * A call that somebody waits for: not sent again unless the caller says so.
   * @param {string} path
   * @param {string} name of the field that a plain string stands for
   * @param {number} maxBytes
   */
  const searchWithHeaders =
    (path, name, maxBytes = MAX_SUGGESTIONS_BYTES) =>
    /**
     * @param {object | string} input
     * @param {import('../index.js').CallOptions & { headers?: Record<string, string> }} [options]
     */
    (input, options = {}) =>
      send(service, {
        method: 'POST',
        path,
        body: typeof input === 'string' ? { [name]: input } : input,
        timeoutMs: options.timeoutMs ?? timeoutMs,
        retries: options.retries ?? 0,
        repeatable: true,
        signal: options.signal,
        headers: options.headers,
        maxBytes,
      });

  /** @param {Parameters<typeof searchWithHeaders>} of */
  const search = (...of) => {
    const call = searchWithHeaders(...of);
    /** @type {(...parameters: Parameters<typeof call>) => Promise<any>} */
    return async (...parameters) => (await call(...parameters)).answer;
  };

  /**
   * @param {'POST' | 'DELETE'} method
   * @param {string} path
   * @param {boolean} repeatable
   * @param {number} [defaultMs]
   */
  const write =
    (method, path, repeatable, defaultMs = writeTimeoutMs) =>
    /**
     * @param {unknown} body
     * @param {import('../index.js').CallOptions} [options]
     * @returns {Promise<any>}
     */
    async (body, options = {}) => {
      const { answer } = await send(service, {
        method,
        path,
        body,
        timeoutMs: options.timeoutMs ?? defaultMs,
        retries: options.retries ?? retries,
        repeatable,
        signal: options.signal,
        maxBytes: MAX_WRITE_BYTES,
      });
      return answer;
    };

  // A thousand pages take their time.
  const sendBatch = write('POST', '/v1/pages/batch', true, 6 * writeTimeoutMs);
  // Sent again, a delete that was carried out says 404, and an event counts twice.
  const deletePage = write('DELETE', '/v1/pages/delete', false);
  const sendEvent = write('POST', '/v1/events', false);
  const gate = createGate(pauseMs);
  const events = createEventQueue(sendEvent, gate);
  /** @type {import('../index.js').Client} */
  const client = {
    suggest: search('/v1/suggest', 'path'),
    semanticSearch: search('/v1/semantic-search', 'query'),
    retrieve: search('/v1/retrieve', 'query', MAX_DOCUMENTS_BYTES),
    upsertPage: write('POST', '/v1/pages/upsert', true),
    upsertPages: (pages, { delete: urls = [], ...options } = {}) =>
      sendBatches((batch) => sendBatch(batch, options), pages, urls),
    deletePage: (page, options) => deletePage(typeof page === 'string' ? { url: page } : page, options),
    sendEvent: async (event, options) => {
      await sendEvent(event, options);
    },
    flush: () => events.flush(),
  };
  const suggest = searchWithHeaders('/v1/suggest', 'path');
  const semanticSearch = searchWithHeaders('/v1/semantic-search', 'query');
  /** @type {Shared['searchTyped']} */
  const searchTyped = (query, limit, options) =>
    send(service, {
      method: 'GET',
      path: `/v1/search?${new URLSearchParams({ query, by: 'words', limit: String(limit) })}`,
      body: undefined,
      retries: 0,
      repeatable: true,
      signal: undefined,
      maxBytes: MAX_SUGGESTIONS_BYTES,
      ...options,
    });
  const [links, loopGuard] = [createClickLinks(key), createLoopGuard()];
  /** @type {Promise<void> | undefined} */
  let connected;
  // An error is not reported here: the request for the first visitor meets it again and reports it.
  const warmUp = () => void (connected ??= connect(service).catch(() => undefined));
  shared.set(client, { timeoutMs, suggest, semanticSearch, searchTyped, gate, events, links, loopGuard, warmUp });
  return client;
}

/** @type {typeof fetch} looked up at each call, so that a program may replace it */
const defaultFetch = (...parameters) => globalThis.fetch(...parameters);

/** @param {unknown} url */
function checkUrl(url) {
  if (typeof url !== 'string' || !/^https?:\/\/[^/?#]/i.test(url))
    throw new TypeError('url must be the address of your pathmend, such as http://127.0.0.1:8080.');
  return url.replace(/\/$/, '');
}

/** @param {unknown} key */
function checkKey(key) {
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be an API key of your project: pm_live_… or pm_test_….');
  return key;
}
