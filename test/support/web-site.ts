import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import type { SourceItem } from '#src/sources/source.js';
import { readWeb, type WebOptions, type WebReport } from '#src/sources/web/read-web.js';

export interface WebSite {
  origin: string;
  /** The requests in their order, without those for robots.txt. */
  requests: { path: string; headers: IncomingMessage['headers']; at: number }[];
  close(): Promise<void>;
}

/** Starts a site on a port of its own. */
export async function startSite(
  answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<WebSite> {
  const requests: WebSite['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/robots.txt') requests.push({ path, headers: request.headers, at: performance.now() });
    answer(path, response, request);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
}

export function html(response: ServerResponse, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
}

export function text(response: ServerResponse, status: number, body = '', headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
}

/** A page with these words and links. */
export function page(title: string, links: readonly string[] = [], head = ''): string {
  const anchors = links.map((link) => `<li><a href="${link.replaceAll('&', '&amp;')}">to ${link.length}</a></li>`);
  return `<html><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>What ${title} says, in words.</p></main><ul>${anchors.join('')}</ul></body></html>`;
}

export interface Read {
  items: SourceItem[];
  /** Paths of the pages that were read, sorted. */
  pages: string[];
  refused: { where: string; reason: string }[];
  redirects: [string, string][];
  unchanged: string[];
  report: WebReport;
}

/** Reads a site to its end, by default without pauses. */
export async function readAll(options: Partial<WebOptions> & { start: string }): Promise<Read> {
  const items: SourceItem[] = [];
  let report: WebReport | undefined;
  const { limits, ...otherOptions } = options;
  const source = readWeb({
    ...{ crawl: true, allow: [], userAgent: 'pathmend/9.9.9 (+https://pathmend.example/bot)' },
    logger: createLogger('error'),
    limits: { requestsPerSecond: 100_000, backoffMs: 5, ...limits },
    onEnd: (end) => {
      report = end;
    },
    ...otherOptions,
  });
  for await (const item of source) items.push(item);
  if (!report) throw new Error('a source ends with a report');
  const path = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');
  return {
    items,
    pages: items.flatMap((item) => (item.kind === 'page' ? [path(item.page.url)] : [])).sort(),
    refused: items.flatMap((item) => (item.kind === 'refused' ? [{ where: item.where, reason: item.reason }] : [])),
    redirects: items.flatMap((item) => (item.kind === 'redirect' ? [[path(item.from), path(item.to)]] : [])),
    unchanged: items.flatMap((item) => (item.kind === 'unchanged' ? [path(item.url)] : [])),
    report,
  };
}
