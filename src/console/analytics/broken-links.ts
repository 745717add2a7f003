import { selectBrokenLinks, type BrokenLinkRow } from '../../analytics/store/links.js';
import type { Period } from '../../analytics/store/not-founds.js';
import { findUndecided } from '../../rules/preview/try-rules.js';
import { listLinks } from '../../sync/broken-links.js';
import type { ProjectVisit } from '../shared/console-page.js';

/** Read at most of what visitors followed: decided paths are left out. */
const MAX_FOLLOWED = 1_000;

/** A page with a broken link. */
export interface BrokenLinkOfPage extends BrokenLinkRow {
  /** What the last crawl was answered, and when; null: it did not meet the link. */
  answer: string | null;
  checked_at: Date | null;
}

/**
 * Pages with links that lead to no page and have no rule: those that visitors followed, most people first, then
 * those that the last crawl met.
 */
export async function readBrokenLinks({ deps, tenant, project }: ProjectVisit, period: Period, limit: number) {
  const [followed, { links }] = await Promise.all([
    selectBrokenLinks(tenant, period, MAX_FOLLOWED),
    listLinks(tenant, { brokenOnly: true, limit }),
  ]);
  const rows = new Map<string, BrokenLinkOfPage>();
  for (const row of await findUndecided(
    deps,
    project.project_id,
    followed.map((one) => ({ ...one, path: one.link })),
  ))
    rows.set(`${row.page} ${row.link}`, { ...row, answer: null, checked_at: null });
  for (const { path: link, answer, checked_at, pages } of links)
    for (const url of pages) {
      const page = url.split('?', 1)[0] ?? url;
      const known = rows.get(`${page} ${link}`) ?? {
        ...{ page, link, target: null, score: null, answered_at: null, people: 0, other_visits: 0, last_seen: null },
      };
      rows.set(`${page} ${link}`, { ...known, answer, checked_at });
    }
  return [...rows.values()].slice(0, limit);
}
