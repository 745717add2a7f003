import { chooseFormat, isNavigation } from './accept.js';
import { sharedOf } from './client.js';
import { asObject, PathmendError } from './errors.js';
import { followClick } from './follow-click.js';
import { CONTENT_TYPES, renderDefault } from './render.js';
import { isAsset, isSamePage, parseTarget, sitePath } from './site-path.js';

const CLICK_PATH = '/.pathmend/click';
const DAY_MS = 86_400_000;
/** What pathmend takes and stores of a path. */
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
 * @typedef {import('../index.js').LinkedSuggestion} LinkedSuggestion
 */

/**
 * What to answer a visitor of a missing page with; undefined: the site's own 404. It never throws, and what it waits
 * for, `render` of the site excepted, is within the budget.
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
  const asked = parseTarget(visit.target);
  const clickPath = options.clickPath ?? CLICK_PATH;
  if (asked.pathname === clickPath) return followClick(links, events, asked, visit, report);
  const format = chooseFormat(visit.header('accept'));
  if (!format || isAsset(asked.pathname) || !isNavigation(visit.header('sec-fetch-dest'))) return undefined;

  const path = asked.pathname + asked.search;
  /** @type {{ search_id?: string, outcome?: 'redirected' | 'suggested' | 'nothing' }} */
  const became = {};
  try {
    const found = path.length > MAX_PATH ? undefined : await ask(client, path, options);
    if (!found) return undefined;
    Object.assign(became, { search_id: found.searchId, outcome: 'nothing' });
    const answer = await answerWith(client, visit, options, { asked, path, clickPath, format, found });
    if (answer) became.outcome = answer.status === 302 ? 'redirected' : 'suggested';
    return answer;
  } finally {
    // Whatever became of it: a 404 that pathmend could not answer happened, too.
    events.push({ ...notFoundEvent(visit, path), ...became }, report);
  }
}

/**
 * The redirect, or the page with suggestions; undefined: the site's own page says it better.
 * @param {import('../index.js').Client} client
 * @param {Visit} visit
 * @param {import('../index.js').NotFoundOptions} options
 * @param {{ asked: URL, path: string, clickPath: string, format: 'html' | 'json' | 'markdown',
 *   found: { suggestions: import('../index.js').Suggestion[], searchId: string } }} search
 * @returns {Promise<Answer | undefined>}
 */
async function answerWith(client, visit, options, { asked, path, clickPath, format, found }) {
  const { links, loopGuard } = sharedOf(client);
  const [best] = found.suggestions;
  if (best && best.score > (options.redirectAbove ?? 0.9) && !isSamePage(best.url, asked)) {
    const visitor = `${visit.ip ?? ''}\n${visit.header('user-agent') ?? ''}`;
    if (loopGuard.mayRedirect(visitor, path))
      // Not 301: browsers keep that for good, and the best page may be another one tomorrow.
      return { status: 302, headers: { Location: best.url, 'Cache-Control': 'no-store', Vary: 'Accept' }, body: '' };
  }
  if (found.suggestions.length === 0) return undefined;
  const expires = String(Date.now() + (options.clickTtlMs ?? DAY_MS));
  const linked = await Promise.all(
    found.suggestions.map(async (suggestion, index) => {
      const click = { to: suggestion.url, rank: String(index + 1), search: found.searchId, from: path, expires };
      return { ...suggestion, href: await links.sign(clickPath, click) };
    }),
  );
  const body = await (options.render ?? renderDefault)(linked, { format, path, searchId: found.searchId });
  if (typeof body !== 'string') return undefined;
  return {
    status: 404,
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

/**
 * @param {import('../index.js').Client} client
 * @param {string} path
 * @param {import('../index.js').NotFoundOptions} options
 * @returns {Promise<{ suggestions: import('../index.js').Suggestion[], searchId: string } | undefined>} undefined where
 * pathmend is not asked at present
 */
async function ask(client, path, options) {
  const { gate, timeoutMs } = sharedOf(client);
  return gate.run(async () => {
    const answer = await client.suggest(
      {
        path,
        limit: options.limit ?? 3,
        options: { searchThreshold: options.threshold ?? 0.1, excludeUrls: [path] },
      },
      { timeoutMs: options.timeoutMs ?? timeoutMs },
    );
    return readAnswer(answer);
  });
}

/**
 * Takes the pages of this site, and nothing else, whatever answers in pathmend's place.
 * @param {unknown} answer
 */
function readAnswer(answer) {
  const { suggestions, search_id: searchId } = asObject(answer);
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
