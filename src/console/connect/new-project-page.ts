import { makeProject } from '../../projects/projects.js';
import { DEFAULT_PLAN, ratesOf } from '../../projects/plans.js';
import { invalid } from '../../base/errors.js';
import { html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { actorOf, userPage } from '../shared/console-page.js';
import { queuePreview, UNSCHEDULED, MAX_URL, readAddress } from './source.js';

const MAX_NAME = 200;

/** A project is made, and what its site has is looked at. */
export const newProjectPage = userPage({
  path: '/new',
  role: 'admin',
  show: (visit) => ({
    title: 'New project',
    content: html`<p>A project is one site: its pages, its rules, and what its visitors miss. Name the site, and see which of its pages pathmend finds; nothing is stored of them before you say so.</p>${form(
      visit,
      '/new/make',
      html`${field(visit, { name: 'source', label: 'Address of the site', hint: 'Such as https://www.example.com. Leave it empty to upload a file with the pages.', attributes: { maxlength: MAX_URL, autofocus: true } })}
${field(visit, { name: 'name', label: 'Name of the project', hint: 'The host of the site, where you leave it empty.', attributes: { maxlength: MAX_NAME } })}
<button class="button primary">Make the project</button>`,
    )}`,
  }),
  actions: {
    make: {
      role: 'admin',
      run: async (visit, given) => {
        const { db } = visit.deps;
        const source = readAddress(given.text('source', MAX_URL, 0));
        const name = given.text('name', MAX_NAME, 0) || (source?.host ?? '');
        if (name === '') throw invalid('name', 'Give the address of a site, or a name.');
        const plan = { plan: DEFAULT_PLAN, ...ratesOf(DEFAULT_PLAN, {}) };
        const project = await makeProject(db, actorOf(visit), { name, ...plan });
        const own = `/p/${project.project_id}`;
        if (!source) return { to: `${own}/connect`, text: 'The project is made. Say where its pages come from.' };
        return queuePreview(visit, project.project_id, { ...UNSCHEDULED, kind: 'url', source: source.href });
      },
    },
  },
});
