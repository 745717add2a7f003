import { selectContentGaps, selectForeignReferrers } from '../../analytics/store/links.js';
import { selectUnusedRules, selectSuggestedRedirects } from '../../analytics/store/redirects.js';
import { amount } from '../../text/count-of.js';
import { html } from '../../text/html.js';
import { analyticsPage } from './analytics-page.js';
import { readBrokenLinks } from './broken-links.js';
import { pastAnswerColumns, report } from './report.js';

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
      read: ({ tenant }, period, limit) => selectSuggestedRedirects(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
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
        pastAnswerColumns('score', 'answered_at'),
        { name: 'Would help', value: ({ gain }) => gain },
        {
          name: 'People',
          value: ({ people }) => people,
          note: { name: 'Last met', word: 'last', value: ({ last_seen }) => last_seen },
        },
        { name: 'Not redirected', value: ({ not_redirected }) => not_redirected },
      ],
      act: ({ ownHref }, { path, hash, target }) => {
        const query = new URLSearchParams({ do: 'accept', row: hash, target });
        return html`<a class="button small" aria-label="Accept ${path} → ${target}" href="${ownHref(`/inbox/preview?${query.toString()}`)}">Accept…</a>`;
      },
    }),
    report({
      id: 'redirects-without-hits',
      title: 'Redirects without hits',
      about:
        'Rules that answered nobody as long as events are kept, the oldest first. What your web server redirects itself never comes here, so do not delete what it may need.',
      none: 'Every rule answered somebody, or there is none.',
      read: ({ tenant }, period, limit) => selectUnusedRules(tenant, period, limit),
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

/** Who links to missing paths, and what people look for and the site does not have. */
export const analyticsLinksPage = analyticsPage('/links', [
  report({
    id: 'broken-links',
    title: 'Broken links on your own pages',
    about:
      'Links to paths without a page and without a rule: those that visitors followed in these weeks, then those that the last crawl met (pages sync --crawl). Mend them at the source, or give the path a rule.',
    none: 'No 404 of these weeks came from a page of yours, and no crawl met a broken link.',
    read: readBrokenLinks,
    columns: [
      { name: 'Page', value: ({ page }) => page, as: 'url' },
      { name: 'Links to', value: ({ link }) => link, as: 'path' },
      { name: 'Should lead to', value: ({ target }) => target, as: 'url' },
      pastAnswerColumns('score', 'answered_at'),
      {
        name: 'The crawl says',
        value: ({ answer }) => answer,
        note: { name: 'Crawled', word: 'on', value: ({ checked_at }) => checked_at },
      },
      {
        name: 'People',
        value: ({ people }) => people,
        note: { name: 'Others', value: ({ others }) => (others > 0 ? `${amount(others)} others` : null) },
      },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'referrers',
    title: 'Other sites that link to missing pages',
    about: 'Whom to write to, or what deserves a redirect first. Whole weeks are counted.',
    none: 'No 404 of these weeks named a page of another site.',
    read: ({ tenant }, period, limit) => selectForeignReferrers(tenant, period, limit),
    columns: [
      { name: 'Page', value: ({ referrer }) => referrer, as: 'url' },
      { name: 'Missing paths', value: ({ paths }) => paths },
      { name: 'One of them', value: ({ example }) => example, as: 'path' },
      { name: 'People', value: ({ people }) => people },
      { name: 'Others', value: ({ others }) => others },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'content-gaps',
    title: 'What people look for and you do not have',
    about: 'Missing paths without a like page, by folder: what to write about, or to answer as gone.',
    none: 'No path that people met in these days is far from all of your pages.',
    read: ({ tenant }, period, limit) => selectContentGaps(tenant, period, limit),
    columns: [
      { name: 'Topic', value: ({ topic }) => topic ?? 'in no folder' },
      { name: 'Paths', value: ({ paths }) => paths },
      { name: 'People', value: ({ people }) => people },
      { name: 'Not recovered', value: ({ not_recovered }) => not_recovered },
      { name: 'Such as', value: ({ examples }) => examples.join(' '), as: 'url' },
      { name: 'Nearest page', value: ({ nearest_page }) => nearest_page, as: 'url' },
      { name: 'Last met', value: ({ last_seen }) => last_seen },
    ],
  }),
]);
