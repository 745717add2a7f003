import { sql } from 'kysely';
import type { Trx } from '../db.js';

export interface UnsignedPage {
  project_id: string;
  page_id: string;
  path_words: string;
  slug_words: string;
}

/** Indexed pages from before there were signatures; locked, and without those that somebody else holds. */
export async function lockUnsignedPages(trx: Trx, limit: number): Promise<UnsignedPage[]> {
  const { rows } = await sql<UnsignedPage>`
    select project_id, page_id, path_words, slug_words from pathmend.indexed_pages
     where path_trigrams is null order by project_id, page_id limit ${limit} for no key update skip locked`.execute(
    trx,
  );
  return rows;
}

export async function signPages(
  trx: Trx,
  pages: readonly {
    projectId: string;
    pageId: string;
    signatures: { path: string; slug: string };
    countedWords: readonly string[];
  }[],
): Promise<void> {
  await sql`
    update pathmend.indexed_pages x
       set path_trigrams = i.path_trigrams::bit(512), slug_trigrams = i.slug_trigrams::bit(512),
           counted_words = array(select jsonb_array_elements_text(i.counted_words))
      from jsonb_to_recordset(${JSON.stringify(
        pages.map((page) => ({
          project_id: page.projectId,
          page_id: page.pageId,
          path_trigrams: page.signatures.path,
          slug_trigrams: page.signatures.slug,
          counted_words: page.countedWords,
        })),
      )}::jsonb) as i (project_id uuid, page_id text, path_trigrams text, slug_trigrams text, counted_words jsonb)
     where x.project_id = i.project_id and x.page_id = i.page_id`.execute(trx);
}
