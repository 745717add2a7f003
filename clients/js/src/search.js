import { answerOf, linkToClicks } from './answer.js';
import { asHeader, MAX_HEADER, readSuggestions } from './ask.js';
import { chooseFormat } from './accept.js';
import { sharedOf } from './client.js';
import { renderDefault } from './render.js';

/** pathmend takes no more of a query. */
const MAX_QUERY = 2_000;
/** Each link has it, and servers take some 8,000 characters of a url. */
const MAX_FROM = 200;
const MAX_TYPED = 5;
const MAX_FOUND = 10;

/**
 * The page of what a visitor searches for; undefined, and the site's own 404 goes out: pathmend did not answer in time,
 * or there is no query. What is still typed is searched by words alone, and neither stored nor are its clicks counted.
 * @param {import('../index.js').Client} client
 * @param {URL} target
 * @param {import('./recover.js').Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {Promise<import('./recover.js').Answer | undefined>}
 */
export async function answerSearch(client, { searchParams }, visit, options) {
  const { gate, searchTyped, semanticSearch, timeoutMs } = sharedOf(client);
  const query = searchParams.get('query')?.trim() ?? '';
  const format = chooseFormat(visit.header('accept'));
  if (!format || query === '' || [...query].length > MAX_QUERY) return undefined;
  const isTyped = searchParams.get('by') === 'words';
  const call = {
    timeoutMs: options.timeoutMs ?? timeoutMs,
    headers: asHeader('User-Agent', visit.header('user-agent')?.slice(0, MAX_HEADER)),
  };
  const answered = await gate.run(async () => {
    const body = { query, limit: MAX_FOUND, options: { searchThreshold: options.threshold ?? 0.1 } };
    const { answer } = await (isTyped ? searchTyped(query, MAX_TYPED, call) : semanticSearch(body, call));
    return readSuggestions(answer);
  });
  if (!answered) return undefined;
  const links = isTyped
    ? answered.suggestions.map((suggestion) => ({ ...suggestion, href: suggestion.url }))
    : await linkToClicks(client, answered, query.slice(0, MAX_FROM), options);
  const context = { format, path: query, query, isTyped, searchId: answered.searchId, status: 200 };
  const { searchPath } = options;
  const body = await (options.render ?? renderDefault)(links, { ...context, ...(searchPath && { searchPath }) });
  return typeof body === 'string' ? answerOf(200, format, body) : undefined;
}
