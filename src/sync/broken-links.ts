import { findIndexedUrls } from '../rules/store/page-urls.js';
import { openRuleMatcher } from '../rules/preview/rule-matcher.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Db } from '../platform/database/db.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { BrokenLink } from '../sources/web/link-log.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';
import { listBrokenLinks, replaceBrokenLinks, type BrokenLinkRow } from './store/broken-links.js';

/** A link that led to no page when the last crawl asked for it, and what became of it. */
export interface CrawledLink extends BrokenLinkRow {
  /** It has no rule and no page since. */
  broken: boolean;
  /** Where a rule leads; null: nowhere, or there is none. */
  leads_to: string | null;
}

const MAX_ANSWER = 500;
/** Looked at in one go, and at most for one answer. */
const ROUND = 250;
const MAX_ROUNDS = 8;

/** Puts what a crawl met in place of what the one before met. */
export async function storeBrokenLinks(db: Db, projectId: string, met: readonly BrokenLink[], at: Date): Promise<void> {
  const links = met.flatMap((link) => {
    const path = parsePageUrl(link.url)?.path.split('?', 1)[0];
    if (path === undefined) return [];
    return [{ ...link, answer: link.answer.replaceAll('\0', '').slice(0, MAX_ANSWER), path, plainHash: pathKey(path) }];
  });
  await inTransaction(db, (trx) => replaceBrokenLinks(trx, projectId, links, at));
}

/**
 * The links that the last crawl met, those of most pages first, behind a place. Of `brokenOnly`, fewer than there are
 * may come: `next` leads on.
 */
export async function listLinks(
  tenant: Tenant,
  { brokenOnly, after = 0, limit }: { brokenOnly: boolean; after?: number | undefined; limit: number },
): Promise<{ links: CrawledLink[]; next: number | null }> {
  const found: CrawledLink[] = [];
  let last = after;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const size = brokenOnly ? ROUND : Math.min(ROUND, limit + 1 - found.length);
    const rows = await listBrokenLinks(tenant.db, tenant.projectId, { after: last }, size);
    for (const link of await tellWhatBecame(tenant, rows)) {
      if (brokenOnly && !link.broken) continue;
      if (found.length === limit) return { links: found, next: found.at(-1)?.place ?? null };
      found.push(link);
    }
    if (rows.length < size) return { links: found, next: null };
    last = rows.at(-1)?.place ?? last;
  }
  return { links: found, next: last };
}

async function tellWhatBecame(tenant: Tenant, rows: readonly BrokenLinkRow[]): Promise<CrawledLink[]> {
  if (rows.length === 0) return [];
  const paths = rows.map(({ url, path }) => parsePageUrl(url)?.path ?? path);
  const keys = paths.map(pathKey);
  const [book, pages] = await Promise.all([
    openRuleMatcher(tenant, paths),
    findIndexedUrls(tenant.db, tenant.projectId, keys),
  ]);
  const live = new Set(pages.map(({ key }) => key));
  const answers = await Promise.all(paths.map((path) => book.answer(path)));
  return rows.map((row, at) => {
    const hasPage = live.has(keys[at]?.toString('hex') ?? '');
    return { ...row, broken: !hasPage && !book.find(paths[at] ?? row.path), leads_to: answers[at]?.to ?? null };
  });
}
