import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { formTokenOf } from '#src/console/shared/session.js';

/** A person of another customer, logged in to the console. */
export interface Person {
  consoleUrl: string;
  session: string;
  projectId: string;
}

/** Sends a form of the console as a browser does; where it leads. */
export async function postForm({ consoleUrl, session }: Person, path: string, fields: object = {}): Promise<string> {
  const answer = await fetch(consoleUrl + path, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: `__Host-pathmend=${session}`,
      Origin: new URL(consoleUrl).origin,
      'Sec-Fetch-Site': 'same-origin',
    },
    body: new URLSearchParams({ form_token: formTokenOf(session), ...fields }),
  });
  await answer.arrayBuffer();
  return answer.headers.get('location') ?? '';
}

/** A site of so many pages, with a sitemap, that asks for a pause of so many seconds between two requests. */
export async function startSite(pages: number, delay: number): Promise<string> {
  const server = createServer(({ url = '', headers: { host = '' } }, response) => {
    const of: Record<string, string> = {
      '/robots.txt': `User-agent: *\nCrawl-delay: ${delay}\n`,
      '/sitemap.xml': Array.from({ length: pages }, (_, n) => `http://${host}/p${n}`).join('\n'),
    };
    const text = of[url];
    response.writeHead(200, { 'content-type': text === undefined ? 'text/html' : 'text/plain' });
    response.end(text ?? `<title>Page ${url}</title><main><p>What stands on the page ${url}.</p></main>`);
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sitemap.xml`;
}

const MAX_MS = 120_000;

/** Milliseconds until a page of the console that asks other servers is shown. */
export async function showPage({ consoleUrl, session, projectId }: Person): Promise<number> {
  const startedAt = performance.now();
  const headers = { cookie: `__Host-pathmend=${session}` };
  const answer = await fetch(`${consoleUrl}/p/${projectId}/redirects/check`, { headers });
  await answer.arrayBuffer();
  return answer.status === 200 ? performance.now() - startedAt : MAX_MS;
}

/** Milliseconds until a preview of the person's own site, or a sync, is done. */
export async function readSite(person: Person, action: 'look' | 'sync'): Promise<number> {
  const startedAt = performance.now();
  const run = await postForm(person, `/p/${person.projectId}/connect/${action}`);
  const headers = { cookie: `__Host-pathmend=${person.session}` };
  while (performance.now() - startedAt < MAX_MS) {
    const text = await (await fetch(new URL(run, person.consoleUrl), { headers })).text();
    if (!/http-equiv="refresh"/i.test(text)) return performance.now() - startedAt;
    await pause(100);
  }
  return MAX_MS;
}
