import { searchPageSummaries, selectPageSummaries, type PageSummary } from '../../pages/store/page-listing.js';
import { selectMissedPages } from '../../analytics/store/paths-of-page.js';
import { searchUnlogged } from '../../search/search-unlogged.js';
import { countPagesByStatus } from '../../pages/store/page-counts.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { PAGE_STATUSES, type PageStatus } from '../../base/glossary.js';
import { reindexAll } from '../../pages/maintain-pages.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { parsePageUrl } from '../../text/page-url.js';
import { badge, button, empty, field, select, table, time, type Tone } from '../shared/components.js';
import { scoreText } from '../shared/numbers.js';
import { asEditor, projectPage, recordChange, type ProjectVisit } from '../shared/console-page.js';
import { pager, tabs } from '../shared/links.js';

const SHOWN = 25;
/** The maximum number of pages that are listed by their content. */
const ABOUT = 10;
const PAGE_ID = /^[0-9a-f]{24}$/;

const STATUSES: Readonly<Record<PageStatus, [string, Tone]>> = {
  INDEXED: ['Indexed', 'good'],
  PENDING_VECTORIZATION: ['Waiting', 'waiting'],
  PROCESSING: ['Processing', 'waiting'],
  ERROR: ['Error', 'bad'],
};

/** A badge with the words for a page's status. */
export function statusBadge(status: PageStatus): Html {
  return badge(...STATUSES[status]);
}

/** Links to the lists of pages and syncs of a project. */
export function pagesNav(visit: ProjectVisit, here: '' | '/syncs'): Html {
  return tabs(visit, { label: 'Pages', base: '/pages', pages: { '': 'Pages', '/syncs': 'Syncs' } }, here);
}

/** The pages of the site, by status and url. */
export const sitePagesPage = projectPage({
  path: '/p/:project/pages',
  nav: 'Pages',
  show: async (visit) => {
    const { tenant, project, query } = visit;
    const counts = await countPagesByStatus(tenant.db, project.project_id);
    const filter = readFilter(query);
    const { pages, next } = await findPages(visit, filter);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const nav = pagesNav(visit, '');
    const how = html`Push them with <code>POST /v1/pages/upsert</code>, or sync a whole site: <a href="${visit.ownHref('/connect')}">Connect</a>.`;
    return total === 0
      ? html`${nav}${empty('No pages yet.', how)}`
      : html`${nav}${summary(visit, counts)}${search(visit, filter)}${filter.isByMissed && html`<p class="explained">The ${SHOWN} pages that most people looked for through a missing path. A path counts for the page that its latest search returned first.</p>`}${list(visit, pages, filter.isByMissed)}${more(visit, filter, next)}${await about(visit, filter)}${reindex(visit, total)}`;
  },
  actions: {
    reindex: asEditor(async (visit) => {
      const { deps, project } = visit;
      const queued = await inTransaction(deps.db, async (trx) => {
        const pages = await reindexAll(trx, deps.queue, project.project_id);
        await recordChange(visit, 'all pages reindexed', countOf(pages, 'page'), trx);
        return pages;
      });
      return `${countOf(queued, 'page')} queued. Until they are indexed, searches use the old index.`;
    }),
  },
});

interface Filter {
  text: string;
  status: PageStatus | undefined;
  after: string | undefined;
  isByMissed: boolean;
}

function readFilter(query: URLSearchParams): Filter {
  const text = [...(query.get('url') ?? '').trim()].slice(0, 2_048).join('');
  const after = query.get('after') ?? '';
  return {
    text,
    status: PAGE_STATUSES.find((status) => status === query.get('status')),
    after: PAGE_ID.test(after) ? after : undefined,
    isByMissed: query.get('order') === 'missed',
  };
}

type Listed = PageSummary & { people?: number };

async function findPages({ tenant }: ProjectVisit, { text, status, after, isByMissed }: Filter) {
  if (isByMissed) return { pages: await selectMissedPages(tenant, { text, status }, SHOWN), next: null };
  const whole = parsePageUrl(text);
  if (whole) {
    const pages = await selectPageSummaries(tenant, { status, urlHash: whole.hash }, 1);
    if (pages.length > 0) return { pages, next: null };
  }
  if (text !== '') return searchPageSummaries(tenant, { text, status, after }, SHOWN);
  const rows = await selectPageSummaries(tenant, { status, after }, SHOWN + 1);
  const pages = rows.slice(0, SHOWN);
  return { pages, next: rows.length > SHOWN ? (pages.at(-1)?.page_id ?? null) : null };
}

function summary({ ownHref }: ProjectVisit, counts: Record<PageStatus, number>): Html {
  const shown = PAGE_STATUSES.filter((status) => counts[status] > 0 || status === 'INDEXED');
  return html`<ul class="figures">${shown.map(
    (status) =>
      html`<li><a href="${ownHref(`/pages?status=${status}`)}"><strong>${counts[status].toLocaleString('en')}</strong></a> ${statusBadge(status)}</li>`,
  )}</ul><p class="explained">Searches find indexed pages. Waiting pages are found by their previous content.</p>`;
}

function search(visit: ProjectVisit, { text, status, isByMissed }: Filter): Html {
  const choices = { '': 'Any status', ...Object.fromEntries(PAGE_STATUSES.map((name) => [name, STATUSES[name][0]])) };
  return html`<form method="get" action="${visit.ownHref('/pages')}" class="row" role="search">
${field(visit, { name: 'url', label: 'Title, url or text', type: 'search', value: text, attributes: { maxlength: 2048 } })}
${select(visit, { name: 'status', label: 'Status', value: status ?? '', choices })}
${select(visit, { name: 'order', label: 'Order', value: isByMissed ? 'missed' : '', choices: { '': 'Oldest first', missed: 'Most missed' } })}
<button class="button">Show</button></form>`;
}

function list(visit: ProjectVisit, pages: readonly Listed[], isByMissed: boolean): Html {
  const hint = 'Pages appear here when they are suggested for missing paths that people request.';
  const none = isByMissed
    ? empty('No missing path leads to a page yet.', hint)
    : empty('No matching pages.', 'Try a shorter text, or any status.');
  return table('Pages', pages, none, {
    Page: ({ page_id: id, title, url }) =>
      html`<a href="${visit.ownHref(`/pages/${id}`)}">${title ?? url}</a><span class="sub url">${url}</span>`,
    ...(isByMissed && {
      Requests: ({ page_id: id, people = 0 }) =>
        html`<a href="${visit.ownHref(`/pages/${id}#found-by`)}">${amount(people)}</a>`,
    }),
    Status: ({ status, error }) =>
      html`${statusBadge(status)}${error !== null && html`<span class="sub">${error}</span>`}`,
    Indexed: ({ indexed_at: at }) => time(at, 'not yet'),
  });
}

/** Lists pages whose content is about the searched text, as a search with the text as a question finds them. */
async function about(visit: ProjectVisit, { text, status, after, isByMissed }: Filter): Promise<Html | undefined> {
  if (text === '' || status || after !== undefined || isByMissed) return undefined;
  const request = { kind: 'semantic-search', input: text, limit: ABOUT } as const;
  const answer = await searchUnlogged(visit.deps, visit.project.project_id, request).catch(() => undefined);
  const near = answer?.suggestions.filter(({ score }) => score >= visit.project.shown_from) ?? [];
  const none = html`<p class="quiet">No page has similar content, or the server is too busy to search.</p>`;
  const pagesByContent = table('Pages by content', near, none, {
    Page: ({ pageId, title, url }) =>
      html`<div><a href="${visit.ownHref(`/pages/${pageId}`)}">${title}</a></div><span class="sub url">${url}</span>`,
    Score: ({ score }) => scoreText(score),
  });
  return html`<h2>By content</h2><p class="explained">Results for this text as a question, best first. A score says how probably the page answers it.</p>${pagesByContent}`;
}

function more(visit: ProjectVisit, { text, status }: Filter, next: string | null): Html | undefined {
  if (next === null) return undefined;
  const query = new URLSearchParams({ ...(text && { url: text }), ...(status && { status }), after: next });
  return pager(visit.ownHref(`/pages?${query.toString()}`), text === '' ? 'Next pages' : 'More results');
}

function reindex(visit: ProjectVisit, total: number): Html | undefined {
  if (!visit.may('editor')) return undefined;
  return html`<h2>Reindex</h2>
<p class="hint">Embeds ${countOf(total, 'page')} again. Pages that are pushed meanwhile go first. Searches keep working.</p>
${button(visit, visit.ownPath('/pages/reindex'), 'Reindex all pages', { confirm: 'Reindex all pages?' })}`;
}
