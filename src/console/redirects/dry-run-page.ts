import { tryRules, type Tried } from '../../rules/preview/try-rules.js';
import { html, type Html } from '../../text/html.js';
import { countOf } from '../../text/count-of.js';
import { percent } from '../shared/numbers.js';
import { badge, empty, select, table } from '../shared/components.js';
import { projectPage, type ProjectVisit, type View } from '../shared/console-page.js';
import { say } from '../inbox/decide.js';
import { redirectsNav } from './navigation.js';

const DAY_CHOICES = { '7': 'the last 7 days', '30': 'the last 30 days', '90': 'the last 90 days' };
const SHOWN = 50;

/** What the rules as they are now answer of the 404s that are stored. Changes nothing. */
export const redirectDryRunPage = projectPage({
  path: '/p/:project/redirects/dry-run',
  show: async (visit): Promise<View> => {
    const { deps, project, query, href } = visit;
    const days = query.get('days') ?? '';
    const asked = Object.hasOwn(DAY_CHOICES, days) ? days : '30';
    const tried = await tryRules(deps, project.project_id, { days: Number(asked) });
    return {
      title: 'Dry run',
      content: html`${redirectsNav(visit, '/dry-run')}
<form method="get" action="${href(`/p/${project.project_id}/redirects/dry-run`)}" class="row period">${select(visit, { name: 'days', label: '404s of', value: asked, choices: DAY_CHOICES })}<button class="button">Try the rules</button></form>
${tried.stored.requests === 0 ? empty('There is no 404 to try.', 'Choose more days, or wait for traffic.') : results(visit, tried)}`,
    };
  },
});

function results({ href, project }: ProjectVisit, { stored, answered, rules, rows }: Tried): Html {
  const search = (path: string): string =>
    href(`/p/${project.project_id}/redirects?${new URLSearchParams({ search: path }).toString()}`);
  return html`<p><strong>${percent(answered.requests, stored.requests)}</strong> of ${countOf(stored.requests, '404')} fall under a rule of today: ${countOf(answered.requests, 'request')} to ${answered.paths} of ${countOf(stored.paths, 'path')}.${stored.cut ? ' Only the most frequent paths were tried.' : ''} The others are answered by search.</p>${
    rules.length === 0
      ? undefined
      : html`<h2>By rule</h2>${table(
          'Rules that answer, by requests',
          ['Rule', 'Does', 'Paths', 'Requests'],
          rules
            .slice(0, SHOWN)
            .map(({ path, action, target, paths, requests }) => [
              html`<a class="url" href="${search(path)}">${path}</a>`,
              html`<span class="url">${say({ action, target })}</span>`,
              paths,
              requests,
            ]),
        )}<h2>By path</h2>${table(
          'Paths that are answered, by requests',
          ['Path', 'Requests', 'Leads to', 'Rule'],
          rows
            .slice(0, SHOWN)
            .map(({ path, requests, action, to, rule }) => [
              html`<span class="url">${path}</span>`,
              requests,
              to === null
                ? badge(action === 'ignore' ? 'ignored' : 'gone (410)', 'quiet')
                : html`<span class="url">${to}</span>`,
              html`<span class="url">${rule}</span>`,
            ]),
        )}${rows.length > SHOWN ? html`<p class="quiet">The first ${SHOWN} of ${rows.length}.</p>` : undefined}`
  }`;
}
