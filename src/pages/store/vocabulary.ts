import { SparseVector } from 'pgvector';
import { joinVocabulary, query, sql, type Sql } from '../../platform/database/sql.js';
import { MAX_TERM_ID, type TermWeights } from '../../text/words/terms.js';
import { arrayOf, returningInsteadOfCopy, textArray } from '../../platform/database/binary-values.js';
import type { Trx } from '../../platform/database/db.js';
import { rowsWithPlan } from '../../platform/database/session/driver.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { VectorTypes } from './index-rows.js';

/** Changes the page counts of words, sorted against deadlocks. Returns the change in the number of words. */
export async function changeVocabulary(trx: Trx, projectId: string, changes: ReadonlyMap<string, number>) {
  const entries = [...changes].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return 0;
  const words = entries.map(([word]) => word);
  const { rows } = await sql<{ added: number }>`
    with changed as (
      insert into pathmend.vocabulary as v (project_id, word, pages)
      select ${projectId}::uuid, i.word, i.change
        from unnest(${textArray(words)}::text[], ${entries.map(([, change]) => change)}::int[]) as i (word, change)
       order by i.word collate "C"
      on conflict (project_id, word) do update set pages = v.pages + excluded.pages
      -- xmax of an updated row is this transaction, of an inserted one 0.
      returning v.xmax = 0 as is_new
    )
    select (count(*) filter (where is_new))::int as added from changed`.execute(trx);
  const added = rows[0]?.added ?? 0;
  const gone = entries.filter(([, change]) => change < 0).map(([word]) => word);
  if (gone.length === 0) return added;
  const { numAffectedRows } = await sql`delete from pathmend.vocabulary
             where project_id = ${projectId} and word = any (${textArray(gone)}::text[]) and pages <= 0`.execute(trx);
  return added - Number(numAffectedRows ?? 0n);
}

export async function readVocabularySize(trx: Trx, projectId: string): Promise<number> {
  return query(sql<{ words: number }>`
    select words::float8 as words from pathmend.index_versions where project_id = ${projectId}`).value(trx, 'words', 0);
}

/** Finds those of the words that the project's vocabulary has. */
export async function findKnownWords(trx: Trx, projectId: string, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select v.word from unnest(${words}::text[]) as w (word) ${joinVocabulary(projectId, 'w.word')}`.execute(trx);
  return new Set(rows.map((row) => row.word));
}

/** A query of those of the words that the project's vocabulary has, each with its number of pages. */
function selectCounts(projectId: string, words: readonly string[]): Sql {
  return sql`
    select v.word, v.pages from unnest(${words}::text[]) as w (word) ${joinVocabulary(projectId, 'w.word')}`;
}

/** Counts the pages with each known word; `withPages`: also all searchable pages, else `pages` is 0. */
export async function lookUpWords({ projectId, db }: Tenant, words: readonly string[], withPages: boolean) {
  const counted = new Map<string, number>();
  let pages = 0;
  const all = withPages
    ? sql`union all select null, pages::float8 from pathmend.index_versions where project_id = ${projectId}`
    : sql``;
  const statement = sql<{ word: string | null; pages: number }>`${selectCounts(projectId, words)} ${all}`;
  for (const row of await rowsWithPlan(db, statement, 'generic'))
    if (row.word === null) pages = row.pages;
    else counted.set(row.word, row.pages);
  return { pages, counted };
}

/**
 * Finds the vocabulary words that begin with `beginning`, most frequent first. A site may have a hundred thousand that
 * begin with two letters: the first 2,000 by the alphabet are compared.
 */
export async function findWordsBegun({ projectId, db }: Tenant, beginning: string, limit: number): Promise<string[]> {
  const statement = sql<{ word: string }>`
    select word
      from (select word, pages from pathmend.vocabulary
             where project_id = ${projectId} and word >= ${beginning} and word < ${`${beginning}\u{10ffff}`}
             order by word limit 2000) as begun
     order by pages desc, word limit ${limit}`;
  return (await rowsWithPlan(db, statement, 'generic')).map(({ word }) => word);
}

/** For each unknown word the vocabulary words near it. */
export type NearWords = Map<string, { word: string; pages: number }[]>;

/**
 * Looks up on how many pages each of `words` is, and the vocabulary words near the unknown words: those of
 * `correctable` without a known form. db/functions/near_words.sql finds them without a scan of the whole vocabulary,
 * but misses words with one mistake in the first two letters and one in the last three. Only the last eight unknown
 * words are compared, each with up to 2,500 others; dead paths of real sites have at most three.
 */
export async function lookUpSpelling(
  { projectId, db }: Tenant,
  words: readonly string[],
  correctable: readonly { word: string; forms: readonly string[] }[],
): Promise<{ known: Map<string, number>; near: NearWords }> {
  const pairs = correctable.flatMap(({ word, forms }) => forms.map((form) => [word, form] as const));
  const statement = sql<{ unknown: string | null; word: string; pages: number }>`
    with known as materialized (${selectCounts(projectId, words)}),
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
    const nearWords = near.get(unknown) ?? [];
    near.set(unknown, nearWords);
    nearWords.push({ word, pages });
  }
  return { known, near };
}

/** The number of elements that pgvector allows in a sparse vector. */
const MAX_TERMS_PER_PART = 16_000;

/** Writes a sparse vector as text. Terms are 1 or more; four digits of a weight are enough. */
export function toSparse(entries: Iterable<readonly [number, number]>): string {
  const weights = Array.from(entries, ([term, weight]) => [term - 1, Number(weight.toPrecision(4))] as const);
  return new SparseVector(new Map(weights), MAX_TERM_ID).toPostgres();
}

/**
 * Writes a sparse vector in the binary format of `sparsevec_recv` (src/sparsevec.c of pgvector): dimensions, number of
 * terms and 32 zero bits; the terms less 1 in ascending order; their weights, which may not be 0, as 32-bit floats.
 */
function toSparseBytes(entries: readonly (readonly [number, number])[]): Buffer {
  const sorted = [...entries].sort(([a], [b]) => a - b);
  const bytes = Buffer.allocUnsafe(12 + 8 * sorted.length);
  let at = bytes.writeInt32BE(MAX_TERM_ID, 0);
  at = bytes.writeInt32BE(sorted.length, at);
  at = bytes.writeInt32BE(0, at);
  for (const [term] of sorted) at = bytes.writeInt32BE(term - 1, at);
  for (const [, weight] of sorted) at = bytes.writeFloatBE(weight, at);
  return bytes;
}

export async function replacePageTerms(
  trx: Trx,
  projectId: string,
  { sparse }: Pick<VectorTypes, 'sparse'>,
  pages: readonly { pageId: string; terms: TermWeights }[],
): Promise<void> {
  const rows = pages.flatMap(({ pageId, terms }) => {
    const entries = [...terms];
    const parts = Math.max(1, Math.ceil(entries.length / MAX_TERMS_PER_PART));
    return Array.from({ length: parts }, (_, part) => ({
      pageId,
      part,
      terms: toSparseBytes(entries.slice(part * MAX_TERMS_PER_PART, (part + 1) * MAX_TERMS_PER_PART)),
    }));
  });
  const terms = rows.map((row) => row.terms);
  await sql`delete from pathmend.page_terms
             where project_id = ${projectId} and page_id = any (${textArray(pages.map((p) => p.pageId))}::text[])
  `.execute(trx);
  await sql`
    insert into pathmend.page_terms (project_id, page_id, part, terms)
    select ${projectId}::uuid, i.page_id, i.part, i.terms
      from unnest(${textArray(rows.map((r) => r.pageId))}::text[], ${rows.map((r) => r.part)}::smallint[],
                  ${arrayOf(sparse, terms)}::sparsevec[])
        as i (page_id, part, terms)
    ${returningInsteadOfCopy}`.execute(trx);
}
