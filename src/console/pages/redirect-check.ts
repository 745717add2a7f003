import { invalid, OperatorError } from '../../errors.js';
import { compileRules } from '../../moves/redirect-rules/compile.js';
import type { LintNote } from '../../moves/redirect-rules/lint.js';
import { pageUrls, readRedirects } from '../../rules/known-redirects.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../amounts.js';
import { badge, empty, table } from '../components.js';
import { projectPage, type ProjectVisit, type View } from '../console-page.js';
import { redirectsNav } from '../redirects-nav.js';

const SHOWN = 200;
const MEANINGS: Readonly<Record<LintNote['kind'], string>> = {
  chain: 'leads to another redirect',
  loop: 'leads back to itself',
  'dead target': 'leads to no page',
  'live source': 'is a page itself',
  duplicate: 'is there twice',
  'no path': 'cannot be asked for',
  'shadows pages': 'hides pages',
};

/** What is wrong with the redirects of a project. */
export const redirectCheckPage = projectPage({
  path: '/p/:project/redirects/check',
  show: async (visit): Promise<View> => {
    const { tenant, project } = visit;
    const { known, wildcards } = await readRedirects(tenant.db, project.project_id).catch((error: unknown) => {
      throw error instanceof OperatorError ? invalid(undefined, error.message) : error;
    });
    const { notes } = await compileRules(known, wildcards, pageUrls(tenant.db, project.project_id), {
      literal: true,
      all: false,
    });
    const rows = notes.slice(0, SHOWN).map((note) => row(visit, note));
    return {
      title: 'Check of the redirects',
      content: html`${redirectsNav(visit, '/check')}${
        rows.length === 0
          ? empty(
              'No problem was found.',
              `${countOf(known.length + wildcards.length, 'redirect')} checked for chains, loops, dead targets and pages that they hide.`,
            )
          : html`<p>${countOf(notes.length, 'problem')} in ${countOf(known.length + wildcards.length, 'redirect')}.${notes.length > SHOWN ? ` The first ${SHOWN} are shown.` : ''}</p>${table('Problems of redirects', ['Path', 'Problem', 'Detail', ''], rows)}`
      }<p class="quiet">Whether your site itself redirects so, <code>pathmend redirects verify --project ${project.name} --site …</code> asks it.</p>`,
    };
  },
});

function row(visit: ProjectVisit, { kind, path, detail }: LintNote): Html[] {
  const find = new URLSearchParams({ search: path });
  return [
    html`<span class="url">${path}</span>`,
    badge(MEANINGS[kind], 'bad'),
    html`<span class="url">${detail}</span>`,
    html`<a href="${visit.href(`/p/${visit.project.project_id}/redirects?${find.toString()}`)}" aria-label="Show the rule of ${path}">Show</a>`,
  ];
}
