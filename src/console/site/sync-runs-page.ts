import { readSource } from '../../sync/project-source.js';
import { readRun } from '../../sync/request-sync.js';
import { listSyncRuns, MAX_SYNC_RUNS, type SyncRunRow } from '../../sync/store/sync-runs.js';
import { ApiError } from '../../base/errors.js';
import { html, type Html } from '../../text/html.js';
import { amount, countOf } from '../../text/count-of.js';
import { checkbox, empty, facts, form, table, time } from '../shared/components.js';
import { projectPage, type ProjectVisit } from '../shared/console-page.js';
import { outcomeOf } from '../shared/status.js';
import { filterFields, insideNetwork, timeFields } from '../connect/source.js';
import { pagesNav } from './pages-page.js';

const REFRESH_SECONDS = 2;
const DAY_SECONDS = 86_400;

/** Each count of a report, in the order of the page. */
const COUNTS: readonly (readonly [string, string])[] = [
  ['created', 'Pages created'],
  ['updated_content', 'Pages with new content'],
  ['updated_metadata', 'Pages with a new title or metadata'],
  ['unchanged', 'Pages unchanged'],
  ['gone', 'Pages removed from the source'],
  ['refused', 'Refused'],
  ['redirects', 'Redirects'],
];

/** The page lists when the site was read, from where, and with which outcome. */
export const syncRunsPage = projectPage({
  path: '/p/:project/pages/syncs',
  title: 'Syncs',
  show: async (visit) => {
    const { tenant, project, ownHref } = visit;
    const runs = await listSyncRuns(tenant.db, project.project_id, MAX_SYNC_RUNS);
    const counted =
      (...names: string[]) =>
      ({ run_id: id, report }: SyncRunRow) =>
        html`<a href="${ownHref(`/pages/syncs/${id}#report`)}">${amount(names.reduce((sum, name) => sum + (report[name] ?? 0), 0))}</a>`;
    const how = html`Set the site and its schedule under <a href="${ownHref('/connect')}">Connect</a>.`;
    const explained =
      runs.length > 0 &&
      html`<p class="explained">Pages that each sync created, updated, removed or refused; click a number to see the report. The last ${MAX_SYNC_RUNS} syncs are kept.</p>`;
    const list = table('Syncs, newest first', runs, empty('No syncs yet.', how), {
      Started: ({ run_id: id, began_at: at }) => html`<a href="${ownHref(`/pages/syncs/${id}`)}">${time(at)}</a>`,
      Source: ({ source, dry_run: isDry }) =>
        html`<span class="url">${source}</span>${isDry && html`<span class="sub">dry run: nothing was changed</span>`}`,
      Outcome: outcomeOf,
      Created: counted('created'),
      Updated: counted('updated_content', 'updated_metadata'),
      Removed: counted('gone'),
      Refused: counted('refused'),
    });
    return html`${pagesNav(visit, '/syncs')}${explained}${list}`;
  },
});

/** The report of one sync, or what a preview found. Until the sync ends, the page reloads by itself. */
export const syncRunPage = projectPage({
  path: '/p/:project/pages/syncs/:run',
  show: async (visit) => {
    const { tenant, project, params, ownHref } = visit;
    const run = await readRun(tenant.db, project.project_id, params['run'] ?? '');
    const message = `This sync does not exist. Only the last ${MAX_SYNC_RUNS} are kept.`;
    if (!run) throw new ApiError('not_found', { message });
    const { preview, ended_at: endedAt, state } = run;
    const goesOn = endedAt === null;
    const { created = 0, updated_content: updated = 0, unchanged = 0 } = run.report;
    const { pages = created + updated + unchanged } = run.report;
    return {
      title: preview ? 'Source preview' : 'Sync',
      ...(goesOn && { refresh: REFRESH_SECONDS }),
      content: html`${
        goesOn &&
        html`<p role="status">${state === 'waiting' ? 'Waiting for a worker.' : html`<strong>${countOf(pages, 'page')}</strong> read so far.`} This page reloads every ${REFRESH_SECONDS} seconds.</p>`
      }${preview && state === 'done' && (await previewOf(visit, run))}${
        !preview &&
        state === 'done' &&
        html`<p class="actions"><a class="button primary" href="${ownHref('/connect#key')}">Next: connect your server</a> <a class="button" href="${ownHref('/pages')}">Show pages</a></p>`
      }${facts({
        Source: html`<span class="url">${run.source}</span>`,
        Outcome: outcomeOf(run),
        Reason: run.problem ?? undefined,
        'Started by': run.asked_by,
        Started: time(run.began_at),
        Duration: tookOf(run),
        'Deletes removed pages': !preview && (run.prune ? 'yes' : 'no'),
        'Dry run': !preview && (run.dry_run ? 'yes: nothing was changed, and the counts show what would change' : 'no'),
      })}${insideNetwork(visit, run.problem)}${!preview && reportOf(run)}<p>${(preview || state === 'failed') && html`<a href="${ownHref('/connect')}">Source</a>`} <a href="${ownHref('/pages/syncs')}">All syncs</a></p>`,
    };
  },
});

function tookOf({ began_at, ended_at }: SyncRunRow): string {
  if (ended_at === null) return 'still running';
  const seconds = Math.round((ended_at.getTime() - began_at.getTime()) / 1_000);
  return seconds < 120 ? countOf(seconds, 'second') : countOf(Math.round(seconds / 60), 'minute');
}

function reportOf({ outcome, report, refusals, left_out: leftOut }: SyncRunRow): Html {
  const reasons = Object.entries(leftOut);
  const counts = table('Counts', COUNTS, undefined, {
    Result: ([, text]) => text,
    Count: ([name]) =>
      name === 'refused' && refusals.length > 0
        ? html`<a href="#refused">${amount(report[name] ?? 0)}</a>`
        : (report[name] ?? 0),
  });
  const refused = table('Refused', refusals, undefined, {
    Where: ({ where }) => html`<span class="url">${where}</span>`,
    Reason: ({ reason }) => reason,
  });
  const skipped = table('Skipped', reasons, undefined, { Reason: ([reason]) => reason, Urls: ([, urls]) => urls });
  return html`${
    outcome !== null &&
    outcome !== 'failed' &&
    html`<h2 id="report">Report</h2><p class="explained">What the sync did with the pages and redirects of the source.</p>${counts}`
  }${
    refusals.length > 0 &&
    html`<h2 id="refused">Refused</h2><p class="explained">First ${amount(refusals.length)} of ${amount(report['refused'] ?? refusals.length)}, with reasons.</p>${refused}`
  }${
    reasons.length > 0 && html`<h2>Skipped</h2><p class="explained">Urls of the site that were not read.</p>${skipped}`
  }`;
}

/** Shows what a preview found in a source, before any of it is stored, and the button that syncs it. */
async function previewOf(visit: ProjectVisit, { seen }: SyncRunRow): Promise<Html> {
  if (!seen || seen.pages === 0)
    return html`${empty(
      'No pages found.',
      html`${seen?.cut_off ?? 'Skipped urls are listed below, with reasons.'} Enter the address of the sitemap, or upload a file: <a href="${visit.ownHref('/connect')}">Connect</a>.`,
    )}${skippedOf(seen)}`;
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
${sync}<h2>First ${countOf(first.length, 'page')}</h2><p class="explained">Check that the text is the content of the page, without menus.</p>${firstPages}${skippedOf(seen)}`;
}

function skippedOf(seen: SyncRunRow['seen']): Html | undefined {
  if (!seen || seen.left_out.length === 0) return undefined;
  const skipped = table('Skipped', seen.left_out, undefined, {
    Reason: ({ reason }) => reason,
    Urls: ({ count }) => count,
    Examples: ({ first }) => first.map((url) => html`<span class="sub url">${url}</span>`),
  });
  return html`<h2>Skipped</h2><p class="explained">Urls that are not indexed, with examples for each reason.</p>${skipped}`;
}
