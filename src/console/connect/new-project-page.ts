import { makeProject } from '../../projects/projects.js';
import { DEFAULT_PLAN, ratesOf } from '../../projects/plans.js';
import { invalid } from '../../base/errors.js';
import { html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { asAdmin, actorOf, userPage } from '../shared/console-page.js';
import { queuePreview, UNSCHEDULED, MAX_URL, readAddress } from './source.js';

const MAX_NAME = 200;

/** A project is made, and what its site has is looked at. */
export const newProjectPage = userPage({
  path: '/new',
  title: 'New project',
  role: 'admin',
  show: (visit) =>
    html`<p>A project is one site: its pages, its rules and its missing paths. Enter the address to preview the pages that pathmend finds. No pages are stored until you confirm.</p>${form(
      visit,
      '/new/make',
    )`${field(visit, { name: 'source', label: 'Site address', hint: 'For example https://www.example.com. Leave empty to upload a file of pages instead.', attributes: { maxlength: MAX_URL, autofocus: true } })}
${field(visit, { name: 'name', label: 'Project name', hint: 'Leave empty to use the host name of the site.', attributes: { maxlength: MAX_NAME } })}
<button class="button primary">Create project</button>`}`,
  actions: {
    make: asAdmin(async (visit, given) => {
      const { db } = visit.deps;
      const source = readAddress(given.text('source', MAX_URL, 0));
      const name = given.text('name', MAX_NAME, 0) || (source?.host ?? '');
      if (name === '') throw invalid('name', 'Enter a site address or a project name.');
      const plan = { plan: DEFAULT_PLAN, ...ratesOf(DEFAULT_PLAN, {}) };
      const project = await makeProject(db, actorOf(visit), { name, ...plan });
      const own = `/p/${project.project_id}`;
      if (!source) return { to: `${own}/connect`, text: 'Project created. Choose where its pages come from.' };
      return queuePreview(visit, project.project_id, { ...UNSCHEDULED, kind: 'url', source: source.href });
    }),
  },
});
