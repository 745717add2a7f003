import { invalid, OperatorError } from '../../base/errors.js';
import type { ShortExport } from '../../rules/import-export/export-rules.js';
import { explainEmptyImport, type RedirectReport } from '../../rules/import-export/redirect-report.js';
import { learnSectionRedirects } from '../../rules/learn-redirects-job.js';
import { parseColumnNames } from '../../rule-formats/read/file-columns.js';
import { REDIRECT_FORMATS } from '../../rule-formats/read/redirect-file.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../rule-formats/write/formats.js';
import { exportRulesInThread, readRulesInThread } from '../../rules/import-export/rules-in-thread.js';
import { threadTurns } from '../../platform/run-in-thread.js';
import { importRules, summarizeImport } from '../../rules/import-export/import-redirects.js';
import { amount, countOf, wasOrWere } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { attribute, badge, field, form, select, table } from '../shared/components.js';
import { asEditor, projectPage, recordChange, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { asFile, type Upload } from '../shared/upload.js';
import { howToVerify, MEANINGS } from './check-page.js';
import { redirectsNav } from './redirects-page.js';

const MAX_CHARACTERS = 500_000;
/** The maximum size of an uploaded file. For a longer file, there is `pathmend redirects import`. */
const MAX_FILE_BYTES = 4_000_000;
const MAX_BAD_LINES = 3;
/** The byte of `#`: configuration files of servers begin with it. */
const COMMENT = 35;

/** Redirects from a file's text, and as rules of web servers. */
export const redirectTransferPage = projectPage({
  path: '/p/:project/redirects/transfer',
  title: 'Import and export',
  show: async (visit) => {
    const { query } = visit;
    const here = visit.ownPath('/redirects/transfer');
    const [format, shown] = ['format', 'show'].map((name) => EXPORT_FORMATS.find((known) => known === query.get(name)));
    if (format !== undefined) {
      const { text: body } = await exportAs(visit, format);
      const filename = `redirects-${format}.${format === 'json' || format === 'csv' ? format : 'txt'}`;
      return { content: html``, raw: { type: 'text/plain', body, filename } };
    }
    const wrong = visit.problem?.field === 'text' ? visit.problem.message : undefined;
    const upload = form(visit, `${here}/upload`, 'form', 'multipart/form-data');
    const paste = form(visit, `${here}/import`);
    return html`${redirectsNav(visit, '/transfer')}${
      visit.may('editor') &&
      html`<h2>Import</h2><p class="hint">Lines of <code>/old /new</code>, CSV, JSON lines, the redirect file of a host, or rules of a web server.</p>${upload`${formatFields(visit, 'upload')}${field(visit, { name: 'file', label: 'File', type: 'file', hint: `At most ${MAX_FILE_BYTES / 1_000_000} MB. For larger files: node dist/cli.js redirects import`, attributes: { required: true } })}
<button class="button primary">Import file</button>`}<details${wrong !== undefined && html` open`}><summary>Or paste text</summary>${paste`<div class="field"><label for="text">Redirects to import</label><p class="hint" id="text-hint">At most ${MAX_CHARACTERS.toLocaleString('en-US')} characters.</p>${wrong !== undefined && html`<p class="problem" id="text-problem">${wrong}</p>`}<textarea id="text" name="text" rows="10" required spellcheck="false" aria-describedby="text-hint"${attribute('aria-invalid', wrong && 'true')}>${visit.fields?.get('text') ?? ''}</textarea></div>
${formatFields(visit, 'import')}<button class="button">Import text</button>`}</details>`
    }<h2 id="export">Export</h2><form method="get" action="${visit.href(here)}#export" class="row">${select(visit, { name: 'show', label: 'Export format', value: shown, choices: choicesOf(EXPORT_FORMATS), of: 'export' })}<button class="button">Show the export</button></form>${shown && (await exported(visit, shown, await exportAs(visit, shown)))}`;
  },
  actions: {
    import: asEditor((visit, fields) => importFile(visit, fields, 'text', fields.text('text', MAX_CHARACTERS)), {
      maxBytes: 2_000_000,
    }),
    upload: asEditor((visit, fields) => importFile(visit, fields, 'file', fields.upload('file')), {
      maxUpload: MAX_FILE_BYTES,
    }),
  },
});

/** @throws ApiError invalid_request */
async function exportAs({ deps, project }: ProjectVisit, format: ExportFormat): Promise<ShortExport> {
  const address = deps.tenants.addressOf(project.project_id);
  return threadTurns
    .run(project.project_id, () => exportRulesInThread(address, format))
    .catch((error: unknown) => {
      throw error instanceof OperatorError ? invalid('format', error.message) : error;
    });
}

/** Shows what a server will do with the file, and what it will not do. */
async function exported(visit: ProjectVisit, format: ExportFormat, made: ShortExport): Promise<Html> {
  const { text, rules, stored, left, notes, remarks } = made;
  const rows = [
    ...left.map(({ path, reason: detail }) => ({ path, detail, isLeftOut: true, what: `does not fit ${format}` })),
    ...notes.map(({ path, detail, isLeftOut, kind }) => ({ path, detail, isLeftOut, what: MEANINGS[kind] })),
  ];
  const differences = table('What the file does not do', rows, undefined, {
    Path: ({ path }) => html`<span class="url">${path}</span>`,
    'In the file': ({ isLeftOut }) => badge(isLeftOut ? 'left out' : 'yes, but', isLeftOut ? 'bad' : 'waiting'),
    Why: ({ what, detail }) => html`${what}<span class="sub url">${detail}</span>`,
  });
  return html`<p>The file for ${format} has ${countOf(rules, 'rule')}${rules === stored ? '' : `, made from your ${amount(stored)}`}. <a class="button primary" href="${visit.ownHref(`/redirects/transfer?format=${format}`)}">Download</a></p>${
    rows.length === 0
      ? html`<p class="quiet">Nothing is left out or changed.</p>`
      : html`<p>What differs from your rules${remarks > rows.length && html`, the first ${rows.length} of ${amount(remarks)}`}:</p>${differences}`
  }<p class="quiet">${text[0] === COMMENT ? 'Its first line tells where it belongs. ' : ''}${await howToVerify(visit)}</p>`;
}

function choicesOf(formats: readonly string[]): Record<string, string> {
  return Object.fromEntries(formats.map((format) => [format, format]));
}

function formatFields(visit: ProjectVisit, action: string): Html {
  const choices = { '': 'Detect automatically', ...choicesOf(REDIRECT_FORMATS) };
  const hint = 'What columns with unknown names mean: deleted=disabled, remark=ignore';
  return html`${select(visit, { name: 'format', label: 'Format', choices, of: action })}${field(visit, { name: 'columns', label: 'Columns', hint, of: action })}`;
}

async function importFile(visit: ProjectVisit, fields: Form, name: 'text' | 'file', source: string | Upload) {
  const format = fields.get('format') === '' ? undefined : fields.choice('format', REDIRECT_FORMATS);
  const columns = parseColumnNames(fields.get('columns') ?? '');
  const { deps, project, tenant } = visit;
  const { db, clock } = deps;
  // The importer reads files, as the command line hands them to it, and knows some formats by their names.
  const sent = typeof source === 'string' ? { name: 'redirects', bytes: source } : source;
  const report = await asFile(sent, name, (file) =>
    threadTurns.run(project.project_id, () =>
      importRules({ db, clock, read: readRulesInThread }, project.project_id, file, () => undefined, format, columns),
    ),
  );
  if (report.bad.length > 0 && report.created + report.updated + report.unchanged + report.gone === 0)
    throw invalid(name, `No line could be read. ${describeBadLines(report)}`);
  const nothing = explainEmptyImport(report);
  if (nothing !== undefined) throw invalid(name, `The ${name} ${nothing.replace(' (--format names it)', '')}.`);
  await learnSectionRedirects(tenant);
  await deps.indexChanges.committedAndVisible(project.project_id);
  await recordChange(visit, 'redirects imported', summarizeImport(report));
  return { to: visit.ownPath('/redirects'), text: describe(report) };
}

function describe(report: RedirectReport): string {
  const { created, updated, unchanged, gone, ignored, review, without_page, overwritten, bad, not_read } = report;
  const more = [
    ...(ignored > 0 ? [`${amount(ignored)} ignored`] : []),
    ...(review > 0 ? [`${countOf(review, 'redirect')} not stored, to be reviewed`] : []),
    ...(overwritten.length > 0 ? [`${overwritten.length} overwritten by a later line for the same path`] : []),
  ];
  const counts = `${[countOf(created, 'new redirect'), `${updated} changed`, `${unchanged} unchanged`, `${gone} gone`, ...more].join(', ')}.`;
  const waiting =
    without_page.length > 0 ? ` ${countOf(without_page.length, 'redirect')} to pages that are not indexed yet.` : '';
  return `${counts}${waiting}${bad.length > 0 ? ` ${countOf(bad.length, 'line')} ${wasOrWere(bad.length)} refused. ${describeBadLines(report)}` : ''}${not_read.length > 0 ? ` Columns that are not read: ${not_read.join(', ').slice(0, 200)}.` : ''}`;
}

function describeBadLines({ bad }: RedirectReport): string {
  return bad
    .slice(0, MAX_BAD_LINES)
    .map(({ line, reason }) => `Line ${line}: ${reason.slice(0, 200)}.`)
    .join(' ');
}
