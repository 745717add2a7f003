import { inPortions } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { lockUnsignedPages, signPages } from '../database/queries/sign-pages.js';
import { comparisonOf } from './index-pages.js';

const PAGES_AT_ONCE = 1_000;

/** Gives signatures to pages that an earlier release indexed: a migration cannot, since SQL does not know how. */
export async function signUnsignedPages(db: Db): Promise<void> {
  await inPortions(db, PAGES_AT_ONCE, async (trx) => {
    const pages = await lockUnsignedPages(trx, PAGES_AT_ONCE);
    if (pages.length === 0) return 0;
    const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
    await signPages(
      trx,
      pages.map(({ project_id, page_id, path_words, slug_words }) => ({
        projectId: project_id,
        pageId: page_id,
        ...comparisonOf({ words: words(path_words), slug: words(slug_words) }),
      })),
    );
    return pages.length;
  });
}
