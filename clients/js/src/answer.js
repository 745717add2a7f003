import { sharedOf } from './client.js';
import { CONTENT_TYPES } from './render.js';

export const CLICK_PATH = '/.pathmend/click';
const DAY_MS = 86_400_000;

/**
 * @param {import('../index.js').Client} client
 * @param {{ suggestions: import('../index.js').Suggestion[], searchId: string }} found
 * @param {string} from the path or the query that was searched for
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {Promise<import('../index.js').LinkedSuggestion[]>}
 */
export function linkToClicks(client, { suggestions, searchId }, from, { clickPath = CLICK_PATH, clickTtlMs = DAY_MS }) {
  const expires = String(Date.now() + clickTtlMs);
  return Promise.all(
    suggestions.map(async (suggestion, index) => {
      const click = { to: suggestion.url, rank: String(index + 1), search: searchId, from, expires };
      return { ...suggestion, href: await sharedOf(client).links.sign(clickPath, click) };
    }),
  );
}

/**
 * @param {number} status
 * @param {import('../index.js').Format} format
 * @param {string} body
 */
export function answerOf(status, format, body) {
  return {
    status,
    headers: {
      'Content-Type': CONTENT_TYPES[format],
      // Its links are this visitor's, and the page may be there in a minute.
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept',
    },
    body,
  };
}
