import { sql, type RawBuilder } from 'kysely';
import type { Trx } from '../db.js';
import { rowsWithPlan } from '../session/rows-with-plan.js';
import type { Tenant } from '../session/tenants.js';
import { joinVocabulary } from './lateral-joins.js';

/**
 * Adds and takes away pages per word. Words in sorted order, so that two transactions of one project wait for each
 * other instead of dead-locking.
 * @returns how many words there are more, for {@link bumpIndexVersion}.
 */
export async function changeVocabulary(
  trx: Trx,
  projectId: string,
  changes: ReadonlyMap<string, number>,
): Promise<number> {
  const entries = [...changes].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return 0;
  const words = entries.map(([word]) => word);
  const { rows } = await sql<{ added: number }>`
    with changed as (
      insert into pathmend.vocabulary as v (project_id, word, pages)
      select ${projectId}::uuid, i.word, i.change
        from unnest(${words}::text[], ${entries.map(([, change]) => change)}::int[]) as i (word, change)
       order by i.word collate "C"
      on conflict (project_id, word) do update set pages = v.pages + excluded.pages
      -- Of a row that was there already, this transaction is the one that replaced it.
      returning v.xmax = 0 as is_new
    )
    select (count(*) filter (where is_new))::int as added from changed`.execute(trx);
  const added = rows[0]?.added ?? 0;
  const gone = entries.filter(([, change]) => change < 0).map(([word]) => word);
  if (gone.length === 0) return added;
  const { numAffectedRows } = await sql`delete from pathmend.vocabulary
             where project_id = ${projectId} and word = any (${gone}::text[]) and pages <= 0`.execute(trx);
  return added - Number(numAffectedRows ?? 0n);
}

/** Distinct words of a project's vocabulary. */
export async function vocabularySize(trx: Trx, projectId: string): Promise<number> {
  const { rows } = await sql<{ words: number }>`
    select words::float8 as words from pathmend.index_versions where project_id = ${projectId}`.execute(trx);
  return rows[0]?.words ?? 0;
}

/** Which of these words it has. */
export async function knownWords(trx: Trx, projectId: string, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select v.word from unnest(${words}::text[]) as w (word) ${joinVocabulary(projectId, 'w.word')}`.execute(trx);
  return new Set(rows.map((row) => row.word));
}

/** Each of these words that the project uses, with the number of its pages. */
function counted(projectId: string, words: readonly string[]): RawBuilder<unknown> {
  return sql`
    select v.word, v.pages from unnest(${words}::text[]) as w (word) ${joinVocabulary(projectId, 'w.word')}`;
}

/**
 * Which of these words the project's pages use, and on how many pages each; with `asksPages` also how many pages can be
 * found, else 0.
 */
export async function lookUpWords(
  { projectId, db }: Tenant,
  words: readonly string[],
  asksPages: boolean,
): Promise<{ pages: number; found: Map<string, number> }> {
  const found = new Map<string, number>();
  let pages = 0;
  const all = asksPages
    ? sql`union all select null, count(*)::int from pathmend.indexed_pages where project_id = ${projectId}`
    : sql``;
  const statement = sql<{ word: string | null; pages: number }>`${counted(projectId, words)} ${all}`;
  for (const row of await rowsWithPlan(db, statement, 'generic')) {
    if (row.word === null) pages = row.pages;
    else found.set(row.word, row.pages);
  }
  return { pages, found };
}

/** Vocabulary words near an unknown one, by the unknown one. */
export type NearWords = Map<string, { word: string; pages: number }[]>;

/**
 * On how many pages each of `words` stands, and for each of `correctable` of which no form is among those that were
 * found: the words of the project near it (db/functions/near_words.sql). A scan of its whole vocabulary would grow with
 * the site. Two mistakes, one in the first two letters and one in the last three, go uncorrected, and so does what
 * comes before the last eight such words: dead paths of real sites hold three at most, and each is compared with up to
 * 2,500 others.
 */
export async function lookUpSpelling(
  { projectId, db }: Tenant,
  words: readonly string[],
  correctable: readonly { word: string; forms: readonly string[] }[],
): Promise<{ known: Map<string, number>; near: NearWords }> {
  const pairs = correctable.flatMap(({ word, forms }) => forms.map((form) => [word, form] as const));
  const statement = sql<{ unknown: string | null; word: string; pages: number }>`
    with known as materialized (${counted(projectId, words)}),
    unknown as (
      select u.word
        from unnest(${pairs.map(([word]) => word)}::text[], ${pairs.map(([, form]) => form)}::text[])
             with ordinality as u (word, form, place)
        left join known k on k.word = u.form
       group by u.word having bool_and(k.word is null) and octet_length(u.word) <= 255
       order by max(u.place) desc limit 8
    )
    select null as unknown, word, pages from known
    union all
    select u.word, n.word, n.pages
      from unknown u
     cross join lateral pathmend.near_words(${projectId}::uuid, u.word) as n`;
  const known = new Map<string, number>();
  const near: NearWords = new Map();
  for (const { unknown, word, pages } of await rowsWithPlan(db, statement, 'generic')) {
    if (unknown === null) {
      known.set(word, pages);
      continue;
    }
    const found = near.get(unknown) ?? [];
    near.set(unknown, found);
    found.push({ word, pages });
  }
  return { known, near };
}
