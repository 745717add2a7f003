import { vectorFromSql } from 'pgvector/utils';
import { joinLookup, query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { arrayOf, textArray, returningInsteadOfCopy, toHalfBytes } from '../../platform/database/binary-values.js';

export interface NewChunk {
  pageId: string;
  modelId: number;
  ordinal: number;
  start: number;
  end: number;
  vector: Float32Array;
  /** The hash of the chunk's text, made by {@link hashText}. */
  textHash: bigint;
}

/** A page is found by words and path alone, or by vectors of its beginning, too, or by all vectors (INDEXED). */
export type IndexStage = 'words' | 'understood' | 'indexed';

export interface NewIndexRow {
  pageId: string;
  stage: IndexStage;
  contentVersion: string;
  path: string;
  pathWords: string;
  slugWords: string;
  signatures: { path: string; slug: string };
  words: string[];
  headings: string;
}

/**
 * Locks the pages whose content is still the embedded version, in page_id order, and returns the words that each has in
 * the vocabulary now. The other pages were changed or deleted: their vectors are stale. `wordsAlone`: leaves out pages
 * that have vectors.
 */
export async function lockUnchangedPages(
  trx: Trx,
  projectId: string,
  pages: readonly { pageId: string; contentVersion: string }[],
  wordsAlone = false,
): Promise<Map<string, string[]>> {
  const ordered = [...pages].sort((a, b) => (a.pageId < b.pageId ? -1 : 1));
  const isSame = sql`r.project_id = ${projectId} and r.page_id = i.page_id and r.content_version = i.version`;
  const { rows: locked } = await sql<{ page_id: string }>`
    select p.page_id
      from unnest(${textArray(ordered.map((p) => p.pageId))}::text[], ${ordered.map((p) => p.contentVersion)}::bigint[])
           as i (page_id, version)
      ${joinLookup('pages', 'p', ['page_id'], isSame, sql`offset 0 for no key update`)}`.execute(trx);
  // This is a separate statement: the first one would see the words from before its wait for locks.
  const { rows } = await sql<{
    page_id: string;
    words: string[];
    version: string;
    indexed: boolean;
    understood: boolean;
  }>`
    select page_id, words || string_to_array(path_words, ' ') as words, content_version as version,
           indexed_at is not null as indexed, understood
      from pathmend.indexed_pages
     where project_id = ${projectId} and page_id = any (${textArray(locked.map((row) => row.page_id))}::text[])
  `.execute(trx);
  const old = new Map(rows.map((row) => [row.page_id, row]));
  const versions = new Map(pages.map(({ pageId, contentVersion }) => [pageId, contentVersion]));
  return new Map(
    locked.flatMap(({ page_id }) => {
      const row = old.get(page_id);
      // The beginning of this content may have got its vectors while its words were prepared.
      const hasVectors = row && (row.indexed || (row.understood && row.version === versions.get(page_id)));
      return wordsAlone && hasVectors ? [] : [[page_id, row?.words ?? []]];
    }),
  );
}

/** The oids of pgvector's types in this database, for {@link arrayOf}. */
export interface VectorTypes {
  half: number;
  sparse: number;
}

export async function readVectorTypes(trx: Trx): Promise<VectorTypes> {
  const row = await query(sql<VectorTypes>`
    select 'halfvec'::regtype::oid as half, 'sparsevec'::regtype::oid as sparse`).first(trx);
  return row ?? { half: 0, sparse: 0 };
}

/** Replaces the vectors of pages under the given models. */
export async function replaceChunks(
  trx: Trx,
  projectId: string,
  { half }: Pick<VectorTypes, 'half'>,
  pageIds: readonly string[],
  modelIds: readonly number[],
  chunks: readonly NewChunk[],
): Promise<void> {
  await sql`
    delete from pathmend.chunks
     where project_id = ${projectId} and model_id = any (${modelIds}) and page_id = any (${textArray(pageIds)}::text[])
  `.execute(trx);
  // The maximum number of rows makes a statement of half a megabyte.
  const MAX_ROWS = 1_000;
  for (let from = 0; from < chunks.length; from += MAX_ROWS) {
    const slice = chunks.slice(from, from + MAX_ROWS);
    const vectors = slice.map((p) => toHalfBytes(p.vector));
    await sql`
      insert into pathmend.chunks (project_id, model_id, page_id, ordinal, start_at, end_at, embedding, text_hash)
      select ${projectId}::uuid, i.model_id, i.page_id, i.ordinal, i.start_at, i.end_at, i.embedding,
             i.text_hash
        from unnest(${slice.map((p) => p.modelId)}::int[], ${textArray(slice.map((p) => p.pageId))}::text[],
                    ${slice.map((p) => p.ordinal)}::int[], ${slice.map((p) => p.start)}::int[],
                    ${slice.map((p) => p.end)}::int[], ${arrayOf(half, vectors)}::halfvec[],
                    ${slice.map((p) => p.textHash.toString())}::bigint[])
          as i (model_id, page_id, ordinal, start_at, end_at, embedding, text_hash)
      ${returningInsteadOfCopy}`.execute(trx);
  }
}

/** @returns how many of the pages were not searchable before. */
export async function upsertIndexRows(trx: Trx, projectId: string, rows: readonly NewIndexRow[]): Promise<number> {
  const of = (text: (row: NewIndexRow) => string): Buffer => textArray(rows.map(text));
  const { rows: stored } = await sql<{ is_new: boolean }>`
    insert into pathmend.indexed_pages
      (project_id, page_id, content_version, path, path_words, slug_words, path_trigrams, slug_trigrams,
       words, headings, understood, indexed_at)
    select ${projectId}::uuid, i.page_id, i.version, i.path, i.path_words, i.slug_words,
           i.path_trigrams::bit(512), i.slug_trigrams::bit(512),
           string_to_array(i.words, ' '), i.headings,
           i.stage <> 'words', case when i.stage = 'indexed' then t.now end
      from unnest(${of((r) => r.pageId)}::text[], ${rows.map((r) => r.contentVersion)}::bigint[],
                  ${of((r) => r.path)}::text[], ${of((r) => r.pathWords)}::text[], ${of((r) => r.slugWords)}::text[],
                  ${of((r) => r.signatures.path)}::text[], ${of((r) => r.signatures.slug)}::text[],
                  ${of((r) => r.words.join(' '))}::text[],
                  ${of((r) => r.headings)}::text[], ${of((r) => r.stage)}::text[])
        as i (page_id, version, path, path_words, slug_words, path_trigrams, slug_trigrams, words,
              headings, stage),
           -- The time as a row: Citus takes no now() in a case.
           (select now() as now offset 0) as t
    on conflict (project_id, page_id) do update set
      content_version = excluded.content_version, path = excluded.path, path_words = excluded.path_words,
      slug_words = excluded.slug_words, path_trigrams = excluded.path_trigrams, slug_trigrams = excluded.slug_trigrams,
      words = excluded.words, headings = excluded.headings,
      arrival = excluded.arrival, understood = excluded.understood, unread = 0, indexed_at = excluded.indexed_at
    -- xmax of an updated row is this transaction, of an inserted one 0.
    returning xmax = 0 as is_new`.execute(trx);
  return stored.filter((row) => row.is_new).length;
}

const indexedAt = (stage: IndexStage): Sql => (stage === 'indexed' ? sql`now()` : sql`null::timestamptz`);

/** Gives new arrivals to pages whose words were stored before their vectors, so that both arrive together. */
export async function touchIndexRows(trx: Trx, projectId: string, pageIds: readonly string[], stage: IndexStage) {
  if (pageIds.length === 0) return;
  // This is a statement of its own: Citus allows no updates with values that differ from node to node.
  const arrivals = await query(sql<{ at: string }>`
    select nextval('pathmend.arrivals') as at from generate_series(1, ${2 * pageIds.length}::int)`).column(trx, 'at');
  const ids = textArray(pageIds);
  // Because of the array, the planner looks each page up, however many rows it expects of the join.
  const isOne = sql`r.project_id = ${projectId} and r.page_id = any (${ids}::text[]) and r.page_id = i.page_id`;
  const rows = (from: number): Sql => sql`
    unnest(${ids}::text[], ${arrivals.slice(from, from + pageIds.length)}::bigint[]) as i (page_id, arrival)`;
  await sql`
    update pathmend.page_terms r set arrival = i.arrival from ${rows(0)} where ${isOne}`.execute(trx);
  await sql`
    update pathmend.indexed_pages r
       set arrival = i.arrival, understood = true, unread = 0, indexed_at = ${indexedAt(stage)}
      from ${rows(pageIds.length)} where ${isOne}`.execute(trx);
}

/** Stores how many characters at the end of a long page have no vectors. */
export async function storeUnread(trx: Trx, projectId: string, pageId: string, unread: number): Promise<void> {
  await sql`
    update pathmend.indexed_pages set unread = ${unread}
     where project_id = ${projectId} and page_id = ${pageId}`.execute(trx);
}

/** Reads the words that a locked page adds to the vocabulary; undefined if it is not searchable. */
export async function readWordsOfPage(trx: Trx, projectId: string, pageId: string): Promise<string[] | undefined> {
  return query(sql<{ words: string[] }>`
    select words || string_to_array(path_words, ' ') as words from pathmend.indexed_pages
     where project_id = ${projectId} and page_id = ${pageId}`).value(trx, 'words', undefined);
}

/** Finds the vectors that a project has under a model, by the hash of their text. */
export async function findVectors(db: Db, projectId: string, modelId: number, hashes: readonly bigint[]) {
  if (hashes.length === 0) return new Map<bigint, Float32Array>();
  const isOne = sql`r.project_id = ${projectId} and r.model_id = ${modelId} and r.text_hash = i.hash`;
  const { rows } = await sql<{ hash: string; vector: string }>`
    select i.hash::text as hash, p.embedding::text as vector
      from unnest(${hashes.map(String)}::bigint[]) as i (hash)
      ${joinLookup('chunks', 'p', ['embedding'], isOne, sql`limit 1`)}`.execute(db);
  return new Map(rows.map(({ hash, vector }) => [BigInt(hash), Float32Array.from(vectorFromSql(vector) as number[])]));
}
