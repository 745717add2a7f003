import { inPortions } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { lockPagesWithoutPathKey, setPathKeys } from '../database/queries/path-keys.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

const PAGES_AT_ONCE = 1_000;

/** Gives path keys to pages from before there were any: a migration cannot, since SQL does not know plain paths. */
export async function fillPathKeys(db: Db): Promise<void> {
  await inPortions(db, PAGES_AT_ONCE, async (trx) => {
    const pages = await lockPagesWithoutPathKey(trx, PAGES_AT_ONCE);
    if (pages.length === 0) return 0;
    await setPathKeys(
      trx,
      pages.map(({ project_id, page_id, url }) => ({
        projectId: project_id,
        pageId: page_id,
        pathKey: pathKey(parsePageUrl(url)?.path ?? '/'),
      })),
    );
    return pages.length;
  });
}
