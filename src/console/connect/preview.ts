import { readSource } from '../../sync/project-source.js';
import { listSyncRuns, type SyncRunRow } from '../../sync/store/sync-runs.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { checkbox, empty, form, table } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { filterFields, timeFields } from './source.js';

const DAY_SECONDS = 86_400;

/** Shows what a preview found in a source, before any of it is stored, and the button that syncs it. */
export async function previewOf(visit: ProjectVisit, { seen }: SyncRunRow): Promise<Html> {
  if (!seen || seen.pages === 0)
    return html`${empty(
      'No pages found.',
      html`${seen?.cut_off ?? 'Skipped urls are listed below, with reasons.'} Enter the address of the sitemap, or upload a file: <a href="${visit.ownHref('/connect')}">Connect</a>.`,
    )}${leftOut(seen)}`;
  const { pages, redirects, cut_off: cutOff, first } = seen;
  const source = await readSource(visit.deps.db, visit.project.project_id);
  const [synced] = await listSyncRuns(visit.tenant.db, visit.project.project_id, 1);
  const defaults = source && !synced && source.kind === 'url' ? { ...source, every_seconds: DAY_SECONDS } : source;
  const proposed = seen.exclusions.map(({ pattern, count }) =>
    checkbox('leave', `${pattern}: ${amount(count)} of ${countOf(pages, 'page')}`, false, pattern),
  );
  const firstPages = table('Pages', first, undefined, {
    Page: ({ url, title }) =>
      html`${title ?? html`<span class="quiet">no title</span>`}<span class="sub url">${url}</span>`,
    'Beginning of its text': ({ text }) => text,
  });
  const post = form(visit, visit.ownPath('/connect/sync'));
  const times =
    visit.may('admin') && defaults && html`${timeFields(visit, defaults)}${filterFields(visit, defaults, proposed)}`;
  const sync = visit.may('editor') && source && post`${times}<button class="button primary">Sync these pages</button>`;
  return html`<p><strong>${cutOff === null ? '' : 'More than '}${countOf(pages, 'page')}</strong>${redirects === 0 ? '' : ` and ${countOf(redirects, 'old path')}`} ${pages + redirects === 1 ? 'was' : 'were'} found.${cutOff === null ? '' : ' The preview ends there. A sync reads all of them.'} Nothing is stored yet.</p>
${sync}<h2>First ${countOf(first.length, 'page')}</h2><p class="explained">Check that the text is the content of the page, without menus.</p>${firstPages}${leftOut(seen)}`;
}

function leftOut(seen: SyncRunRow['seen']): Html | undefined {
  if (!seen || seen.left_out.length === 0) return undefined;
  const skipped = table('Skipped', seen.left_out, undefined, {
    Reason: ({ reason }) => reason,
    Urls: ({ count }) => count,
    Examples: ({ first }) => first.map((url) => html`<span class="sub url">${url}</span>`),
  });
  return html`<h2>Skipped</h2><p class="explained">Urls that are not indexed, with examples for each reason.</p>${skipped}`;
}
