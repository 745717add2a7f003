import type { Clock } from '../../base/clock.js';
import { decodeHtml } from '../html/decode-html.js';
import { extractPage, refreshTarget, UnreadableHtml, type ExtractedPage } from '../html/extract-page.js';
import { pageItem, type KnownPages, type LeftOut, type SourceItem, type Validators } from '../source.js';
import { isSamePage } from '../../text/same-url.js';
import { textKey, type Frontier, type Target } from './frontier.js';
import { frontServer } from './front-server.js';
import { readBytes, TooLarge, BodyTimeout } from './http-client.js';
import { isOlder } from './lastmod.js';
import type { LinkLog } from './link-log.js';
import { OtherHostRedirect, NoAnswer, Unfetched, type FetchedAfterRedirects, type Fetcher } from './polite-fetcher.js';
import { Disallowed, type RobotsRules } from './robots-rules.js';

export interface PageReaderDeps {
  fetcher: Fetcher;
  robots: RobotsRules;
  frontier: Frontier;
  leftOut: LeftOut;
  known?: KnownPages | undefined;
  /** The log of links; set for a crawl only. */
  links?: LinkLog | undefined;
  onServer?: ((name: string) => void) | undefined;
  clock: Clock;
  signal?: AbortSignal | undefined;
  inTurn: <Result>(work: () => Result) => Promise<Result>;
}

/** Requests one url, and yields its items; it yields nothing if the page is left out or postponed. */
export async function* readPage(target: Target, deps: PageReaderDeps, crawl: boolean): AsyncGenerator<SourceItem> {
  const { frontier, leftOut, known, links, clock } = deps;
  const where = target.url.href;
  const linked = target.from === undefined ? {} : { linked_from: target.from };
  const leaveOut = (reason: string, instead?: string): void => {
    leftOut.add(reason, { where, ...linked, ...(instead !== undefined && { instead }) });
    frontier.markWithoutPage(where);
  };
  const refuse = (reason: string): SourceItem => {
    frontier.markWithoutPage(where);
    return { kind: 'refused', where, reason, ...linked };
  };
  const stored = await known?.get(where);
  // A crawl reads a page again if its links are unknown.
  const before = links && !stored?.links ? undefined : stored;
  function* unchanged(page: Validators): Generator<SourceItem> {
    if (!frontier.isFirst(where)) return;
    const first = page.text === undefined ? where : frontier.firstWithText(page.text, where);
    if (first === where) yield { kind: 'unchanged', url: where, where };
    else leaveOut(COPY, first);
  }
  const { lastmod } = target;
  if (lastmod !== undefined && lastmod === before?.lastmod && isOlder(lastmod, before.readAt)) {
    yield* unchanged(before);
    return;
  }
  let followed: FetchedAfterRedirects | undefined;
  try {
    followed = await requestPage(target.url, before, deps);
    const { answer, url, isPermanent } = followed;
    const isElsewhere = url.href !== where && !isSamePage(where, url.href);
    if (isElsewhere && isPermanent && answer.status < 300) yield { kind: 'redirect', from: where, to: url.href, where };
    const skip = reasonToSkip(followed);
    // A page that needs a login exists.
    if (answer.status >= 400 && ![401, 403].includes(answer.status))
      links?.addBroken(where, answer.status, answered(answer.status));
    if (answer.status === 304 && before) {
      // Reads the empty body to its end, which keeps the connection.
      await readBytes(answer.body);
      if (before.links) links?.addKnown(where, Buffer.from(before.links));
      for (const item of unchanged(before)) {
        known?.set(where, { ...before, lastmod, readAt: new Date(clock.now()) });
        yield item;
      }
    } else if (skip !== undefined) leaveOut(skip);
    else if (isElsewhere && !isPermanent && answer.status === 200) {
      // The target may be a login or a notice. A crawl adds it as a page of its own; a sitemap names its pages itself.
      if (crawl) frontier.add(url.href, { depth: target.depth + 1, isNamed: false, from: where });
      leaveOut('it redirects to another page for now', url.href);
    } else if (answer.status !== 200) yield refuse(answered(answer.status));
    else {
      const bytes = await readBytes(answer.body);
      const page = await deps.inTurn(() => {
        const html = decodeHtml(bytes, answer.headers['content-type']);
        return typeof html === 'string' ? extractPage(html, url.href) : html;
      });
      if (page instanceof Error) yield refuse(page.message);
      else yield* take(page, target, followed, { ...deps, leaveOut, refuse }, crawl);
    }
  } catch (error) {
    deps.signal?.throwIfAborted();
    const isCutOff = error instanceof BodyTimeout || isBroken(error);
    if (isCutOff || (error instanceof NoAnswer && !(error instanceof OtherHostRedirect)))
      links?.addBroken(where, null, error.message);
    if (error instanceof Disallowed) leaveOut(error.message);
    else if (isCutOff || [Unfetched, UnreadableHtml, TooLarge].some((kind) => error instanceof kind))
      yield refuse((error as Error).message);
    else throw error;
  } finally {
    followed?.answer.body.destroy();
  }
}

async function requestPage(url: URL, before: Validators | undefined, deps: PageReaderDeps) {
  const { fetcher, robots, onServer } = deps;
  const answered = await fetcher.follow(url, {
    headers: { accept: 'text/html,application/xhtml+xml;q=0.9' },
    conditions: {
      ...(before?.etag == null ? {} : { 'if-none-match': before.etag }),
      ...(before?.lastModified == null ? {} : { 'if-modified-since': before.lastModified }),
    },
    bytes: fetcher.limits.pageBytes,
    check: robots.check,
  });
  const name = frontServer(answered.answer.headers);
  if (name !== undefined) onServer?.(name);
  return answered;
}

const isMissing = (status: number): boolean => status === 404 || status === 410;
const answered = (status: number): string => `the server answers ${status}`;

function reasonToSkip({ answer: { status, headers } }: FetchedAfterRedirects): string | undefined {
  if (isMissing(status)) return answered(status);
  if (status !== 200) return undefined;
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')) return 'not HTML';
  const robots = String(headers['x-robots-tag'] ?? '');
  // Tags for other robots begin with their name.
  return /(?:^|,)\s*(?:pathmend:\s*)?(?:noindex|none)\b/i.test(robots) ? 'noindex' : undefined;
}

interface TakeDeps extends PageReaderDeps {
  leaveOut: (reason: string, instead?: string) => void;
  refuse: (reason: string) => SourceItem;
}

function* take(
  page: ExtractedPage,
  { url: requested, depth, lastmod, from, isCanonical }: Target,
  { answer, url }: FetchedAfterRedirects,
  { frontier, leftOut, leaveOut, refuse, known, fetcher: { origins }, links: log, clock }: TakeDeps,
  crawl: boolean,
): Generator<SourceItem> {
  const link = { depth: depth + 1, isNamed: false, from: url.href };
  const where = requested.href;
  if (crawl) for (const to of page.links) frontier.add(to, link);
  const links = log?.add(url.href, page.links, origins);
  const header = answer.headers['refresh'];
  const leadsTo = page.leadsTo ?? (typeof header === 'string' ? refreshTarget(header, url.href) : undefined);
  if (leadsTo !== undefined) {
    frontier.markWithoutPage(where);
    frontier.add(leadsTo, link);
    yield { kind: 'redirect', from: url.href, to: leadsTo, where };
    return;
  }
  if (page.noindex) {
    leaveOut('noindex');
    return;
  }
  if (page.isShell) {
    yield refuse(SHELL);
    return;
  }
  // Ignores canonical urls of other sites: a test copy still has those of the original.
  const canonical = page.canonical === undefined ? undefined : new URL(page.canonical);
  // The canonical url may be the requested url, which redirected here.
  const isOther = canonical && ![url.href, where].includes(canonical.href) && origins.has(canonical.origin);
  // The page is postponed even if only a slash differs: the server may redirect one spelling to the other.
  if (isOther && isCanonical !== true && frontier.postpone({ url, depth, from }, canonical.href)) return;
  const href = url.href;
  if (!frontier.isFirst(href)) {
    leftOut.add('the same page under another url', { where });
    return;
  }
  const { title, content, language } = page;
  const metadata = language !== undefined && { metadata: { language } };
  const item = pageItem(where, { url: href, title, content, ...metadata });
  const { etag, 'last-modified': lastModified } = answer.headers;
  if (item?.kind !== 'page') {
    yield refuse('it has no text');
    return;
  }
  const text = textKey(item.page);
  const first = frontier.firstWithText(text, href);
  if (first === href) {
    known?.set(href, { etag, lastModified, lastmod, links, text, readAt: new Date(clock.now()) });
    yield item;
  } else leaveOut(COPY, first);
}

const COPY = 'its title and text are those of another page: is it an error page, a login or a notice?';
const SHELL =
  'it has no text before a browser runs its scripts. Sync a copy of the site with its text: what its generator or ' +
  'server renders, as a folder or by a sitemap; or push the pages by the API';

/** Whether the body ended early or could not be unpacked. */
function isBroken(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:Z_|ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|ERR__ERROR|ERR_|EPIPE|HPE_)/.test(code);
}
