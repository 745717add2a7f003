import {
  selectBrokenLinks,
  selectContentGaps,
  selectForeignReferrers,
  selectForeignRows,
  selectSuggestedRedirects,
  selectUnusedRules,
  type SuggestedRedirect,
} from '../../analytics/store/redirects.js';
import { amount } from '../../text/count-of.js';
import { html } from '../../text/html.js';
import { form, selectAll } from '../shared/components.js';
import type { ProjectVisit } from '../shared/console-page.js';
import { analyticsPage } from './analytics-page.js';
import { pastAnswerColumns, report, type ShownPeriod } from './report.js';
import { pathHref, ruleHref } from '../shared/links.js';

/** For up to this number of rows, answers are looked up anew. Files have more rows, with the last stored answers. */
const MAX_LOOKED_UP = 50;
/** The page waits this long for new answers. A path without a new answer has its last stored one, with its day. */
const PATIENCE_MS = 150;

/** Reads redirects worth adding, with the answers of now, without paths that have no page or are proposed as gone. */
async function readWorthAdding({ deps, tenant }: ProjectVisit, period: ShownPeriod, limit: number) {
  const rows = await selectSuggestedRedirects(tenant, period, limit);
  if (limit > MAX_LOOKED_UP) return rows;
  const paths = rows.map(({ path }) => path);
  const answers = await deps.suggestionsAhead.suggest(tenant.projectId, paths, PATIENCE_MS);
  const now = rows.flatMap((row, at): SuggestedRedirect[] => {
    const best = answers[at];
    if (best === undefined) return [row];
    if (best === null || best.explanation?.gone !== undefined) return [];
    const { url: target, score } = best;
    return [{ ...row, target, score, gain: row.not_redirected * score, suggested_at: new Date(deps.clock.now()) }];
  });
  return now.sort((a, b) => b.gain - a.gain);
}

/** The page shows which redirects would help, and which are unused. */
export const analyticsRedirectsPage = analyticsPage(
  '/redirects',
  [
    report({
      id: 'redirects-worth-adding',
      title: 'Redirects worth adding',
      about:
        'Paths without a rule that people requested since the first of these days, with the page that is suggested for each now, or was last, as in the files. Requests are by people, of all stored 404s. Would help: requests that were not redirected, times the score of that page. Accept shows a preview first.',
      none: 'No path without a rule has a page to suggest.',
      read: readWorthAdding,
      columns: [
        { name: 'Path', value: ({ path }) => path, as: 'path' },
        {
          name: 'Suggested target',
          value: ({ target }) => target,
          as: 'url',
          note: {
            name: 'Clicks on it',
            value: (row) => (row.clicks > 0 ? `${amount(row.clicks)} of ${amount(row.clicks_all)} clicks` : null),
          },
        },
        pastAnswerColumns('score', 'suggested_at'),
        { name: 'Would help', value: ({ gain }) => gain },
        {
          name: 'Requests',
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
        around: (visit, list) => {
          const post = form(visit, visit.ownPath('/inbox/decide'), 'deciding-worth');
          return post`<div class="bulk">${selectAll()}<button class="button small" name="bulk" value="accept">Accept selected…</button></div>${list}`;
        },
      },
    }),
    report({
      id: 'redirects-without-hits',
      title: 'Unused redirects',
      about:
        'Rules that were there on the last of these days and answered no request within the stored events, oldest first. pathmend does not see redirects made by your web server, so do not delete rules that it needs.',
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

/** The page shows who links to missing paths, and what people look for that the site does not have. */
export const analyticsLinksPage = analyticsPage('/links', [
  report({
    id: 'broken-links',
    title: 'Broken links on your own pages',
    about:
      'Links to paths without a page and without a rule: those that visitors followed on these days, and those that the last crawl found (pages sync --crawl). Requests are all stored ones that came by the link, by people and by others (robots). Fix the link, or add a rule for the path.',
    none: 'No 404 came from your own pages on these days, and no crawl found a broken link.',
    read: ({ tenant }, period, limit) => selectBrokenLinks(tenant, period, limit),
    columns: [
      { name: 'Page', value: ({ page }) => page, as: 'url' },
      { name: 'Links to', value: ({ link }) => link, as: 'path' },
      { name: 'Suggested target', value: (row) => row.proposed_target, as: 'url' },
      pastAnswerColumns('score', 'suggested_at'),
      {
        name: 'Crawl result',
        value: ({ answer }) => answer,
        note: { name: 'Crawled', word: 'on', value: ({ checked_at }) => checked_at },
      },
      {
        name: 'Requests',
        value: ({ people }) => people,
        to: ({ link }) => pathHref(link),
        note: { name: 'Others', value: (row) => (row.other_visits > 0 ? `${amount(row.other_visits)} others` : null) },
      },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'referrers',
    title: 'Other sites that link to missing pages',
    about:
      'How many missing paths each page leads to, and how many requests of people and others (robots) came from it, in whole weeks, and how many of people in the weeks before. Ask these sites to update their links, or add redirects.',
    none: 'No 404 came from another site in these weeks.',
    query: ({ tenant }, period, limit) => selectForeignReferrers(tenant, period, limit),
    rows: ({ tenant }, period) => selectForeignRows(tenant, period),
    sums: { Requests: ['people'] },
    columns: [
      { name: 'Page', value: ({ referrer }) => referrer, as: 'url' },
      { name: 'Missing paths', value: ({ paths }) => paths },
      { name: 'Example', value: ({ example }) => example, as: 'path' },
      { name: 'Requests', value: ({ people }) => people },
      { name: 'Before', value: ({ before }) => before },
      { name: 'Others', value: (row) => row.other_visits },
      { name: 'Last followed', value: ({ last_seen }) => last_seen },
    ],
  }),
  report({
    id: 'content-gaps',
    title: 'Content gaps',
    about:
      'Missing paths whose last search found no similar page, by folder, with the requests of people for them and those of these that were not recovered, of all stored 404s. Write a page for them, or mark them as gone.',
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
      { name: 'Requests', value: ({ people }) => people },
      { name: 'Not recovered', value: ({ not_recovered }) => not_recovered },
      { name: 'Examples', value: ({ examples }) => examples.join(' '), as: 'url' },
      { name: 'Closest page', value: ({ nearest_page }) => nearest_page, as: 'url' },
      { name: 'Last seen', value: ({ last_seen }) => last_seen },
    ],
  }),
]);
