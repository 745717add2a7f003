import { ApiError, invalid } from '../../base/errors.js';
import { threadTurns } from '../../platform/run-in-thread.js';
import { readOldUrlsInThread } from '../../rules/import-export/rules-in-thread.js';
import {
  decideRows,
  discardSheet,
  fillSheet,
  MAX_SHEET,
  saveSheet,
  type SheetFilled,
} from '../../rules/proposals/redirect-sheet.js';
import { countSheet } from '../../rules/store/redirect-sheet.js';
import { mapSheet } from '../../search/map-sheet-job.js';
import { amount, countOf, wasOrWere } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { empty, field, form } from '../shared/components.js';
import { actorOf, projectPage, recordChange, type ProjectVisit, type View } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { asFile } from '../shared/upload.js';
import { discardButton, readDecision, sheet, SHOWN } from './map-sheet.js';
import { redirectsNav } from './redirects-page.js';

/** Longer ones: `pathmend redirects map`. */
const MAX_FILE_BYTES = 20_000_000;
const REFRESH_SECONDS = 2;

/** Old urls of a file, each with the page that it probably became: reviewed here, then saved as rules. */
export const redirectMapPage = projectPage({
  path: '/p/:project/redirects/map',
  show: async (visit): Promise<View> => {
    const { waiting, ...counts } = await countSheet(visit.tenant.db, visit.project.project_id);
    // A job that failed too often is not tried again by itself: whoever looks has the rest looked up.
    if (waiting > 0) await lookUp(visit);
    const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      title: 'Map old urls',
      ...(waiting > 0 && visit.problem === undefined && { refresh: REFRESH_SECONDS }),
      content: html`${redirectsNav(visit, '/map')}<p>For a site that has moved: bring the urls that it had, look at where each would lead, and save that as rules.</p>${
        waiting > 0 ? progress(visit, done, waiting) : done > 0 ? await sheet(visit, counts) : undefined
      }${visit.may('editor') ? uploadForm(visit, done + waiting) : done + waiting === 0 ? empty('There is no sheet of old urls.', 'An editor of the project can bring one.') : undefined}`,
    };
  },
  actions: {
    upload: { role: 'editor', maxUpload: MAX_FILE_BYTES, run: upload },
    decide: { role: 'editor', maxBytes: 512_000, run: decide },
    discard: {
      role: 'editor',
      run: async (visit) => {
        const count = await discardSheet(visit.tenant);
        await recordChange(visit, 'sheet of old urls discarded', countOf(count, 'row'));
        return { to: visit.own('/redirects/map'), text: `${countOf(count, 'row')} ${wasOrWere(count)} discarded.` };
      },
    },
  },
});

const lookUp = ({ deps, project }: ProjectVisit): Promise<void> =>
  deps.queue.enqueueNow(mapSheet, [{ projectId: project.project_id }]);

function progress(visit: ProjectVisit, done: number, waiting: number): Html {
  return html`<h2>Being looked up</h2><p role="status">${amount(done)} of ${countOf(done + waiting, 'old url')} ${wasOrWere(done)} looked up so far. This page asks again every ${REFRESH_SECONDS} seconds, and then shows them.</p>${
    visit.may('editor') ? discardButton(visit) : undefined
  }`;
}

function uploadForm(visit: ProjectVisit, rows: number): Html {
  return html`<h2>${rows === 0 ? 'Bring the old urls' : 'Add more old urls'}</h2><p class="hint">A list with one path or url in each line; a table (CSV) with a column of urls, such as the export of a crawler, a search console or analytics, whose columns title, content and clicks help; a sitemap; or an access log, whose 404s are taken.</p>${form(
    visit,
    visit.own('/redirects/map/upload'),
    html`${field(visit, { name: 'file', label: 'A file', type: 'file', hint: `${MAX_FILE_BYTES / 1_000_000} MB at most, also packed with gzip; a sheet has ${amount(MAX_SHEET)} rows at most. Larger ones: pathmend redirects map`, attributes: { required: true } })}
<button class="button primary">Look them up</button>`,
    'form',
    'multipart/form-data',
  )}`;
}

async function upload(visit: ProjectVisit, given: Form): Promise<{ to: string; text: string }> {
  const { deps, project, tenant } = visit;
  const at = new Date(deps.clock.now());
  const file = given.upload('file');
  const filled = await asFile(file, 'file', (path) =>
    threadTurns.run(project.project_id, () => fillSheet(tenant, readOldUrlsInThread(path), at)),
  );
  if (filled.added === 0)
    throw invalid('file', `No old url was added. ${said(filled) || 'The file has none, or they are in the sheet.'}`);
  await recordChange(visit, 'old urls brought to be mapped', `${file.name}: ${countOf(filled.added, 'row')}`);
  await lookUp(visit);
  return { to: visit.own('/redirects/map'), text: `${countOf(filled.added, 'old url')} added. ${said(filled)}` };
}

function said({ again, refused, refusals, full }: SheetFilled): string {
  const reasons = refusals.map(({ line, reason }) => `Line ${line}: ${reason.slice(0, 200)}.`).join(' ');
  const rest = full ? ` The sheet is full with ${amount(MAX_SHEET)} rows: the rest of the file was left out.` : '';
  const known = again === 0 ? '' : `${amount(again)} ${again === 1 ? 'is' : 'are'} there already. `;
  return `${known}${refused === 0 ? '' : `${countOf(refused, 'line')} ${wasOrWere(refused)} refused. ${reasons}`}${rest}`;
}

async function decide(visit: ProjectVisit, given: Form): Promise<{ to: string; text: string }> {
  const rows = [...given.entries()].flatMap(([name, value]) => {
    const key = /^do:([0-9a-f]{64})$/.exec(name)?.[1];
    if (key === undefined) return [];
    const decision = readDecision(value);
    if (!decision) throw invalid(name, 'Choose what becomes of the old url.');
    return [{ key, decision, target: (given.get(`to:${key}`) ?? '').trim() }];
  });
  if (rows.length > SHOWN) throw new ApiError('invalid_request', { message: `A page has ${SHOWN} rows at most.` });
  const kept = rows.length === 0 ? 0 : await decideRows(visit.tenant, rows);
  if (given.get('then') === 'save') return save(visit);
  const query = new URLSearchParams({ of: given.get('of') ?? '', after: given.get('last') ?? '' });
  const to = visit.own(`/redirects/map?${query.toString()}`);
  return { to, text: `${countOf(kept, 'row')} kept. No rule is made until you save.` };
}

async function save(visit: ProjectVisit): Promise<{ to: string; text: string }> {
  const { changed, unchanged, left } = await saveSheet(visit.deps, visit.project.project_id, actorOf(visit));
  const same = unchanged === 0 ? '' : ` ${countOf(unchanged, 'path')} had that rule already.`;
  const more = left === 0 ? '' : ` ${countOf(left, 'row')} more to save: do so again.`;
  const made = `${countOf(changed, 'rule')} ${wasOrWere(changed)} made, in one change that the history can undo.`;
  return { to: visit.own('/redirects/map'), text: made + same + more };
}
