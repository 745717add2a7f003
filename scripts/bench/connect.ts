/**
 * How long it takes to connect a site by docs/connect.md: `node .build/scripts/bench/connect.js SITE…`; a SITE is a
 * folder with pages.jsonl, as `npm run eval` reads it. Each is rendered to HTML with navigation, sidebar, footer and
 * scripts, served with a sitemap, and connected to a server that starts on the embedded database: start, project, sync
 * of the sitemap at the pace of a good citizen, index, first suggestion, and the same sync the next day. `words`: of
 * the pages' own words, the share that was read; `foreign`: the pages with a word of the navigation.
 */
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { escapeHtml } from '#src/text/html.js';
import { readSite, type SiteData, type SitePage } from '../eval/site-data.js';
import { keepResults, rounded, type Figures } from './harness.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from './service-process.js';

const command = new Command('connect').argument('<site...>').option('--name <name>', 'of the results', 'connect');
const { name } = command.parse().opts<{ name: string }>();

/** Only navigation, sidebar and footer have it. */
const FOREIGN = 'navigationmenuitem';

function render({ title, content }: SitePage, all: readonly SitePage[]): string {
  const links = all.slice(0, 40).map(({ path }) => `<li><a href="${escapeHtml(path)}">${FOREIGN}</a></li>`);
  const paragraphs = content.split(/\n\s*\n/).map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<script>const ${FOREIGN} = 1;</script><style>.${FOREIGN} { color: red }</style></head><body>
<header><nav><ul>${links.join('')}</ul></nav></header>
<main><article><h1>${escapeHtml(title)}</h1>${paragraphs.join('\n')}</article></main>
<aside class="sidebar"><ul>${links.join('')}</ul></aside><footer><p>© ${FOREIGN}</p></footer></body></html>`;
}

/** Serves the site, with a sitemap and validators. */
async function serve({ pages }: SiteData): Promise<{ url: string; stop: () => void }> {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  let url = '';
  const server = createServer((request, response) => {
    const page = byPath.get(request.url ?? '');
    if (request.url === '/sitemap.xml') {
      const locations = pages.map(({ path }) => `<url><loc>${escapeHtml(url + path)}</loc></url>`);
      response.setHeader('Content-Type', 'application/xml');
      response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations.join('')}</urlset>`);
    } else if (!page) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').setHeader('ETag', '"1"');
      response.end(render(page, pages));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));

/** What was stored of the pages, compared with what they are. */
async function compare(site: SiteData, get: (path: string) => Promise<unknown>): Promise<Figures> {
  const content = new Map<string, string>();
  for (let cursor = ''; ;) {
    const listed = (await get(`/v1/pages?limit=100${cursor}`)) as {
      pages: { page_id: string }[];
      next_cursor: string | null;
    };
    for (const { page_id: id } of listed.pages) {
      const page = (await get(`/v1/pages/${id}?content=true`)) as { url: string; content: string };
      content.set(new URL(page.url).pathname, page.content);
    }
    if (listed.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(listed.next_cursor)}`;
  }
  let own = 0;
  let read = 0;
  for (const page of site.pages) {
    const words = wordsOf(`${page.title} ${page.content}`);
    const stored = wordsOf(content.get(page.path) ?? '');
    own += words.size;
    read += [...words].filter((word) => stored.has(word)).length;
  }
  const foreign = [...content.values()].filter((text) => text.includes(FOREIGN)).length;
  return { stored: content.size, words: rounded(read / own), foreign };
}

async function connect(site: SiteData): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-connect-'));
  const served = await serve(site);
  const environment = { ...process.env, DATA_DIR: join(folder, 'data') };
  const seconds = (from: number): number => rounded((performance.now() - from) / 1000);
  const began = performance.now();
  const service = await startServiceProcess('all', environment);
  try {
    const started = seconds(began);
    const key = await createUnlimitedProject(site.name, environment);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const sync = ['pages', 'sync', '--project', site.name, '--wait', `${served.url}/sitemap.xml`];
    const report = (await runCommand(sync, environment)) as Record<string, number>;
    const asked = { method: 'POST', headers, body: JSON.stringify({ path: `${site.pages[0]?.path ?? ''}x` }) };
    if (!(await fetch(`${service.url}/v1/suggest`, asked)).ok) throw new Error('suggest does not answer');
    const connected = seconds(began);
    const again = performance.now();
    await runCommand(sync, environment);
    const unchanged = seconds(again);
    const get = async (path: string): Promise<unknown> => (await fetch(service.url + path, { headers })).json();
    const created = report['created'] ?? 0;
    return {
      pages: site.pages.length,
      started_s: started,
      connected_s: connected,
      created,
      unchanged_s: unchanged,
      ...(await compare(site, get)),
    };
  } finally {
    await service.stop();
    served.stop();
    await rm(folder, { recursive: true });
  }
}

const sites: Record<string, Figures> = {};
for (const folder of command.args) sites[basename(folder)] = await connect(await readSite(folder));
await keepResults(name, { database: 'embedded', sites });
