import { sql } from 'kysely';
import type { Db, Trx } from '../connect.js';

/**
 * Adds and takes away pages per word. Words in sorted order, so that two transactions of one project wait for each
 * other instead of dead-locking.
 */
export async function changeVocabulary(trx: Trx, projectId: string, changes: ReadonlyMap<string, number>): Promise<void> {
  const entries = [...changes].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return;
  const words = entries.map(([word]) => word);
  await sql`
    insert into pathmend.vocabulary as v (project_id, word, pages)
    select ${projectId}::uuid, i.word, i.change
      from unnest(${words}::text[], ${entries.map(([, change]) => change)}::int[]) as i (word, change)
     order by i.word collate "C"
    on conflict (project_id, word) do update set pages = v.pages + excluded.pages`.execute(trx);
  const gone = entries.filter(([, change]) => change < 0).map(([word]) => word);
  if (gone.length === 0) return;
  await sql`delete from pathmend.vocabulary
             where project_id = ${projectId} and word = any (${gone}::text[]) and pages <= 0`.execute(trx);
}

/** Which of these words the project's pages use, and on how many pages each. */
export async function lookUpWords(db: Db, projectId: string, words: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ word: string; pages: number }>`
    select word, pages from pathmend.vocabulary
     where project_id = ${projectId} and word = any (${words}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.word, row.pages]));
}

/**
 * Words of the project within Levenshtein distance 2 of each unknown word that share its first letter or its last
 * three: two short index ranges inside the project, where a scan of its whole vocabulary would grow with the site.
 * A mistake in the first letter and in the ending at once goes uncorrected.
 */
export async function findNearWords(
  db: Db,
  projectId: string,
  unknown: readonly string[],
): Promise<Map<string, { word: string; pages: number }[]>> {
  const { rows } = await sql<{ unknown: string; word: string; pages: number }>`
    select u.word as unknown, n.word, n.pages
      from unnest(${unknown}::text[]) as u (word)
     cross join lateral (
       select v.word, v.pages from pathmend.vocabulary v
        where v.project_id = ${projectId}
          and v.word >= left(u.word, 1) collate "C" and v.word < (left(u.word, 1) || chr(1114111)) collate "C"
          and length(v.word) between length(u.word) - 2 and length(u.word) + 2
       union
       select v.word, v.pages from pathmend.vocabulary v
        where v.project_id = ${projectId}
          and right(v.word, 3) = right(u.word, 3)
          and length(v.word) between length(u.word) - 2 and length(u.word) + 2
     ) as n
     where octet_length(u.word) <= 255 and octet_length(n.word) <= 255
       and levenshtein_less_equal(u.word, n.word, 2) <= 2
     order by n.pages desc`.execute(db);
  const near = new Map<string, { word: string; pages: number }[]>(unknown.map((word) => [word, []]));
  for (const row of rows) near.get(row.unknown)?.push({ word: row.word, pages: row.pages });
  return near;
}
