import { invalid } from '../../base/errors.js';
import { deleteWholeProject, describeLoss } from '../../operations/delete-project.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { changeProject } from '../../projects/projects.js';
import { html, type Html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { actorOf, asAdmin, type Action, type ProjectVisit } from '../shared/console-page.js';

const MAX_NAME = 200;

/** Renames or deletes the project. */
export async function wholeProjectSection(visit: ProjectVisit): Promise<Html> {
  const { deps, project } = visit;
  const lost = await describeLoss(deps.db, project.project_id);
  const isRefused = visit.problem?.field === 'typed';
  const rename = form(visit, visit.ownPath('/settings/rename'), 'form card');
  const remove = form(visit, visit.ownPath('/settings/delete'), 'form card');
  return html`<h2 id="project">Rename or delete</h2>
${rename`${field(visit, { name: 'name', label: 'Project name', hint: 'Commands and links that use the old name end. Keys stay valid.', value: project.name, of: 'rename', attributes: { required: true, maxlength: MAX_NAME } })}
<button class="button">Rename</button>`}<details${isRefused && html` open`}><summary>Delete this project</summary>${remove`<p>This deletes ${lost}, for all members. Your site's requests are refused from then on. <strong>It cannot be undone.</strong></p>
${field(visit, { name: 'typed', label: `To delete it, type its name: ${project.name}`, autocomplete: 'off', attributes: { required: true, maxlength: MAX_NAME } })}
<button class="button danger">Delete the project</button>`}</details>`;
}

export const WHOLE_PROJECT_ACTIONS: Readonly<Record<string, Action<ProjectVisit>>> = {
  rename: asAdmin(async (visit, fields) => {
    const name = fields.text('name', MAX_NAME);
    await inTransaction(visit.deps.db, (trx) => changeProject(trx, actorOf(visit), visit.project, { name }));
    return `The project is called ${name} now.`;
  }),
  delete: asAdmin(async (visit, fields) => {
    const { name } = visit.project;
    if (fields.text('typed', MAX_NAME) !== name.trim()) throw invalid('typed', `Type the name as it stands: ${name}`);
    await deleteWholeProject(visit.deps.db, actorOf(visit), visit.project);
    return { to: '/', text: `The project ${name} was deleted.` };
  }),
};
