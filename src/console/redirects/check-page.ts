import type { LintNote } from '../../rule-formats/lint-redirects.js';
import { CHECKED_RULES, checkRules, SAMPLED_PAGES } from '../../rules/preview/check-rules.js';
import { html, type Html } from '../../text/html.js';
import { amount, countOf } from '../../text/count-of.js';
import { badge, empty, table } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { redirectsNav } from './navigation.js';

const SHOWN = 200;
const MAX_PATH = 4_096;
const MEANINGS: Readonly<Record<LintNote['kind'], string>> = {
  chain: 'leads to another redirect',
  loop: 'leads back to itself',
  'dead target': 'leads to no page',
  'live source': 'is a page itself',
  duplicate: 'is there twice',
  'no path': 'cannot be asked for',
  'shadows pages': 'hides pages',
};

/** What is wrong with the redirects of a project, a part at a time. */
export const redirectCheckPage = projectPage({
  path: '/p/:project/redirects/check',
  show: async (visit): Promise<View> => {
    const { tenant, project, query } = visit;
    const after = query.get('after')?.slice(0, MAX_PATH);
    const { notes, rules, next } = await checkRules(tenant, after);
    const rows = notes.slice(0, SHOWN).map((note) => row(visit, note));
    const checked = countOf(rules, 'rule');
    const isPart = after !== undefined || next !== undefined;
    return {
      title: 'Check of the redirects',
      content: html`${redirectsNav(visit, '/check')}${
        isPart
          ? html`<p class="explained">By path, ${CHECKED_RULES} rules at a time${after === undefined ? undefined : html`: those behind <span class="url">${after}</span>`}. <code>pathmend redirects export --project ${project.name} --format json</code> checks all of them at once, and says on stderr what it finds.</p>`
          : undefined
      }${
        rows.length === 0
          ? empty(
              'No problem was found.',
              `${checked} checked for chains, loops, dead targets and pages that they hide.`,
            )
          : html`<p>${countOf(notes.length, 'problem')} in ${checked}.${notes.length > SHOWN ? ` The first ${SHOWN} are shown.` : ''}</p>${table('Problems of redirects', ['Path', 'Problem', 'Detail', ''], rows)}`
      }${next === undefined ? undefined : html`<p class="pager"><a class="button" href="${visit.href(`/p/${project.project_id}/redirects/check?${new URLSearchParams({ after: next }).toString()}`)}">Check the next ${CHECKED_RULES}</a></p>`}<p class="quiet">Pages that a wildcard hides are looked for among ${amount(SAMPLED_PAGES)} pages. Whether your site itself redirects so, <code>pathmend redirects verify --project ${project.name} --site …</code> asks it.</p>`,
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
