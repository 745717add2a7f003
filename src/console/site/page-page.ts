import { LISTED_FIELDS, LISTED_NAMES } from '../../pages/page-fields.js';
import { selectPage, type PageSummary } from '../../pages/store/page-listing.js';
import { selectPathsFound, selectPathsRedirected, selectQuestionsFound } from '../../analytics/store/paths-of-page.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { ApiError } from '../../base/errors.js';
import { deletePage } from '../../pages/delete-pages.js';
import { reindexPage } from '../../pages/maintain-pages.js';
import { html, type Html } from '../../text/html.js';
import { button, facts, table, time } from '../shared/components.js';
import { asEditor, projectPage, recordChange, type ProjectVisit } from '../shared/console-page.js';
import { statusBadge } from './pages-page.js';
import { pathLink } from '../shared/links.js';

const MAX_SHOWN = 20_000;
const PATHS = 15;
const NONE = html`<span class="quiet">none</span>`;

/** One page of the site. */
export const sitePagePage = projectPage({
  path: '/p/:project/pages/:page',
  show: async (visit) => {
    const page = await requirePage(visit);
    return {
      title: page.title ?? 'Untitled page',
      content: html`${facts({
        Url: html`<a class="url" href="${page.url}" rel="noreferrer">${page.url}</a>`,
        Status: statusBadge(page.status),
        Reason: page.error ?? undefined,
        ...Object.fromEntries(LISTED_NAMES.map((field) => [LISTED_FIELDS[field].name, page[field] ?? NONE])),
        Updated: time(page.updated_at),
        Indexed: time(page.indexed_at, 'not yet'),
        Id: html`<code>${page.page_id}</code>`,
      })}${actions(visit, page)}
${await foundBy(visit, page)}<h2>Content</h2>${content(page.content ?? '')}`,
    };
  },
  actions: {
    reindex: asEditor(async (visit) => {
      const { deps, project } = visit;
      const page = await requirePage(visit);
      await inTransaction(deps.db, async (trx) => {
        if (!(await reindexPage(trx, deps.queue, project.project_id, page.page_id))) throw new ApiError('not_found');
        await recordChange(visit, 'page reindexed', page.url, trx);
      });
      return 'Page queued. Until it is indexed, searches use its old index.';
    }),
    delete: asEditor(async (visit) => {
      const { deps, tenant, ownPath } = visit;
      const { page_id: pageId, url } = await requirePage(visit);
      await deletePage(deps, tenant, { url: undefined, pageId });
      await recordChange(visit, 'page deleted', url);
      return { to: ownPath('/pages'), text: `${url} deleted. Searches no longer find it.` };
    }),
  },
});

async function requirePage({ tenant, params }: ProjectVisit): Promise<PageSummary & { content?: string }> {
  const page = await selectPage(tenant, params['page'] ?? '', true);
  if (!page)
    throw new ApiError('not_found', { message: 'This page does not exist in the project. It may have been deleted.' });
  return page;
}

function pathOf({ ownPath, params }: ProjectVisit): string {
  return ownPath(`/pages/${params['page'] ?? ''}`);
}

function actions(visit: ProjectVisit, { url }: PageSummary): Html | undefined {
  if (!visit.may('editor')) return undefined;
  const deleteForm = button(visit, `${pathOf(visit)}/delete`, 'Delete', {
    className: 'button danger',
    confirm: `Delete ${url}?`,
  });
  return html`<div class="actions">${button(visit, `${pathOf(visit)}/reindex`, 'Reindex')}${deleteForm}</div>
<p class="hint">A deleted page comes back if your site pushes it again.</p>`;
}

/** Lists the missing paths that lead to the page, by a redirect or as the first suggestion, and its questions. */
async function foundBy(visit: ProjectVisit, { page_id }: PageSummary): Promise<Html> {
  const { deps, tenant, project } = visit;
  const [redirected, suggested, questions] = await Promise.all([
    selectPathsRedirected(tenant, page_id, PATHS),
    selectPathsFound(tenant, page_id, PATHS),
    selectQuestionsFound(deps.db, project.project_id, page_id, PATHS),
  ]);
  const known = new Set(redirected.map(({ path }) => path));
  const all = [...redirected, ...suggested.filter(({ path }) => !known.has(path))].slice(0, PATHS);
  const noPath = html`<p class="quiet">No missing path leads here yet.</p>`;
  const noQuestion = html`<p class="quiet">No recent question returned this page.</p>`;
  const foundPaths = table('Missing paths that lead here', all, noPath, {
    'Missing path': ({ path }) => pathLink(visit, path),
    How: ({ score }) => (score === null ? 'redirect' : 'first suggestion'),
    Requests: ({ people }) => people ?? 0,
    'Last seen': ({ last_human: last }) => time(last),
  });
  const answeredQuestions = table('Questions that this page answered', questions, noQuestion, {
    Question: ({ question }) => question,
    Asked: ({ searches }) => searches,
    'Best position': ({ place }) => place,
    Clicked: ({ clicked }) => clicked,
    'Last asked': ({ last_searched: last }) => time(last),
  });
  return html`<h2 id="found-by">Found by</h2><p class="explained">Missing paths that redirect here, or whose latest search returned this page first. Most requested by people first, by all stored 404s.</p>${foundPaths}
<h3>By questions</h3><p class="explained">From the latest 10,000 searches: how often visitors asked each question, the best position of this page, and its clicks.</p>${answeredQuestions}`;
}

function content(text: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="Content">${text.slice(0, MAX_SHOWN)}</pre>${text.length > MAX_SHOWN && html`<p class="hint">The first ${MAX_SHOWN} characters of ${text.length}.</p>`}`;
}
