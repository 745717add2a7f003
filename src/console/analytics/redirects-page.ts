import { selectWithoutHits, selectWorthAdding, type WorthAdding } from '../../analytics/store/redirects.js';
import { amount } from '../../text/count-of.js';
import { html } from '../../text/html.js';
import { analyticsPage } from './analytics-page.js';
import { answeredWith, report } from './report.js';

/** Which redirects would help, and which do not. */
export const analyticsRedirectsPage = analyticsPage(
  '/redirects',
  [
    report({
      id: 'redirects-worth-adding',
      title: 'Redirects worth adding',
      about:
        'Paths without a rule that people still meet, with the page that was answered when one of them was last searched for. Would help: people who were not redirected, times the score of that answer. Accept shows first what would change.',
      none: 'No path that people meet without a rule has a page to propose.',
      read: ({ tenant }, period, limit) => selectWorthAdding(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url' },
        {
          name: 'Could lead to',
          value: ({ target }) => target,
          as: 'url',
          note: {
            name: 'Visitors chose',
            value: ({ clicks, all_clicks }) =>
              clicks > 0 ? `${amount(clicks)} of ${amount(all_clicks)} chose this` : null,
          },
        },
        answeredWith<WorthAdding>(
          ({ score }) => score,
          ({ answered_at }) => answered_at,
        ),
        { name: 'Would help', value: ({ gain }) => gain },
        {
          name: 'People',
          value: ({ people }) => people,
          note: { name: 'Last met', word: 'last', value: ({ last_seen }) => last_seen },
        },
        { name: 'Not redirected', value: ({ not_redirected }) => not_redirected },
      ],
      act: ({ href, project }, { path, hash, target }) => {
        const query = new URLSearchParams({ do: 'accept', row: hash, target });
        return html`<a class="button small" aria-label="Accept ${path} → ${target}" href="${href(`/p/${project.project_id}/inbox/preview?${query.toString()}`)}">Accept…</a>`;
      },
    }),
    report({
      id: 'redirects-without-hits',
      title: 'Redirects without hits',
      about:
        'Rules that answered nobody as long as events are kept, the oldest first. What your web server redirects itself never comes here, so do not delete what it may need.',
      none: 'Every rule answered somebody, or there is none.',
      read: ({ tenant }, period, limit) => selectWithoutHits(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url' },
        { name: 'Does', value: ({ action }) => action },
        { name: 'Leads to', value: ({ target }) => target, as: 'url' },
        { name: 'Added', value: ({ added_at }) => added_at },
      ],
    }),
  ],
  ['prefix'],
);
