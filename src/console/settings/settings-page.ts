import { selectUsage } from '../../events/store/history-days.js';
import { describeRate } from '../../projects/plans.js';
import { changeProject } from '../../projects/projects.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { reindexAll } from '../../pages/indexing/reindex.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { button, facts } from '../shared/components.js';
import { asAdmin, actorOf, projectPage, type ProjectVisit } from '../shared/console-page.js';
import { KEY_ACTIONS, keySection } from './keys.js';
import { MEMBER_ACTIONS, memberSection } from './members.js';
import { setThresholds, thresholdSection } from './thresholds.js';
import { modelSection, setModel } from './model.js';

const USAGE_DAYS = 30;

/** Keys, members, plan and switches of a project. */
export const settingsPage = projectPage({
  path: '/p/:project/settings',
  nav: 'Settings',
  show: async (visit) =>
    html`${await planSection(visit)}${await modelSection(visit)}${thresholdSection(visit)}${titleSection(visit)}${
      visit.may('admin')
        ? html`${await keySection(visit)}${await memberSection(visit)}`
        : html`<p class="hint">Only admins of the project see keys and members.</p>`
    }`,
  actions: {
    ...KEY_ACTIONS,
    ...MEMBER_ACTIONS,
    thresholds: setThresholds,
    model: setModel,
    'title-evidence': asAdmin(async (visit, form) => {
      const { deps, project } = visit;
      const on = form.choice('title_evidence', ['on', 'off']) === 'on';
      const queued = await inTransaction(deps.db, async (trx) => {
        await changeProject(trx, actorOf(visit), project, { title_evidence: on });
        return on === project.title_evidence ? 0 : await reindexAll(trx, deps.queue, project.project_id);
      });
      return `Titles are ${on ? 'searched' : 'not searched'}. ${countOf(queued, 'page')} ${queued === 1 ? 'is' : 'are'} indexed again.`;
    }),
  },
});

async function planSection({ deps, project, ownHref }: ProjectVisit): Promise<Html> {
  const usage = await selectUsage(deps.db, project.project_id, USAGE_DAYS);
  const total = (what: 'searches' | 'events'): Html =>
    html`<a href="${ownHref(`/analytics/usage?days=${USAGE_DAYS}#usage`)}">${amount(usage.reduce((sum, day) => sum + day[what], 0))}</a>`;
  return html`<h2>Plan and usage</h2><p class="explained">Reads and writes are the requests that keys of the project may make. Events are 404s and clicks; a number leads to its days.</p>
${facts({
  Plan: project.plan ?? 'none',
  Access: project.access,
  Reads: describeRate(project.read_rate, project.read_burst),
  Writes: describeRate(project.write_rate, project.write_burst),
  [`Searches in ${USAGE_DAYS} days`]: total('searches'),
  [`Events in ${USAGE_DAYS} days`]: total('events'),
  Id: html`<code>${project.project_id}</code>`,
})}`;
}

function titleSection(visit: ProjectVisit): Html {
  const { project } = visit;
  const on = project.title_evidence;
  return html`<h2>Titles</h2>
<p>Titles are ${on ? 'searched with the content' : 'not searched, only the content is'}.</p>${
    visit.may('admin')
      ? html`<p class="hint">Changing this indexes all pages again. Searches keep working.</p>${button(
          visit,
          `/p/${project.project_id}/settings/title-evidence`,
          on ? 'Search content only' : 'Search titles too',
          { fields: { title_evidence: on ? 'off' : 'on' }, confirm: 'Index all pages again?' },
        )}`
      : undefined
  }`;
}
