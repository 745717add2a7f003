import { findIndexedUrls } from '../rules/store/page-urls.js';
import { coverPaths } from '../rules/cover-paths.js';
import { openRuleMatcher } from '../rules/preview/rule-matcher.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Db } from '../platform/database/db.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { BrokenLink } from '../sources/web/link-log.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';
import { listBrokenLinks, replaceBrokenLinks, type BrokenLinkRow } from './store/broken-links.js';

/** A link that led to no page in the last crawl, and its state now. */
export interface CrawledLink extends BrokenLinkRow {
  /** Whether the project still has neither a rule nor an indexed page for its path. */
  broken: boolean;
  /** The target of its redirect rule; null without a rule. */
  leads_to: string | null;
}

const MAX_ANSWER = 500;
/** Links read per query, and queries per call of {@link listLinks}. */
const BATCH_LINKS = 250;
const MAX_BATCHES = 8;

/** Replaces the broken links of the previous crawl. */
export async function storeBrokenLinks(db: Db, projectId: string, brokenLinks: readonly BrokenLink[], at: Date) {
  const links = brokenLinks.flatMap((link) => {
    const path = parsePageUrl(link.url)?.path.split('?', 1)[0];
    if (path === undefined) return [];
    return [{ ...link, answer: link.answer.replaceAll('\0', '').slice(0, MAX_ANSWER), path, plainHash: pathKey(path) }];
  });
  await coverPaths({ db, projectId }, [...new Set(links.map(({ path }) => path))]);
  await inTransaction(db, (trx) => replaceBrokenLinks(trx, projectId, links, at));
}

/** Lists links after place `after`, most linked first. `brokenOnly`: there may be fewer than `limit` before `next`. */
export async function listLinks(
  tenant: Tenant,
  { brokenOnly, after = 0, limit }: { brokenOnly: boolean; after?: number | undefined; limit: number },
  signal?: AbortSignal,
): Promise<{ links: CrawledLink[]; next: number | null }> {
  const links: CrawledLink[] = [];
  let last = after;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const size = brokenOnly ? BATCH_LINKS : Math.min(BATCH_LINKS, limit + 1 - links.length);
    const rows = await listBrokenLinks(tenant.db, tenant.projectId, { after: last }, size);
    for (const link of await addCurrentState(tenant, rows, signal)) {
      if (brokenOnly && !link.broken) continue;
      if (links.length === limit) return { links, next: links.at(-1)?.place ?? null };
      links.push(link);
    }
    if (rows.length < size) return { links, next: null };
    last = rows.at(-1)?.place ?? last;
  }
  return { links, next: last };
}

async function addCurrentState(tenant: Tenant, rows: readonly BrokenLinkRow[], signal: AbortSignal | undefined) {
  if (rows.length === 0) return [];
  const paths = rows.map(({ url, path }) => parsePageUrl(url)?.path ?? path);
  const keys = paths.map(pathKey);
  const [rules, pages] = await Promise.all([
    openRuleMatcher(tenant, [], signal).then((book) => book.followAll(paths)),
    findIndexedUrls(tenant.db, tenant.projectId, keys),
  ]);
  const live = new Set(pages.map(({ key }) => key));
  return rows.map((row, at) => {
    const hasPage = live.has(keys[at]?.toString('hex') ?? '');
    return { ...row, broken: !hasPage && !rules[at]?.rule, leads_to: rules[at]?.answer?.to ?? null };
  });
}
