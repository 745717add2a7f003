import { readSource } from '../../sync/project-source.js';
import { listSyncRuns, type SyncRunRow } from '../../sync/store/sync-runs.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { empty, form, table } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { timeFields } from './source.js';

const DAY_SECONDS = 86_400;

/** What a source has, before anything of it is stored, and the button that syncs it. */
export async function previewOf(visit: ProjectVisit, { seen }: SyncRunRow): Promise<Html> {
  if (!seen || seen.pages === 0)
    return html`${empty(
      'No page was found.',
      html`${seen?.cut_off ?? 'What was left out, and why, stands below.'} Try the address of its sitemap, or upload a file: <a href="${visit.ownHref('/connect')}">Connect</a>.`,
    )}${leftOut(seen)}`;
  const { pages, redirects, cut_off: cutOff, first } = seen;
  const source = await readSource(visit.deps.db, visit.project.project_id);
  const [synced] = await listSyncRuns(visit.tenant.db, visit.project.project_id, 1);
  const asked = source && !synced && source.kind === 'url' ? { ...source, every_seconds: DAY_SECONDS } : source;
  return html`<p><strong>${cutOff === null ? '' : 'More than '}${countOf(pages, 'page')}</strong>${redirects === 0 ? '' : ` and ${countOf(redirects, 'old path')}`} ${pages + redirects === 1 ? 'was' : 'were'} found.${cutOff === null ? '' : ` The look ended early: ${cutOff}. A sync reads all of it.`} Nothing is stored yet.</p>
${
  visit.may('editor') && source
    ? form(
        visit,
        visit.own('/connect/sync'),
        html`${visit.may('admin') && asked ? timeFields(visit, asked) : undefined}<button class="button primary">Sync these pages</button>`,
      )
    : undefined
}<h2>The first ${countOf(first.length, 'page')}</h2><p class="explained">Look whether the text is that of the page, without its menus.</p>${table(
    'Pages',
    ['Page', 'Its text begins so'],
    first.map(({ url, title, text }) => [
      html`${title ?? html`<span class="quiet">without title</span>`}<span class="sub url">${url}</span>`,
      text,
    ]),
  )}${leftOut(seen)}`;
}

function leftOut(seen: SyncRunRow['seen']): Html | undefined {
  if (!seen || seen.left_out.length === 0) return undefined;
  return html`<h2>Left out</h2><p class="explained">Urls that are no pages to search, with the first of each kind.</p>${table(
    'Left out',
    ['Why', 'Urls', 'Such as'],
    seen.left_out.map(({ reason, count, first }) => [
      reason,
      amount(count),
      first.map((url) => html`<span class="sub url">${url}</span>`),
    ]),
  )}`;
}
