import {
  selectBrokenLinks,
  selectContentGaps,
  selectForeignReferrers,
  type BrokenLinkRow,
} from '../../analytics/store/links.js';
import { analyticsPage } from './analytics-page.js';
import { answeredWith, report } from './report.js';

/** Who links to missing paths, and what people look for and the site does not have. */
export const analyticsLinksPage = analyticsPage('/links', [
  report({
    id: 'broken-links',
    title: 'Broken links on your own pages',
    about: 'Mend these at the source: each sends your own visitors to a missing page.',
    none: 'No 404 of these weeks came from a page of yours.',
    read: ({ tenant }, period, limit) => selectBrokenLinks(tenant, period, limit),
    columns: [
      { name: 'Page', value: ({ page }) => page, as: 'url' },
      { name: 'Links to', value: ({ link }) => link, as: 'url' },
      { name: 'Should lead to', value: ({ target }) => target, as: 'url' },
      answeredWith<BrokenLinkRow>(
        ({ score }) => score,
        ({ answered_at }) => answered_at,
      ),
      { name: 'People', value: ({ people }) => people },
      { name: 'Others', value: ({ others }) => others },
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
      { name: 'One of them', value: ({ example }) => example, as: 'url' },
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
