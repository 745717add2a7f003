import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { parseUrl } from '../../text/page-url.js';
import { ForbiddenAddress, TooLarge, BodyTimeout, type HttpClient, type WebAnswer } from './http-client.js';
import type { WebLimits } from './web-limits.js';

/** The statuses of transient errors. A 500 is usually a broken page, and lasts. */
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);

/** A url was not read; the message is the reason, for people. */
export class Unfetched extends Error {}
/** The url gives no answer, also to a visitor. */
export class NoAnswer extends Unfetched {}
/** A redirect that is not followed. */
export class BadRedirect extends NoAnswer {}
/** A redirect to an origin that is not allowed; a visitor may get an answer there. */
export class OtherHostRedirect extends BadRedirect {}

interface FetcherDeps {
  client: HttpClient;
  clock: Clock;
  logger: Logger;
  limits: WebLimits;
  userAgent: string;
  /** The origins that may be requested. */
  origins: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

export interface FollowedRequest {
  headers?: Record<string, string>;
  /** Headers of the first request only. */
  conditions?: Record<string, string>;
  bytes: number;
  /** Called before each request; throws Unfetched to forbid it. */
  check?: (url: URL) => Promise<void>;
}

export interface FetchedAfterRedirects {
  answer: WebAnswer;
  url: URL;
  /** Whether all hops were permanent (301, 308). */
  isPermanent: boolean;
}

export type Fetcher = ReturnType<typeof createFetcher>;

/** Sends requests with retries, spaced for each host, to the allowed origins. */
export function createFetcher({ client, clock, logger, limits, userAgent, origins, signal }: FetcherDeps) {
  if (signal) setMaxListeners(0, signal);
  const pauseMs = 1000 / limits.requestsPerSecond;
  /** The time of the next request to each host, and the pause that each host requested. */
  const next = new Map<string, number>();
  const pauses = new Map<string, number>();
  let failures = 0;
  let requests = 0;

  /** Waits for the next request to the host, but at least `delayMs`. */
  async function turn(host: string, delayMs: number): Promise<void> {
    const now = clock.now();
    const at = Math.max(now + delayMs, next.get(host) ?? now);
    next.set(host, at + (pauses.get(host) ?? pauseMs));
    if (at > now) await sleep(at - now, undefined, { signal });
    else signal?.throwIfAborted();
  }

  function wait(answer: WebAnswer | undefined, attempt: number): number {
    const header = answer?.headers['retry-after'] ?? '';
    const seconds = header === '' ? NaN : Number(header);
    const until = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1000;
    // Jitter, so that many clients do not return together.
    const backoff = limits.backoffMs * 2 ** attempt * (0.5 + Math.random() / 2);
    return Number.isNaN(until) ? backoff : Math.max(until, backoff);
  }

  async function ask(url: URL, headers: Record<string, string>, bytes: number): Promise<WebAnswer> {
    requests++;
    if (!origins.has(url.origin)) throw new Unfetched(`${url.origin} may not be requested`);
    let delay = 0;
    for (let attempt = 0; ; attempt++) {
      await turn(url.host, delay);
      let answer: WebAnswer | undefined;
      let reason: string;
      try {
        const { headersMs, totalMs } = limits;
        const sent = { ...headers, 'user-agent': userAgent };
        answer = await client.ask(url, { headers: sent, headersMs, totalMs, bytes, signal });
        if (!TRANSIENT.has(answer.status)) {
          failures = 0;
          return answer;
        }
        answer.discard();
        reason = `the server answers ${answer.status}`;
      } catch (error) {
        signal?.throwIfAborted();
        reason = explain(error);
        if (error instanceof TooLarge || error instanceof ForbiddenAddress || error instanceof BodyTimeout)
          throw failed(reason, error instanceof BodyTimeout ? NoAnswer : Unfetched);
      }
      delay = wait(answer, attempt);
      if (delay > limits.maxWaitMs) throw failed(`${reason}, and asks to wait for ${Math.ceil(delay / 1000)} seconds`);
      if (attempt + 1 >= limits.tries) throw failed(`${reason}, ${limits.tries} times`);
      logger.debug('request is tried again', { url: url.href, reason, wait_ms: Math.round(delay) });
    }
  }

  function failed(reason: string, Kind = NoAnswer): Error {
    failures++;
    if (failures < limits.failuresInARow) return new Kind(reason);
    return new OperatorError(
      `${failures} requests failed one after another, the last because ${reason}. Try again when the site is well.`,
    );
  }

  return {
    origins,
    limits,
    /** Requests so far, without their repetitions. */
    requests: (): number => requests,
    /** Sets a longer pause that the host requested. */
    slow(host: string, ms: number): void {
      pauses.set(host, Math.max(pauseMs, Math.min(ms, limits.maxWaitMs)));
    },
    /** Requests a url, and follows redirects within the allowed origins. @throws Unfetched */
    async follow(start: URL, { headers = {}, conditions, bytes, check }: FollowedRequest) {
      let url = start;
      let isPermanent = true;
      const seen = new Set<string>();
      for (let hop = 0; hop <= limits.redirects; hop++) {
        if (seen.has(url.href)) throw new BadRedirect('it redirects in a circle');
        seen.add(url.href);
        await check?.(url);
        const answer = await ask(url, hop === 0 ? { ...headers, ...conditions } : headers, bytes);
        const { location } = answer.headers;
        if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined)
          return { answer, url, isPermanent };
        answer.discard();
        isPermanent &&= answer.status === 301 || answer.status === 308;
        url = targetOf(location, url);
        if (!origins.has(url.origin))
          throw new OtherHostRedirect(`it redirects to ${url.origin}, which may not be requested`);
      }
      throw new BadRedirect(`it redirects more than ${limits.redirects} times`);
    },
  };
}

function targetOf(location: string, from: URL): URL {
  // Node decodes headers as Latin-1, servers send UTF-8.
  const next = parseUrl(Buffer.from(location, 'latin1').toString('utf8'), from.href);
  if (!next || !/^https?:$/.test(next.protocol)) throw new BadRedirect('it redirects to what is no web address');
  next.hash = next.username = next.password = '';
  return next;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '')
    return (error.errors as unknown[]).map(explain).join('; ');
  return error.message.replace(/\s+/g, ' ').trim();
}
