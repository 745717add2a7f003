import { Readable } from 'node:stream';
import { ApiError, forbidden, invalid } from '../../base/errors.js';
import { ALL_PATHS, parsePatterns, type PathFilter } from '../../sources/path-filter.js';
import { readSource, setSource, writeEvery, type SourceChoice } from '../../sync/project-source.js';
import { describeIndex, readPace } from '../../pages/indexing/pace.js';
import { readIndexState } from '../../pages/store/page-counts.js';
import { shownSource } from '../../sync/record-run.js';
import { requestSync } from '../../sync/request-sync.js';
import { MAX_UPLOAD_BYTES, storeUpload } from '../../sync/store-upload.js';
import type { ProjectSource } from '../../sync/store/project-sources.js';
import { NOT_PUBLIC } from '../../sources/web/http-client.js';
import { listSyncRuns } from '../../sync/store/sync-runs.js';
import { html, type Html } from '../../text/html.js';
import { parsePageUrl, type PageUrl } from '../../text/page-url.js';
import { button, checkbox, empty, facts, field, form, select, time } from '../shared/components.js';
import { asAdmin, asEditor, actorOf } from '../shared/console-page.js';
import type { Action, Done, ProjectVisit, UserVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { outcomeOf } from '../shared/status.js';

export const MAX_URL = 2_000;
/** The schedule of a source until a person has seen its preview: it is synced manually, and no page is deleted. */
export const UNSCHEDULED = { every_seconds: null, prune: false };
const EVERY: Readonly<Record<string, string>> = {
  '': 'manually',
  '3600': 'every hour',
  '86400': 'every day',
  '604800': 'every week',
};

/** Shows where a project's pages come from, the state of that source, and for admins the forms that change it. */
export async function sourceSection(visit: ProjectVisit): Promise<Html> {
  const { deps, tenant, project, may, ownPath } = visit;
  const source = await readSource(deps.db, project.project_id);
  const [last] = await listSyncRuns(tenant.db, project.project_id, 1);
  const { kind } = source ?? {};
  const index = await readIndexState(tenant.db, project.project_id);
  const pace = await readPace(tenant.db, project.project_id, index.waiting);
  const remove =
    may('admin') &&
    button(visit, ownPath('/connect/remove'), 'Remove source', {
      className: 'button danger',
      confirm: 'Remove the source? Its pages stay but are no longer synced.',
    });
  const controls =
    may('editor') &&
    html`<div class="actions">${button(visit, ownPath('/connect/sync'), 'Sync now', { className: 'button primary' })}${button(visit, ownPath('/connect/look'), 'Preview')}${remove}</div>`;
  const state = source
    ? html`${facts({
        Source: html`<span class="url">${shownSource(source.source)}</span>`,
        Sync: everyOf(source),
        'Removed pages': source.prune ? 'deleted' : 'kept',
        'Left out': source.exclude.length > 0 && html`<span class="url">${source.exclude.join(' ')}</span>`,
        'Only these paths': source.include.length > 0 && html`<span class="url">${source.include.join(' ')}</span>`,
        'Set by': html`${source.set_by}, ${time(source.set_at)}`,
        'Last sync': last
          ? html`<a href="${visit.ownHref(`/pages/syncs/${last.run_id}`)}">${time(last.began_at)}</a> ${outcomeOf(last)}`
          : 'none yet',
        'Next sync': time(source.next_at, 'when started manually'),
        Pages: describeIndex(index, pace),
      })}${controls}`
    : empty(
        'No source yet.',
        may('admin')
          ? 'Pages come through the API only. To sync a site, enter its address or upload a file below.'
          : 'Ask an admin of the project to add one.',
      );
  if (!may('admin')) return state;
  const addressForm = form(visit, ownPath('/connect/source'));
  const uploadForm = form(visit, ownPath('/connect/upload'), 'form', 'multipart/form-data');
  return html`${state}<details${!source && html` open`}><summary>${source ? 'Change source' : 'Enter the site address'}</summary>${addressForm`${field(visit, { name: 'source', label: 'Site address', hint: 'The site, or its sitemap. An admin of all projects can allow a site inside your network when its preview fails.', value: kind === 'url' ? source?.source : undefined, attributes: { required: true, maxlength: MAX_URL } })}
${source?.kind === 'url' && html`${timeFields(visit, source)}${filterFields(visit, source)}`}<button class="button${source ? '' : ' primary'}">${source?.kind === 'url' ? 'Save, and preview a new address' : 'Preview this site'}</button>`}</details>
<details${kind === 'upload' && html` open`}><summary>Or upload a file</summary>${uploadForm`${field(visit, { name: 'base', label: 'Base address for paths in the file', hint: 'Needed only if the file has paths instead of urls.', value: source?.base ?? undefined, of: 'upload', attributes: { maxlength: MAX_URL } })}
${field(visit, { name: 'file', label: 'File of pages', type: 'file', hint: `JSON lines or CSV with the columns url, title and content, or a WordPress export (XML). At most ${MAX_UPLOAD_BYTES >> 20} MB, gzip allowed. The upload must finish within 30 seconds.`, attributes: { required: true } })}
<button class="button">Upload and preview</button>`}</details>`;
}

/** The fields for how often a source is synced, and whether removed pages are deleted; the operator sets a path's. */
export function timeFields(visit: ProjectVisit, { kind, every_seconds, prune }: ProjectSource): Html | undefined {
  if (kind === 'path') return undefined;
  const every = String(every_seconds ?? '');
  const choices = { ...EVERY, [every]: everyOf({ every_seconds }) };
  return html`${kind !== 'upload' && select(visit, { name: 'every', label: 'How often to sync', value: every, choices })}
<div class="field"><input type="hidden" name="times" value="1">${checkbox('prune', 'Delete pages that are no longer in the source', prune)}<p class="hint">If more than a fifth would be deleted at once, no page is deleted and Watch shows an alert.</p></div>`;
}

/** The fields for which paths are read. `proposed`: checkboxes for the paths that a preview proposes to leave out. */
export function filterFields(visit: ProjectVisit, filter: PathFilter, proposed: readonly Html[] = []): Html {
  const { include, exclude } = filter;
  return html`${proposed.length > 0 && html`<fieldset><legend>Leave out</legend>${proposed}</fieldset>`}${field(visit, { name: 'exclude', label: 'Paths to leave out', value: exclude.join(' '), hint: 'Patterns with spaces between them, such as /tags/* or *?print=*; * stands for any text.', attributes: { maxlength: MAX_URL } })}
${field(visit, { name: 'include', label: 'Only these paths', value: include.join(' '), hint: 'Empty: all.', attributes: { maxlength: MAX_URL } })}`;
}

function readFilter(fields: Form): Pick<SourceChoice, 'filter'> {
  if (fields.get('exclude') === undefined) return {};
  const include = parsePatterns(fields.get('include') ?? '', 'include');
  const exclude = parsePatterns([fields.get('exclude') ?? '', ...fields.all('leave')].join(' '), 'exclude');
  return { filter: { include, exclude } };
}

function isEqual(a: PathFilter, b: PathFilter = ALL_PATHS): boolean {
  return JSON.stringify([a.include, a.exclude]) === JSON.stringify([b.include, b.exclude]);
}

function everyOf({ every_seconds: every }: Pick<ProjectSource, 'every_seconds'>): string {
  return EVERY[String(every ?? '')] ?? `every ${writeEvery(every ?? 0)}`;
}

function readTimes(fields: Form): Pick<SourceChoice, 'every_seconds' | 'prune'> {
  const every = fields.get('every') ?? '';
  return { every_seconds: every === '' ? null : Number(every), prune: fields.get('prune') === 'on' };
}

/** Reads the address of a site, with or without https; undefined if empty. @throws ApiError that names the field */
export function readAddress(text: string, field = 'source'): PageUrl | undefined {
  if (text === '') return undefined;
  const url = parsePageUrl(text.includes('://') ? text : `https://${text}`);
  if (!url) throw invalid(field, 'Enter a site address, such as https://www.example.com.');
  return url;
}

/** Sets a source, and has a worker preview it. The page to which this leads shows what the worker finds as it comes. */
export async function queuePreview(visit: UserVisit, projectId: string, choice: SourceChoice): Promise<Done> {
  await setSource(visit.deps, projectId, choice, actorOf(visit));
  return ask(visit, projectId, true);
}

const ASK_AN_ADMIN = 'An admin of all projects can allow this address, or the operator by SITE_NETWORKS.';

/** Offers to read a site inside the network, if its preview or sync was refused because it is there. */
export function insideNetwork(visit: ProjectVisit, problem: string | null): Html | undefined {
  if (problem?.includes(NOT_PUBLIC) !== true) return undefined;
  return visit.user.role === 'admin'
    ? html`<p>This address is inside your network. pathmend reads such a site only where you allow it.</p><p class="actions">${button(visit, visit.ownPath('/connect/allow'), 'Allow this address, and try again')}</p>`
    : html`<p class="explained">${ASK_AN_ADMIN}</p>`;
}

async function ask(visit: UserVisit, projectId: string, preview: boolean): Promise<Done> {
  const runId = await requestSync(visit.deps, projectId, { preview, by: actorOf(visit) });
  return { to: `/p/${projectId}/pages/syncs/${runId}`, text: '' };
}

export const SOURCE_ACTIONS: Readonly<Record<string, Action<ProjectVisit>>> = {
  source: asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const source = readAddress(fields.text('source', MAX_URL))?.href ?? '';
    const before = await readSource(deps.db, project.project_id);
    // The schedule of another site is chosen after its preview.
    if (before?.source !== source)
      return queuePreview(visit, project.project_id, { ...UNSCHEDULED, kind: 'url', source });
    const choice = { ...before, ...readTimes(fields), ...readFilter(fields) };
    await setSource(deps, project.project_id, choice, actorOf(visit));
    return 'Saved.';
  }),
  upload: asAdmin(
    async (visit, fields) => {
      const base = readAddress(fields.text('base', MAX_URL, 0), 'base')?.href ?? null;
      const { name, bytes } = fields.upload('file');
      const { project_id: projectId } = visit.project;
      await storeUpload(visit.deps, projectId, name, Readable.from(bytes));
      return queuePreview(visit, projectId, { ...UNSCHEDULED, kind: 'upload', source: '', base });
    },
    { maxUpload: MAX_UPLOAD_BYTES },
  ),
  /** Starts a sync. In the form of a preview, an admin also sets the schedule and the filter. */
  sync: asEditor(async (visit, fields) => {
    const { deps, project, may } = visit;
    const source = fields.get('times') === undefined ? undefined : await readSource(deps.db, project.project_id);
    const times = readTimes(fields);
    const { filter = source } = readFilter(fields);
    const isNew =
      source &&
      (source.every_seconds !== times.every_seconds || source.prune !== times.prune || !isEqual(source, filter));
    if (isNew && filter && may('admin'))
      await setSource(deps, project.project_id, { ...source, ...times, filter }, actorOf(visit));
    return ask(visit, project.project_id, false);
  }),
  look: asEditor((visit) => ask(visit, visit.project.project_id, true)),
  allow: asAdmin(async (visit) => {
    const { deps, user, project } = visit;
    if (user.role !== 'admin') throw forbidden(ASK_AN_ADMIN);
    const source = await readSource(deps.db, project.project_id);
    if (!source) throw new ApiError('not_found', { message: 'There is no source.' });
    await setSource(deps, project.project_id, { ...source, allows_inside: true }, actorOf(visit));
    return ask(visit, project.project_id, true);
  }),
  remove: asAdmin(async (visit) => {
    await setSource(visit.deps, visit.project.project_id, null, actorOf(visit));
    return 'Source removed. Its pages stay.';
  }),
};
