import { query } from '../../platform/database/sql.js';
import { invalid } from '../../base/errors.js';
import { lastDays } from '../../analytics/range.js';
import { selectUsage } from '../../analytics/store/searches.js';
import { deleteWholeProject, describeLoss } from '../../operations/delete-project.js';
import { reindexAll } from '../../pages/maintain-pages.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { describeRate } from '../../projects/plans.js';
import type { ProjectChange } from '../../projects/store/projects.js';
import { changeProject } from '../../projects/projects.js';
import { parseSiteSearch, SITE_SEARCH_FORM } from '../../search/dead-urls/site-search.js';
import { thresholdProblem } from '../../search/ranking/scores/score.js';
import { amount, countOf } from '../../text/count-of.js';
import { html, type Html } from '../../text/html.js';
import { button, facts, field, form } from '../shared/components.js';
import { actorOf, asAdmin, projectPage, type Done, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';
import { KEY_ACTIONS, keySection } from './keys.js';
import { MEMBER_ACTIONS, memberSection } from './members.js';
import { modelSection, setModel } from './model.js';

const USAGE_DAYS = 30;
const MAX_NAME = 200;

/** Keys, members, plan and switches of a project. */
export const settingsPage = projectPage({
  path: '/p/:project/settings',
  nav: 'Settings',
  show: async (visit) =>
    html`${await planSection(visit)}${await modelSection(visit)}${thresholdSection(visit)}${trialSection(visit)}${titleSection(visit)}${
      visit.may('admin')
        ? html`${await keySection(visit)}${await memberSection(visit)}${await wholeProjectSection(visit)}`
        : html`<p class="hint">Only admins of the project see keys and members.</p>`
    }`,
  actions: {
    ...KEY_ACTIONS,
    ...MEMBER_ACTIONS,
    rename: asAdmin(rename),
    delete: asAdmin(remove),
    thresholds: asAdmin(setThresholds),
    trial: asAdmin(setTrial),
    model: setModel,
    'title-evidence': asAdmin(async (visit, fields) => {
      const { deps, project } = visit;
      const on = fields.choice('title_evidence', ['on', 'off']) === 'on';
      const queued = await inTransaction(deps.db, async (trx) => {
        await changeProject(trx, actorOf(visit), project, { title_evidence: on });
        return on === project.title_evidence ? 0 : await reindexAll(trx, deps.queue, project.project_id);
      });
      return `Titles are ${on ? 'searched' : 'not searched'}. ${countOf(queued, 'page')} ${queued === 1 ? 'is' : 'are'} indexed again.`;
    }),
  },
});

const PLANS_MEAN: Readonly<Record<string, string>> = {
  enterprise: 'Requests have no limit but those below.',
  none: 'Requests are refused.',
};

async function planSection({ deps, tenant, project, ownHref }: ProjectVisit): Promise<Html> {
  const days = lastDays(deps.clock.now(), USAGE_DAYS);
  const usage = await query(selectUsage(tenant, { from: days[0] ?? '', to: days.at(-1) ?? '' })).rows(tenant.db);
  const total = (what: 'searches' | 'events'): Html =>
    html`<a href="${ownHref(`/analytics/usage?days=${USAGE_DAYS}#usage`)}">${amount(usage.reduce((sum, day) => sum + day[what], 0))}</a>`;
  return html`<h2>Plan and usage</h2><p class="explained">Reads and writes are the requests that keys of the project may make. Events are 404s and clicks; click a number to see its days.</p>
${facts({
  Plan: html`${project.plan ?? 'none'}<span class="sub">${PLANS_MEAN[project.plan ?? 'none'] ?? 'It limits the requests of keys, as reads and writes below say.'}</span>`,
  Access: html`${project.access}<span class="sub">${project.access === 'open' ? 'Valid keys are answered.' : 'Every request is answered with 403.'}</span>`,
  Reads: describeRate(project.read_rate, project.read_burst),
  Writes: describeRate(project.write_rate, project.write_burst),
  [`Searches in ${USAGE_DAYS} days`]: total('searches'),
  [`Events in ${USAGE_DAYS} days`]: total('events'),
  Id: html`<code>${project.project_id}</code>`,
})}`;
}

function titleSection(visit: ProjectVisit): Html {
  const on = visit.project.title_evidence;
  const options = { fields: { title_evidence: on ? 'off' : 'on' }, confirm: 'Index all pages again?' };
  const text = on ? 'Stop searching titles' : 'Search titles too';
  const toggle = button(visit, visit.ownPath('/settings/title-evidence'), text, options);
  return html`<h2>Titles</h2>
<p>Titles are ${on ? 'searched with the content' : 'not searched, only the content is'}.</p>${
    visit.may('admin') &&
    html`<p class="hint">Changing this indexes all pages again. Searches keep working.</p>${toggle}`
  }`;
}

/** Shows from which scores on visitors are redirected, and from which they are shown a page. */
function thresholdSection(visit: ProjectVisit): Html {
  const { project, ownHref } = visit;
  const intro = html`<h2>Answers to missing pages</h2>
<p>Visitors are redirected if the best score is above <strong>${project.redirect_above}</strong>. The 404 page shows pages
with a score of <strong>${project.shown_from}</strong> or more. To test a threshold, use <a href="${ownHref('/try')}">Try it</a>.
<a href="${ownHref('/analytics/searches')}">Searches</a> shows how often visitors clicked.</p>`;
  if (!visit.may('admin')) return intro;
  const score = (name: 'redirect_above' | 'shown_from', label: string, hint: string, least: number): Html => {
    const attributes = { min: least, max: 1, step: 'any', required: true };
    return field(visit, { name, label, hint, type: 'number', value: String(project[name]), attributes });
  };
  const post = form(visit, visit.ownPath('/settings/thresholds'), 'form card');
  return html`${intro}${post`${score('redirect_above', 'Redirect above', 'For GET /v1/proxy and GET /v1/not-found, 0.5 to 1. At 1, only known redirects are used.', 0.5)}
${score('shown_from', 'Show from', 'For the 404 page of GET /v1/not-found, 0 to 1.', 0)}
${field(visit, { name: 'site_search', label: 'Site search', hint: 'Address of your search page up to the query, such as /search?q=. The 404 page then has a search field. Empty: pathmend has a field of its own there if your server has the lines for it, see Connect.', value: project.site_search ?? '', attributes: { maxlength: 2048 } })}
<button class="button primary">Save</button>`}`;
}

/** Shows whether guesses redirect, with a button that changes it. */
function trialSection(visit: ProjectVisit): Html {
  const { project, ownHref, ownPath } = visit;
  const on = project.trial;
  const fields = { trial: on ? 'off' : 'on' };
  const toggle = button(visit, ownPath('/settings/trial'), on ? 'End the trial' : 'Start a trial', { fields });
  return html`<h2>Trial</h2>
<p>${on ? html`The site is in trial: <strong>no guess redirects</strong>, only your rules do.` : 'Guesses redirect if their score is above the threshold.'}
<a href="${ownHref('/inbox/judge')}">Judge a sample</a> of them.</p>${visit.may('admin') && toggle}`;
}

async function setTrial(visit: ProjectVisit, fields: Form): Promise<string> {
  const trial = fields.choice('trial', ['on', 'off']);
  await change(visit, { trial: trial === 'on' });
  return `The trial is ${trial}.`;
}

/** Changes the project. Resolves when every process answers with the new settings. */
async function change(visit: ProjectVisit, fields: ProjectChange): Promise<void> {
  const { deps, project } = visit;
  await inTransaction(deps.db, (trx) => changeProject(trx, actorOf(visit), project, fields));
  await deps.indexChanges.committedAndVisible(project.project_id);
}

async function setThresholds(visit: ProjectVisit, fields: Form): Promise<string> {
  await change(visit, {
    redirect_above: readScore(fields, 'redirect_above', 'redirectAbove'),
    shown_from: readScore(fields, 'shown_from', 'shownFrom'),
    site_search: readSiteSearch(fields),
  });
  return 'Saved.';
}

function readSiteSearch(fields: Form): string | null {
  const address = fields.text('site_search', 2_048, 0);
  if (address !== '' && !parseSiteSearch(address)) throw invalid('site_search', SITE_SEARCH_FORM);
  return address === '' ? null : address;
}

function readScore(fields: Form, name: string, which: Parameters<typeof thresholdProblem>[0]): number {
  const score = Number(fields.text(name, 20));
  const problem = thresholdProblem(which, score);
  if (problem !== undefined) throw invalid(name, problem);
  return score;
}

/** Renames or deletes the project. */
async function wholeProjectSection(visit: ProjectVisit): Promise<Html> {
  const { deps, project } = visit;
  const lost = await describeLoss(deps.db, project.project_id);
  const isRefused = visit.problem?.field === 'typed';
  const renaming = form(visit, visit.ownPath('/settings/rename'), 'form card');
  const deleting = form(visit, visit.ownPath('/settings/delete'), 'form card');
  return html`<h2 id="project">Rename or delete</h2>
${renaming`${field(visit, { name: 'name', label: 'Project name', hint: 'Commands and links that use the old name end. Keys stay valid.', value: project.name, of: 'rename', attributes: { required: true, maxlength: MAX_NAME } })}
<button class="button">Rename</button>`}<details${isRefused && html` open`}><summary>Delete this project</summary>${deleting`<p>This deletes ${lost}, for all members. Your site's requests are refused from then on. <strong>It cannot be undone.</strong></p>
${field(visit, { name: 'typed', label: `To delete it, type its name: ${project.name}`, autocomplete: 'off', attributes: { required: true, maxlength: MAX_NAME } })}
<button class="button danger">Delete the project</button>`}</details>`;
}

async function rename(visit: ProjectVisit, fields: Form): Promise<string> {
  const name = fields.text('name', MAX_NAME);
  await inTransaction(visit.deps.db, (trx) => changeProject(trx, actorOf(visit), visit.project, { name }));
  return `The project is called ${name} now.`;
}

async function remove(visit: ProjectVisit, fields: Form): Promise<Done> {
  const { name } = visit.project;
  if (fields.text('typed', MAX_NAME) !== name.trim()) throw invalid('typed', `Type the name as it stands: ${name}`);
  await deleteWholeProject(visit.deps.db, actorOf(visit), visit.project);
  return { to: '/', text: `The project ${name} was deleted.` };
}
