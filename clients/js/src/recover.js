import { answerOf, CLICK_PATH, linkToClicks } from './answer.js';
import { ask } from './ask.js';
import { chooseFormat, isNavigation } from './accept.js';
import { sharedOf } from './client.js';
import { followClick } from './follow-click.js';
import { renderDefault } from './render.js';
import { answerSearch } from './search.js';
import { isAsset, isSamePage, parseTarget } from './site-path.js';

/** The most characters of a path that pathmend takes and stores. */
const MAX_PATH = 2_048;

/**
 * A request that the site found no page for.
 * @typedef {object} Visit
 * @property {string} method
 * @property {string} target path and query, as the visitor sent them
 * @property {(name: string) => string | undefined} header
 * @property {string | undefined} ip
 * @property {string | undefined} origin
 * @property {((task: Promise<unknown>) => void) | undefined} [waitUntil] of a runtime that ends with its answer
 *
 * @typedef {import('../index.js').RecoveryAnswer} Answer
 */

/**
 * Answers a visitor of a missing page; undefined: with the site's own 404. It never throws, and what it waits for,
 * `render` of the site excepted, is within the budget.
 * @param {import('../index.js').Client} client
 * @param {Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {Promise<Answer | undefined>}
 */
export async function recover(client, visit, options) {
  const { events } = sharedOf(client);
  /** @param {unknown} error */
  const report = (error) => {
    try {
      options.onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // The visitor's answer does not depend on how the site hears of errors.
    }
  };
  try {
    return await answerVisit(client, visit, options, report);
  } catch (error) {
    report(error);
    return undefined;
  } finally {
    visit.waitUntil?.(events.flush());
  }
}

/**
 * @param {import('../index.js').Client} client
 * @param {Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @param {(error: unknown) => void} report
 * @returns {Promise<Answer | undefined>}
 */
async function answerVisit(client, visit, options, report) {
  if (visit.method !== 'GET' && visit.method !== 'HEAD') return undefined;
  const { events, links } = sharedOf(client);
  const requestUrl = parseTarget(visit.target);
  const clickPath = options.clickPath ?? CLICK_PATH;
  if (requestUrl.pathname === clickPath) return followClick(links, events, requestUrl, visit, report);
  if (requestUrl.pathname === options.searchPath) return answerSearch(client, requestUrl, visit, options);
  const format = chooseFormat(visit.header('accept'));
  if (!format || isAsset(requestUrl.pathname) || !isNavigation(visit.header('sec-fetch-dest'))) return undefined;

  const path = requestUrl.pathname + requestUrl.search;
  /** @type {{ search_id?: string, outcome?: 'redirected' | 'suggested' | 'gone' | 'nothing' }} */
  const became = {};
  try {
    const searchAnswer = path.length > MAX_PATH ? undefined : await ask(client, visit, path, options);
    if (!searchAnswer) return undefined;
    Object.assign(became, { search_id: searchAnswer.searchId, outcome: 'nothing' });
    // Assistants ask for HTML as browsers do, and read Markdown better.
    const shown = searchAnswer.isAssistant && format === 'html' ? 'markdown' : format;
    const answer = await answerWith(client, visit, options, { requestUrl, path, format: shown, searchAnswer });
    if (answer) became.outcome = answer.status < 400 ? 'redirected' : answer.status > 404 ? 'gone' : 'suggested';
    return answer;
  } finally {
    // The event is sent in any case: a 404 that pathmend could not answer happened, too.
    events.push({ ...notFoundEvent(visit, path), ...became }, report);
  }
}

/**
 * Returns the redirect, or the page with suggestions; undefined: the site's own 404 goes out, because there is no
 * suggestion or `render` gave no text.
 * @param {import('../index.js').Client} client
 * @param {Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @param {object} search
 * @param {URL} search.requestUrl
 * @param {string} search.path
 * @param {'html' | 'json' | 'markdown'} search.format
 * @param {import('./ask.js').Found} search.searchAnswer
 * @returns {Promise<Answer | undefined>}
 */
async function answerWith(client, visit, options, { requestUrl, path, format, searchAnswer }) {
  const redirect = chooseRedirect(searchAnswer, requestUrl, visit, options);
  if (redirect) {
    const visitor = `${visit.ip ?? ''}\n${visit.header('user-agent') ?? ''}`;
    if (sharedOf(client).loopGuard.mayRedirect(visitor, path)) {
      const headers = { Location: redirect.location, 'Cache-Control': 'no-store', Vary: 'Accept' };
      return { status: redirect.status, headers, body: '' };
    }
  }
  const status =
    searchAnswer.rule !== undefined && searchAnswer.rule.location === undefined ? searchAnswer.rule.status : 404;
  if (searchAnswer.suggestions.length === 0 && status === 404) return undefined;
  const linked = await linkToClicks(client, searchAnswer, path, options);
  const { searchPath } = options;
  const context = { format, path, searchId: searchAnswer.searchId, status, ...(searchPath && { searchPath }) };
  const body = await (options.render ?? renderDefault)(linked, context);
  return typeof body === 'string' ? answerOf(status, format, body) : undefined;
}

/**
 * Chooses where the visitor is redirected to: as a rule says, else to the page that is nearly certain.
 * @param {import('./ask.js').Found} found
 * @param {URL} requestUrl
 * @param {Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {{ status: number, location: string } | undefined}
 */
function chooseRedirect({ rule, isTrial, suggestions: [best] }, requestUrl, visit, { redirectAbove = 0.9 }) {
  if (redirectAbove >= 1) return undefined;
  if (rule?.location !== undefined) {
    const { status, location } = rule;
    const leadsBack = isSamePage(location, requestUrl, visit.origin);
    return leadsBack ? undefined : { status, location };
  }
  if (isTrial && best?.score !== 1) return undefined;
  if (rule || !best || best.score <= redirectAbove || isSamePage(best.url, requestUrl)) return undefined;
  // Not 301: browsers keep that for good, and the best page may be another one tomorrow.
  return { status: 302, location: best.url };
}

/**
 * @param {Visit} visit
 * @param {string} path
 */
function notFoundEvent(visit, path) {
  return {
    raw_path: path.slice(0, MAX_PATH),
    origin: visit.origin ?? null,
    referrer: visit.header('referer')?.slice(0, MAX_PATH) ?? null,
    user_agent: visit.header('user-agent') ?? null,
    user_ip: visit.ip ?? null,
  };
}
