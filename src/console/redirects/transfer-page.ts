import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalid, OperatorError } from '../../base/errors.js';
import { whyNothing, type RedirectReport } from '../../rules/import-export/redirect-report.js';
import { learnSectionMoves } from '../../rules/learn-moves-job.js';
import { REDIRECT_FORMATS, type RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import { EXPORT_FORMATS } from '../../rule-formats/write/formats.js';
import { exportRulesApart, readRulesApart } from '../../rules/import-export/rules-apart.js';
import { apartTurns } from '../../platform/work-apart.js';
import { importRules, saidOfImport } from '../../rules/import-export/import-redirects.js';
import { countOf, were } from '../../text/count-of.js';
import { html } from '../../text/html.js';
import { attribute, form, select } from '../shared/components.js';
import { projectPage, recordChange, type ProjectVisit, type View } from '../shared/console-page.js';
import { redirectsNav } from './redirects-page.js';

/** Longer files: `pathmend redirects import`. */
const MAX_CHARACTERS = 500_000;
const MAX_SAID = 3;

/** Redirects from a file's text, and as rules of web servers. */
export const redirectTransferPage = projectPage({
  path: '/p/:project/redirects/transfer',
  show: async (visit): Promise<View> => {
    const { project, query } = visit;
    const here = visit.own('/redirects/transfer');
    const format = EXPORT_FORMATS.find((one) => one === query.get('format'));
    const title = 'Import and export';
    if (format !== undefined) {
      const body = await apartTurns
        .run(project.project_id, () => exportRulesApart(visit.deps.tenants.addressOf(project.project_id), format))
        .catch((error: unknown) => refuse(error));
      const filename = `redirects-${format}.${format === 'json' || format === 'csv' ? format : 'txt'}`;
      return { title, content: html``, raw: { type: 'text/plain', body, filename } };
    }
    const of = (formats: readonly string[]): Record<string, string> =>
      Object.fromEntries(formats.map((one) => [one, one]));
    const wrong = visit.problem?.field === 'text' ? visit.problem.message : undefined;
    return {
      title,
      content: html`${redirectsNav(visit, '/transfer')}${
        visit.may('editor')
          ? html`<h2>Import</h2>${form(
              visit,
              `${here}/import`,
              html`<div class="field"><label for="text">The file's text</label><p class="hint" id="text-hint">Lines of <code>/old /new</code>, CSV, JSON lines, or rules of a web server. ${MAX_CHARACTERS.toLocaleString('en-US')} characters at most; longer files: <code>pathmend redirects import</code>.</p>${wrong === undefined ? undefined : html`<p class="problem" id="text-problem">${wrong}</p>`}<textarea id="text" name="text" rows="10" required spellcheck="false" aria-describedby="text-hint"${attribute('aria-invalid', wrong && 'true')}>${visit.given?.get('text') ?? ''}</textarea></div>
${select(visit, { name: 'format', label: 'Format', choices: { '': 'as it looks', ...of(REDIRECT_FORMATS) } })}
<button class="button primary">Import</button>`,
            )}`
          : undefined
      }<h2>Export</h2><form method="get" action="${visit.href(here)}" class="row">${select(visit, { name: 'format', label: 'As rules of', choices: of(EXPORT_FORMATS), of: 'export' })}<button class="button">Download</button></form>
<p class="quiet">What a format cannot have is left out; <code>pathmend redirects export</code> says what.</p>`,
    };
  },
  actions: {
    import: {
      role: 'editor',
      maxBytes: 2_000_000,
      run: async (visit, given) => {
        const text = given.text('text', MAX_CHARACTERS);
        const format = given.get('format') === '' ? undefined : given.choice('format', REDIRECT_FORMATS);
        const report = await importText(visit, text, format);
        await recordChange(visit, 'redirects imported', saidOfImport(report));
        return { to: visit.own('/redirects'), text: describe(report) };
      },
    },
  },
});

async function importText(
  { deps, project, tenant }: ProjectVisit,
  text: string,
  format: RedirectFormat | undefined,
): Promise<RedirectReport> {
  // The importer reads files, as the command line hands them to it.
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-'));
  try {
    const file = join(folder, 'redirects');
    await writeFile(file, text);
    const { db, clock } = deps;
    const report = await apartTurns
      .run(project.project_id, () =>
        importRules({ db, clock, read: readRulesApart }, project.project_id, file, () => undefined, format),
      )
      .catch((error: unknown) => refuse(error, file));
    if (report.bad.length > 0 && report.created + report.updated + report.unchanged + report.gone === 0)
      throw invalid('text', `No line could be read. ${said(report)}`);
    const nothing = whyNothing(report);
    if (nothing !== undefined) throw invalid('text', `The text ${nothing.replace(' (--format names it)', '')}.`);
    await learnSectionMoves(tenant);
    await deps.indexChanges.committedAndVisible(project.project_id);
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What an operator would be told is told to the user, without the path of the file. */
function refuse(error: unknown, file?: string): never {
  if (!(error instanceof OperatorError)) throw error;
  const { message } = error;
  throw invalid('text', file ? message.replaceAll(`${file}:`, 'Line ').replaceAll(file, 'The text') : message);
}

function describe(report: RedirectReport): string {
  const { created, updated, unchanged, gone, ignored, review, without_page, overwritten, bad } = report;
  const more = [
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
    ...(review > 0 ? [`${review} to review not stored`] : []),
    ...(overwritten.length > 0 ? [`${overwritten.length} overwritten by a later line of the same old path`] : []),
  ];
  const counts = `${[`${created} redirects new`, `${updated} changed`, `${unchanged} as before`, `${gone} gone`, ...more].join(', ')}.`;
  const waiting = without_page.length > 0 ? ` ${without_page.length} wait for their page.` : '';
  return `${counts}${waiting}${bad.length > 0 ? ` ${countOf(bad.length, 'line')} ${were(bad.length)} refused. ${said(report)}` : ''}`;
}

function said({ bad }: RedirectReport): string {
  return bad
    .slice(0, MAX_SAID)
    .map(({ line, reason }) => `Line ${line}: ${reason.slice(0, 200)}.`)
    .join(' ');
}
