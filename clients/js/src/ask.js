import { sharedOf } from './client.js';
import { asObject, PathmendError } from './errors.js';
import { siteLocation, sitePath } from './site-path.js';

/**
 * The answer that a rule of the site's owner asks for: a redirect, or 410 or 451 for a page that is gone.
 * @typedef {{ status: number, location: string | undefined }} Rule
 *
 * @typedef {object} Found
 * @property {import('../index.js').Suggestion[]} suggestions
 * @property {string} searchId
 * @property {Rule | undefined} rule
 * @property {boolean} isTrial the project is in trial: no guess redirects
 * @property {boolean} isAssistant by the visitor's user agent
 */

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const GONE = new Set([410, 451]);
/** Hosts and user agents that are longer are cut to this number of characters. */
export const MAX_HEADER = 512;

/**
 * @param {import('../index.js').Client} client
 * @param {import('./recover.js').Visit} visit
 * @param {string} path
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {Promise<Found | undefined>} undefined where pathmend is not asked at present
 */
export async function ask(client, visit, path, options) {
  const { gate, suggest, timeoutMs } = sharedOf(client);
  const host = visit.origin?.replace(/^https?:\/\//i, '').slice(0, MAX_HEADER);
  const userAgent = visit.header('user-agent')?.slice(0, MAX_HEADER);
  return gate.run(async () => {
    const { answer, headers } = await suggest(
      {
        path,
        limit: options.limit ?? 3,
        options: { searchThreshold: options.threshold ?? 0.1, excludeUrls: [path] },
      },
      {
        timeoutMs: options.timeoutMs ?? timeoutMs,
        headers: { ...asHeader('X-Original-Host', host), ...asHeader('User-Agent', userAgent) },
      },
    );
    return {
      ...readSuggestions(answer),
      rule: readRule(headers),
      isTrial: headers.get('x-pathmend-trial') === 'on',
      isAssistant: headers.get('x-pathmend-visitor') === 'assistant',
    };
  });
}

/**
 * Returns a text of the visitor's as a header, if it may stand in one: with another text no request would be sent.
 * @param {string} name
 * @param {string | undefined} value
 * @returns {Record<string, string>}
 */
export function asHeader(name, value) {
  return value !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) ? { [name]: value } : {};
}

/**
 * Takes the pages of this site, and nothing else, whatever answers in pathmend's place.
 * @param {Record<string, unknown>} answer
 */
export function readSuggestions({ suggestions, search_id: searchId }) {
  if (!Array.isArray(suggestions) || typeof searchId !== 'string')
    throw new PathmendError('pathmend answered without suggestions.', { code: 'wrong_answer' });
  return {
    searchId,
    suggestions: suggestions.flatMap((/** @type {unknown} */ suggestion) => {
      const { url, title, score, metadata } = asObject(suggestion);
      if (typeof url !== 'string' || typeof title !== 'string' || typeof score !== 'number')
        throw new PathmendError('pathmend answered with a suggestion that is none.', { code: 'wrong_answer' });
      const path = sitePath(url);
      if (path === undefined) return [];
      return [{ url: path, title, score, ...(metadata === undefined ? {} : { metadata: asObject(metadata) }) }];
    }),
  };
}

/**
 * @param {Headers} headers
 * @returns {Rule | undefined}
 */
function readRule(headers) {
  const status = Number(headers.get('x-pathmend-code'));
  if (GONE.has(status)) return { status, location: undefined };
  const location = siteLocation(headers.get('x-pathmend-location'));
  return REDIRECTS.has(status) && location !== undefined ? { status, location } : undefined;
}
