import { countPagesOfModel, findModel, findWantedModel, readAnsweringModel } from '../../pages/store/models.js';
import { countPagesByStatus } from '../../pages/store/page-counts.js';
import { html, type Html } from '../../text/html.js';
import { amount, percent } from '../shared/numbers.js';
import { bar, facts } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';

/** The model that answers, and how far a change to another one is. Counting is left to the time of a change. */
export async function modelSection({ deps, project, tenant }: ProjectVisit): Promise<Html> {
  const { project_id: id } = project;
  const [answering, wanted] = await Promise.all([readAnsweringModel(deps.db, id), findWantedModel(deps.db)]);
  const name = async (model: number): Promise<string> => (await findModel(deps.db, model))?.name ?? 'unknown';
  if (answering === null) return html`<h2>Model</h2><p class="quiet">None yet: no page is indexed.</p>`;
  if (wanted === undefined || wanted === answering)
    return html`<h2>Model</h2>${facts([['Answers with', await name(answering)]])}`;
  const [done, { INDEXED: all }] = await Promise.all([
    countPagesOfModel(deps.db, id, wanted),
    countPagesByStatus(tenant.db, id),
  ]);
  return html`<h2>Model</h2>${facts([
    ['Answers with', await name(answering)],
    ['Changes to', await name(wanted)],
    [
      'Pages done',
      html`${amount(done)} of ${amount(all)} (${percent(Math.min(done, all), all)}) ${bar(all === 0 ? 1 : done / all)}`,
    ],
  ])}<p class="hint">The old model answers until all pages are done. The setting EMBEDDING_MODEL of the workers says which one is next.</p>`;
}
