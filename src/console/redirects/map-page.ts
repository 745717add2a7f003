import { ApiError, invalid } from '../../base/errors.js';
import { countWaitingPages } from '../../pages/store/page-counts.js';
import { threadTurns } from '../../platform/run-in-thread.js';
import { readOldUrlsInThread } from '../../rules/import-export/rules-in-thread.js';
import { decideRows, discardSheet, fillSheet, MAX_SHEET, saveSheet } from '../../rules/proposals/redirect-sheet.js';
import type { SheetFilled } from '../../rules/proposals/redirect-sheet.js';
import { countSheet } from '../../rules/store/redirect-sheet.js';
import { mapSheet } from '../../search/map-sheet-job.js';
import { amount, countOf, wasOrWere } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { empty, field, form } from '../shared/components.js';
import { asEditor, actorOf, projectPage, recordChange, type Done, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { asFile } from '../shared/upload.js';
import { discardButton, readDecision, sheet, SHOWN } from './map-sheet.js';
import { redirectsNav } from './redirects-page.js';

/** The maximum size of a file of old urls. For a longer file, there is `pathmend redirects map`. */
const MAX_FILE_BYTES = 20_000_000;
const REFRESH_SECONDS = 2;

/** Old urls of a file, each with the page that it probably became: reviewed here, then saved as rules. */
export const redirectMapPage = projectPage({
  path: '/p/:project/redirects/map',
  title: 'Map old urls',
  show: async (visit) => {
    const { waiting, ...counts } = await countSheet(visit.tenant.db, visit.project.project_id);
    // A job that failed too often is not tried again by itself: when the page is shown, it queues the remaining rows.
    if (waiting > 0) await lookUp(visit);
    const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      ...(waiting > 0 && visit.problem === undefined && { refresh: REFRESH_SECONDS }),
      ...(waiting === 0 && done > 0 && { script: 'inbox.js' as const }),
      content: html`${redirectsNav(visit, '/map')}<p>For a site that has moved: upload its old urls, review where each one leads, and save them as rules.</p>${
        waiting > 0 ? await progress(visit, done, waiting) : done > 0 ? await sheet(visit, counts) : undefined
      }${visit.may('editor') ? uploadForm(visit, done + waiting) : done + waiting === 0 ? empty('No old urls yet.', 'Ask an editor of the project to upload them.') : undefined}`,
    };
  },
  actions: {
    upload: asEditor(upload, { maxUpload: MAX_FILE_BYTES }),
    decide: asEditor(decide, { maxBytes: 512_000 }),
    discard: asEditor(async (visit) => {
      const count = await discardSheet(visit.tenant);
      await recordChange(visit, 'sheet of old urls discarded', countOf(count, 'row'));
      return `${countOf(count, 'row')} ${wasOrWere(count)} discarded.`;
    }),
  },
});

const lookUp = ({ deps, project }: ProjectVisit): Promise<void> =>
  deps.queue.enqueueNow(mapSheet, [{ projectId: project.project_id }]);

async function progress(visit: ProjectVisit, done: number, waiting: number): Promise<Html> {
  const pages = await countWaitingPages(visit.tenant.db, visit.project.project_id);
  return html`<h2>Looking up old urls</h2><p role="status">${amount(done)} of ${countOf(done + waiting, 'old url')} looked up so far.${pages === 0 ? '' : ` ${countOf(pages, 'page')} of the site ${pages === 1 ? 'is' : 'are'} indexed first.`} This page reloads every ${REFRESH_SECONDS} seconds.</p>${visit.may('editor') && discardButton(visit)}`;
}

function uploadForm(visit: ProjectVisit, rows: number): Html {
  const post = form(visit, visit.ownPath('/redirects/map/upload'), 'form', 'multipart/form-data');
  return html`<h2>${rows === 0 ? 'Upload old urls' : 'Add more old urls'}</h2><p class="hint">A list with one path or url per line, a CSV with a column of urls (such as a crawler, search console or analytics export), a sitemap, or an access log. The columns title, content and clicks of a CSV improve results. Where a column has the status, 404 and 410 are used as well as 200; of an access log, only 404s are used.</p>${post`${field(visit, { name: 'file', label: 'File', type: 'file', hint: `At most ${MAX_FILE_BYTES / 1_000_000} MB, gzip allowed, and ${amount(MAX_SHEET)} rows in all. For larger files: node dist/cli.js redirects map`, attributes: { required: true } })}
<button class="button primary">Upload and look up</button>`}`;
}

async function upload(visit: ProjectVisit, fields: Form): Promise<string> {
  const { deps, project, tenant } = visit;
  const at = new Date(deps.clock.now());
  const file = fields.upload('file');
  const filled = await asFile(file, 'file', (path) =>
    threadTurns.run(project.project_id, () => fillSheet(tenant, readOldUrlsInThread(path), at)),
  );
  const rest = explainRest(filled);
  if (filled.added === 0)
    throw invalid('file', `No old urls were added. ${rest || 'The file has none, or all are listed already.'}`);
  await recordChange(visit, 'old urls brought to be mapped', `${file.name}: ${countOf(filled.added, 'row')}`);
  await lookUp(visit);
  return `${countOf(filled.added, 'old url')} added. ${rest}`;
}

function explainRest({ again, refused, refusals, full }: SheetFilled): string {
  const reasons = refusals.map(({ line, reason }) => `Line ${line}: ${reason.slice(0, 200)}.`).join(' ');
  const rest = full ? ` The limit of ${amount(MAX_SHEET)} rows is reached: the rest of the file was skipped.` : '';
  const known = again === 0 ? '' : `${amount(again)} ${wasOrWere(again)} listed already. `;
  return `${known}${refused === 0 ? '' : `${countOf(refused, 'line')} ${wasOrWere(refused)} refused. ${reasons}`}${rest}`;
}

async function decide(visit: ProjectVisit, fields: Form): Promise<string | Done> {
  const forAll = readDecision(fields.get('all'));
  const rows = [...fields.entries()].flatMap(([name, value]) => {
    const key = /^do:([0-9a-f]{64})$/.exec(name)?.[1];
    if (key === undefined) return [];
    // A typed target counts: the choice above it may be the proposed one.
    const target = (fields.get(`to:${key}`) ?? '').trim() || (fields.get(`pick:${key}`) ?? '');
    // Without a target there is nothing to redirect to.
    const decision = (forAll === 'accept' && target === '' ? undefined : forAll) ?? readDecision(value);
    if (!decision) throw invalid(name, 'Choose an action for the old url.');
    return [{ key, decision, target }];
  });
  if (rows.length > SHOWN)
    throw new ApiError('invalid_request', { message: `Submit at most ${SHOWN} rows at a time.` });
  const kept = rows.length === 0 ? 0 : await decideRows(visit.tenant, rows);
  if (fields.get('then') === 'save') return save(visit);
  const query = new URLSearchParams({ of: fields.get('of') ?? '', after: fields.get('last') ?? '' });
  const to = visit.ownPath(`/redirects/map?${query.toString()}`);
  return { to, text: `${countOf(kept, 'row')} kept. No rules are created until you save.` };
}

async function save(visit: ProjectVisit): Promise<string> {
  const { changed, unchanged, left } = await saveSheet(visit.deps, visit.project.project_id, actorOf(visit));
  const same = unchanged === 0 ? '' : ` ${countOf(unchanged, 'path')} already had that rule.`;
  const more = left === 0 ? '' : ` ${countOf(left, 'row')} left to save: save again.`;
  const made = `${countOf(changed, 'rule')} ${wasOrWere(changed)} created in one change, which you can undo in the history. For your web server, see Import and export.`;
  return made + same + more;
}
