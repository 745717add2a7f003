import { changeProject } from '../../projects/projects.js';
import { AUTO, OWN_MODELS } from '../../embedding/locate-model.js';
import { changeModel } from '../../pages/indexing/change-model-job.js';
import { checkLanguages, ENGLISH_MODEL_WARNING, readModelState, reasonOf } from '../../pages/indexing/model-state.js';
import type { LanguageCount } from '../../pages/store/model-choices.js';
import { chooseModel } from '../../pages/indexing/choose-model.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { bar, facts, form, select } from '../shared/components.js';
import { asAdmin, actorOf, type Action, type ProjectVisit } from '../shared/console-page.js';
import { percent } from '../shared/numbers.js';

const CHOICES = {
  '': 'As set by the operator',
  [AUTO]: 'Choose by the languages of the pages',
  english: 'English: small and good',
  multilingual: 'Multilingual: a hundred languages, twice the computing time',
  static: 'Static: smallest and fastest, compares single words',
};

/** Shows the model that answers, why it was chosen, and how far a change to another model is. */
export async function modelSection(visit: ProjectVisit): Promise<Html> {
  const { deps, project, tenant } = visit;
  const state = await readModelState(deps.db, project.project_id);
  if (!state) return html``;
  const { answers, wanted, change } = state;
  const now = await checkLanguages(tenant.db, project.project_id, wanted);
  const { pages_done: done = 0, pages = 0 } = change ?? {};
  const share = pages === 0 ? 1 : done / pages;
  const rows = facts({
    'Current model': answers ?? 'none yet: no page is indexed',
    'Selected model': `${wanted ?? 'none yet'}: ${reasonOf(state, languagesInWords)}`,
    'Languages now': now.count.pages > 0 && languagesInWords(now.count),
    'Changing to': change?.to,
    'Pages done': change !== null && html`${amount(done)} of ${amount(pages)} (${percent(done, pages)}) ${bar(share)}`,
  });
  const choices: Record<string, string> = { ...CHOICES };
  const { choice } = state;
  if (choice !== null) choices[choice] ??= choice;
  const post = form(visit, visit.ownPath('/settings/model'), 'form card');
  const list = select(visit, {
    name: 'model',
    label: 'Model of this project',
    hint: 'A change embeds all pages again. Until then, searches use the old model.',
    value: choice ?? '',
    choices,
  });
  return html`<h2>Model</h2>${rows}${!now.fits && html`<p class="notice">${ENGLISH_MODEL_WARNING}</p>`}${
    change !== null &&
    html`<p class="hint">The old model answers until all pages are done. To stop the change, choose the old model again.</p>`
  }${visit.may('admin') && post`${list}<button class="button">Change model</button>`}`;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** Describes languages: `97% of 120 pages in English and 3% in German; 20 pages declare their language`. */
function languagesInWords({ languages, pages, declared }: LanguageCount): string {
  const shares = Object.entries(languages)
    .slice(0, 5)
    .map(([language, share], at) => {
      // A page may declare a text that is not the code of a language.
      const name = /^[a-z]{2,3}$/.test(language) ? NAMES.of(language) : language;
      return `${percent(share)}${at === 0 ? ` of ${countOf(pages, 'page')}` : ''} in ${name ?? language}`;
    });
  const listed = new Intl.ListFormat('en').format(shares) || `no known language in ${countOf(pages, 'page')}`;
  return `${listed}; ${countOf(declared, 'page')} ${declared === 1 ? 'declares its' : 'declare their'} language`;
}

export const setModel: Action<ProjectVisit> = asAdmin(async (visit, fields) => {
  const { deps, project } = visit;
  const current = project.model_choice === null ? [] : [project.model_choice];
  const model = fields.choice('model', ['', AUTO, ...Object.keys(OWN_MODELS), ...current]);
  const change = chooseModel(model === '' ? null : model);
  await inTransaction(deps.db, (trx) => changeProject(trx, actorOf(visit), project, change));
  await deps.queue.enqueueNow(changeModel, [{ projectId: project.project_id }]);
  return 'Saved. If the model changed, pages are embedded again.';
});
