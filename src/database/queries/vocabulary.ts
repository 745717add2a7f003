import { sql, type RawBuilder } from 'kysely';
import type { Trx } from '../db.js';
import { keptStatements, type Given } from '../kept-statements.js';
import type { Tenant } from '../tenants.js';
import { vocabularyOf } from './look-up.js';

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

/** Each of these words that the project uses, with the number of its pages. */
function counted(given: Given<{ projectId: string; words: readonly string[] }>): RawBuilder<unknown> {
  return sql`
    select v.word, v.pages from unnest(${given('words')}::text[]) as w (word) ${vocabularyOf(given('projectId'), 'w.word')}`;
}

const wordCounts = keptStatements<{ asksPages: boolean }, { projectId: string; words: readonly string[] }, { word: string | null; pages: number }>(({ asksPages }, given) => {
  const all = asksPages ? sql`union all select null, count(*)::int from pathmend.indexed_pages where project_id = ${given('projectId')}` : sql``;
  return sql`${counted(given)} ${all}`;
}, () => true);

/**
 * Which of these words the project's pages use, and on how many pages each; with `asksPages` also how many pages can be
 * found, else 0.
 */
export async function lookUpWords({ projectId, db }: Tenant, words: readonly string[], asksPages: boolean): Promise<{ pages: number; found: Map<string, number> }> {
  const found = new Map<string, number>();
  let pages = 0;
  for (const row of await wordCounts(db, { asksPages }, { projectId, words })) {
    if (row.word === null) pages = row.pages;
    else found.set(row.word, row.pages);
  }
  return { pages, found };
}

/** Vocabulary words near an unknown one, by the unknown one. */
export type NearWords = Map<string, { word: string; pages: number }[]>;

interface Spelling {
  projectId: string;
  words: readonly string[];
  /** These two belong together by their place. */
  wordOf: readonly string[];
  form: readonly string[];
}

const spelling = keptStatements<object, Spelling, { unknown: string | null; word: string; pages: number }>((_shape, given) => sql`
    with known as materialized (${counted(given)}),
    unknown as (
      select u.word from unnest(${given('wordOf')}::text[], ${given('form')}::text[]) as u (word, form)
        left join known k on k.word = u.form
       group by u.word having bool_and(k.word is null) and octet_length(u.word) <= 255
    )
    select null as unknown, word, pages from known
    union all
    (select u.word, n.word, n.pages
      from unknown u
     cross join lateral pathmend.near_words(${given('projectId')}::uuid, u.word) as n
     order by n.pages desc)`, () => true);

/**
 * On how many pages each of `words` stands, and for each of `correctable` of which no form is among those that were
 * found: the words of the project near it (db/functions/near_words.sql). A scan of its whole vocabulary would grow with the site.
 * Two mistakes, one in the first two letters and one in the last three, go uncorrected.
 */
export async function lookUpSpelling(
  { projectId, db }: Tenant,
  words: readonly string[],
  correctable: readonly { word: string; forms: readonly string[] }[],
): Promise<{ known: Map<string, number>; near: NearWords }> {
  const pairs = correctable.flatMap(({ word, forms }) => forms.map((form) => [word, form] as const));
  const rows = await spelling(db, {}, { projectId, words, wordOf: pairs.map(([word]) => word), form: pairs.map(([, form]) => form) });
  const known = new Map<string, number>();
  const near: NearWords = new Map();
  for (const { unknown, word, pages } of rows) {
    if (unknown === null) known.set(word, pages);
    else near.set(unknown, [...(near.get(unknown) ?? []), { word, pages }]);
  }
  return { known, near };
}
