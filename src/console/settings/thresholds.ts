import { changeProject } from '../../projects/projects.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { invalid } from '../../base/errors.js';
import { parseSiteSearch, SITE_SEARCH_FORM } from '../../search/dead-urls/site-search.js';
import { thresholdProblem } from '../../search/ranking/scores/score.js';
import { html, type Html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { asAdmin, actorOf, type Action, type ProjectVisit } from '../shared/console-page.js';
import type { Form } from '../shared/forms.js';

/** From which scores on visitors are redirected, and shown a page. */
export function thresholdSection(visit: ProjectVisit): Html {
  const { project } = visit;
  const own = `/p/${project.project_id}`;
  const intro = html`<h2>Answers to missing pages</h2>
<p>Visitors are redirected if the best score is above <strong>${project.redirect_above}</strong>. The 404 page shows pages
with a score of <strong>${project.shown_from}</strong> or more. To test a threshold, use <a href="${visit.href(`${own}/try`)}">Try it</a>.
<a href="${visit.href(`${own}/analytics/searches`)}">Searches</a> shows how often visitors clicked.</p>`;
  if (!visit.may('admin')) return intro;
  const score = (name: string, label: string, hint: string, value: number, least: number): Html =>
    field(visit, {
      name,
      label,
      hint,
      type: 'number',
      value: String(value),
      attributes: { min: least, max: 1, step: 'any', required: true },
    });
  return html`${intro}${form(visit, `${own}/settings/thresholds`, 'form card')`${score(
    'redirect_above',
    'Redirect above',
    'For GET /v1/proxy and GET /v1/not-found, 0.5 to 1. At 1, only known redirects are used.',
    project.redirect_above,
    0.5,
  )}
${score('shown_from', 'Show from', 'For the 404 page of GET /v1/not-found, 0 to 1.', project.shown_from, 0)}
${field(visit, {
  name: 'site_search',
  label: 'Site search',
  hint: 'Address of your search page up to the query, such as /search?q=. The 404 page then has a search field. Empty: no field.',
  value: project.site_search ?? '',
  attributes: { maxlength: 2048 },
})}
<button class="button primary">Save</button>`}`;
}

export const setThresholds: Action<ProjectVisit> = asAdmin(async (visit, given) => {
  const { deps, project } = visit;
  const change = {
    redirect_above: readScore(given, 'redirect_above', 'redirectAbove'),
    shown_from: readScore(given, 'shown_from', 'shownFrom'),
    site_search: readSiteSearch(given),
  };
  await inTransaction(deps.db, (trx) => changeProject(trx, actorOf(visit), project, change));
  return 'Saved.';
});

function readSiteSearch(given: Form): string | null {
  const address = given.text('site_search', 2_048, 0);
  if (address !== '' && !parseSiteSearch(address)) throw invalid('site_search', SITE_SEARCH_FORM);
  return address === '' ? null : address;
}

function readScore(given: Form, name: string, which: Parameters<typeof thresholdProblem>[0]): number {
  const score = Number(given.text(name, 20));
  const problem = thresholdProblem(which, score);
  if (problem !== undefined) throw invalid(name, problem);
  return score;
}
