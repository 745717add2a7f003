import { selectContentGaps, selectForeignReferrers } from '../../analytics/store/links.js';
import { selectUnusedRules, selectSuggestedRedirects } from '../../analytics/store/redirects.js';
import { amount } from '../../text/count-of.js';
import { html } from '../../text/html.js';
import { form, selectAll } from '../shared/components.js';
import { analyticsPage } from './analytics-page.js';
import { readBrokenLinks } from './broken-links.js';
import { pastAnswerColumns, report } from './report.js';
import { pathHref, ruleHref } from '../shared/links.js';

/** Which redirects would help, and which do not. */
export const analyticsRedirectsPage = analyticsPage(
  '/redirects',
  [
    report({
      id: 'redirects-worth-adding',
      title: 'Redirects worth adding',
      about:
        'Paths without a rule that people still request, with the page that the latest search suggested. Would help: people who were not redirected, times the last score of that page. Accept shows a preview first.',
      none: 'No path without a rule has a page to suggest.',
      read: ({ tenant }, period, limit) => selectSuggestedRedirects(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
        {
          name: 'Suggested target',
          value: ({ target }) => target,
          as: 'url',
          note: {
            name: 'Clicks on it',
            value: ({ clicks, all_clicks }) =>
              clicks > 0 ? `${amount(clicks)} of ${amount(all_clicks)} clicks` : null,
          },
        },
        pastAnswerColumns('score', 'answered_at'),
        { name: 'Would help', value: ({ gain }) => gain },
        {
          name: 'People',
          value: ({ people }) => people,
          to: ({ path }) => pathHref(path),
          note: { name: 'Last seen', word: 'last', value: ({ last_seen }) => last_seen },
        },
        { name: 'Not redirected', value: ({ not_redirected }) => not_redirected },
      ],
      act: {
        before: ({ path, hash, target }) =>
          html`<label class="pick"><input type="checkbox" name="row" value="${hash}"><span class="unseen">Select ${path}</span></label><input type="hidden" name="target:${hash}" value="${target}"> `,
        behind: ({ ownHref }, { path, hash, target }) => {
          const query = new URLSearchParams({ do: 'accept', row: hash, target });
          return html`<a class="button small" aria-label="Accept ${path} → ${target}" href="${ownHref(`/inbox/preview?${query.toString()}`)}">Accept…</a>`;
        },
        around: (visit, list) =>
          form(
            visit,
            visit.own('/inbox/decide'),
            'deciding-worth',
          )`<div class="bulk">${selectAll()}<button class="button small" name="bulk" value="accept">Accept selected…</button></div>${list}`,
      },
    }),
    report({
      id: 'redirects-without-hits',
      title: 'Unused redirects',
      about:
        'Rules that answered no request within the stored events, oldest first. pathmend does not see redirects made by your web server, so do not delete rules that it needs.',
      none: 'No unused rules.',
      read: ({ tenant }, period, limit) => selectUnusedRules(tenant, period, limit),
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'url', to: ({ path }) => ruleHref(path) },
        { name: 'Action', value: ({ action }) => action },
        { name: 'Target', value: ({ target }) => target, as: 'url' },
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
      'Links to paths without a page and without a rule: first those that visitors followed in these weeks, then those that the last crawl found (pages sync --crawl). People and others (robots) followed the link. Fix the link, or add a rule for the path.',
    none: 'No 404 came from your own pages in these weeks, and no crawl found a broken link.',
    read: readBrokenLinks,
    columns: [
      { name: 'Page', value: ({ page }) => page, as: 'url' },
      { name: 'Links to', value: ({ link }) => link, as: 'path' },
      { name: 'Suggested target', value: ({ target }) => target, as: 'url' },
      pastAnswerColumns('score', 'answered_at'),
      {
        name: 'Crawl result',
        value: ({ answer }) => answer,
        note: { name: 'Crawled', word: 'on', value: ({ checked_at }) => checked_at },
      },
      {
        name: 'People',
        value: ({ people }) => people,
        to: ({ link }) => pathHref(link),
        note: {
          name: 'Others',
          value: ({ other_visits }) => (other_visits > 0 ? `${amount(other_visits)} others` : null),
        },
      },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'referrers',
    title: 'Other sites that link to missing pages',
    about:
      'How many missing paths each page leads to, and how often people and others (robots) followed these links, in whole weeks. Ask these sites to update their links, or add redirects.',
    none: 'No 404 came from another site in these weeks.',
    read: ({ tenant }, period, limit) => selectForeignReferrers(tenant, period, limit),
    columns: [
      { name: 'Page', value: ({ referrer }) => referrer, as: 'url' },
      { name: 'Missing paths', value: ({ paths }) => paths },
      { name: 'Example', value: ({ example }) => example, as: 'path' },
      { name: 'People', value: ({ people }) => people },
      { name: 'Others', value: ({ other_visits }) => other_visits },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'content-gaps',
    title: 'Content gaps',
    about:
      'Missing paths whose last search found no similar page, by folder, with the people who requested them and those of them who were not recovered. Write a page for them, or mark them as gone.',
    none: 'No content gaps in this period.',
    read: ({ tenant }, period, limit) => selectContentGaps(tenant, period, limit),
    columns: [
      { name: 'Topic', value: ({ topic }) => topic ?? 'in no folder' },
      {
        name: 'Paths',
        value: ({ paths }) => paths,
        to: ({ section }) =>
          section === null ? undefined : `/inbox?${new URLSearchParams({ section, score: 'low' }).toString()}`,
      },
      { name: 'People', value: ({ people }) => people },
      { name: 'Not recovered', value: ({ not_recovered }) => not_recovered },
      { name: 'Examples', value: ({ examples }) => examples.join(' '), as: 'url' },
      { name: 'Closest page', value: ({ nearest_page }) => nearest_page, as: 'url' },
      { name: 'Last seen', value: ({ last_seen }) => last_seen },
    ],
  }),
]);
