import { sql } from 'kysely';
import type { Db, Trx } from '../db.js';
import { toHalfText } from '../half-text.js';

export interface ClaimedPage {
  project_id: string;
  page_id: string;
  url: string;
  content: string;
  content_version: string;
  /** The model that answers the project's searches; null before its first page is indexed. */
  model_id: number | null;
}

export interface PageKey {
  projectId: string;
  pageId: string;
}

/**
 * Takes pages for vectorization: those that wait for it become PROCESSING and are returned with their content. A
 * page that is gone or indexed already is not: its job is stale. Every row is locked before its status is looked at, so
 * that a job that was fetched while an upsert commits sees that upsert, which may have counted on this very job.
 */
export async function claimPages(trx: Trx, keys: readonly PageKey[]): Promise<ClaimedPage[]> {
  const { rows } = await sql<ClaimedPage>`
    with wanted as (
      select p.project_id, p.page_id, p.status
        from pathmend.pages p
        join unnest(${keys.map((k) => k.projectId)}::uuid[], ${keys.map((k) => k.pageId)}::text[]) as k (project_id, page_id)
          on p.project_id = k.project_id and p.page_id = k.page_id
       order by p.page_id
         for no key update of p
    )
    update pathmend.pages p
       set status = 'PROCESSING', status_at = now()
      from wanted w, pathmend.projects j
     where p.project_id = w.project_id and p.page_id = w.page_id and j.project_id = p.project_id
       and w.status in ('PENDING_VECTORIZATION', 'PROCESSING')
    returning p.project_id, p.page_id, p.url, p.content, p.content_version, j.model_id`.execute(trx);
  return rows;
}

export interface NewPassage {
  pageId: string;
  modelId: number;
  ordinal: number;
  start: number;
  end: number;
  vector: Float32Array;
}

export interface NewIndexRow {
  pageId: string;
  contentVersion: string;
  path: string;
  pathWords: string;
  slugWords: string;
  signatures: { path: string; slug: string };
  /** See pathmend.indexed_pages. */
  countedWords: string[];
  words: string[];
}

/**
 * Locks those pages of one project whose content is still the version that was embedded, in page_id order, and
 * tells which words each has in the vocabulary so far. Others changed or went meanwhile: their vectors are stale.
 */
export async function lockUnchangedPages(
  trx: Trx,
  projectId: string,
  pages: readonly { pageId: string; contentVersion: string }[],
): Promise<{ page_id: string; words: string[] | null }[]> {
  const { rows: locked } = await sql<{ page_id: string }>`
    select p.page_id
      from unnest(${pages.map((p) => p.pageId)}::text[], ${pages.map((p) => p.contentVersion)}::bigint[]) as i (page_id, version)
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = i.page_id and p.content_version = i.version
     order by p.page_id
       for no key update of p`.execute(trx);
  // A statement of its own: the one that waited for the locks would still see the words from before the wait.
  const { rows } = await sql<{ page_id: string; words: string[] }>`
    select page_id, words || string_to_array(path_words, ' ') as words from pathmend.indexed_pages
     where project_id = ${projectId} and page_id = any (${locked.map((row) => row.page_id)}::text[])`.execute(trx);
  const words = new Map(rows.map((row) => [row.page_id, row.words]));
  return locked.map(({ page_id }) => ({ page_id, words: words.get(page_id) ?? null }));
}

/** Replaces the vectors of pages under the given models. */
export async function replacePassages(
  trx: Trx,
  projectId: string,
  pageIds: readonly string[],
  modelIds: readonly number[],
  passages: readonly NewPassage[],
): Promise<void> {
  await sql`delete from pathmend.passages
             where project_id = ${projectId} and model_id = any (${modelIds}) and page_id = any (${pageIds})`.execute(trx);
  // Vectors travel as text; some hundred of them are a statement of a few hundred kilobytes.
  const ROWS = 200;
  for (let from = 0; from < passages.length; from += ROWS) {
    const slice = passages.slice(from, from + ROWS);
    await sql`
      insert into pathmend.passages (project_id, model_id, page_id, ordinal, start_at, end_at, embedding)
      select ${projectId}::uuid, i.model_id, i.page_id, i.ordinal, i.start_at, i.end_at, i.embedding::halfvec
        from unnest(${slice.map((p) => p.modelId)}::int[], ${slice.map((p) => p.pageId)}::text[],
                    ${slice.map((p) => p.ordinal)}::int[], ${slice.map((p) => p.start)}::int[],
                    ${slice.map((p) => p.end)}::int[], ${slice.map((p) => toHalfText(p.vector))}::text[])
          as i (model_id, page_id, ordinal, start_at, end_at, embedding)`.execute(trx);
  }
}

export async function upsertIndexRows(trx: Trx, projectId: string, rows: readonly NewIndexRow[]): Promise<void> {
  await sql`
    insert into pathmend.indexed_pages
      (project_id, page_id, content_version, path, path_words, slug_words, path_trigrams, slug_trigrams, counted_words, words)
    select ${projectId}::uuid, i.page_id, i.version, i.path, i.path_words, i.slug_words, i.path_trigrams::bit(512), i.slug_trigrams::bit(512),
           string_to_array(i.counted_words, ' '), string_to_array(i.words, ' ')
      from unnest(${rows.map((r) => r.pageId)}::text[], ${rows.map((r) => r.contentVersion)}::bigint[],
                  ${rows.map((r) => r.path)}::text[], ${rows.map((r) => r.pathWords)}::text[], ${rows.map((r) => r.slugWords)}::text[],
                  ${rows.map((r) => r.signatures.path)}::text[], ${rows.map((r) => r.signatures.slug)}::text[],
                  ${rows.map((r) => r.countedWords.join(' '))}::text[], ${rows.map((r) => r.words.join(' '))}::text[])
        as i (page_id, version, path, path_words, slug_words, path_trigrams, slug_trigrams, counted_words, words)
    on conflict (project_id, page_id) do update set
      content_version = excluded.content_version, path = excluded.path, path_words = excluded.path_words,
      slug_words = excluded.slug_words, path_trigrams = excluded.path_trigrams, slug_trigrams = excluded.slug_trigrams,
      counted_words = excluded.counted_words, words = excluded.words, arrival = excluded.arrival, indexed_at = now()`.execute(trx);
}

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
     where path_trigrams is null order by project_id, page_id limit ${limit} for no key update skip locked`.execute(trx);
  return rows;
}

export async function signPages(
  trx: Trx,
  pages: readonly { projectId: string; pageId: string; signatures: { path: string; slug: string }; countedWords: readonly string[] }[],
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

/** A project answers with the model of its first vectors, until change-model says otherwise. */
export async function adoptModel(trx: Trx, projectId: string, modelId: number): Promise<void> {
  await sql`update pathmend.projects set model_id = ${modelId} where project_id = ${projectId} and model_id is null`.execute(trx);
}

export async function markIndexed(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    update pathmend.pages set status = 'INDEXED', status_at = now(), error = null
     where project_id = ${projectId} and page_id = any (${pageIds})`.execute(trx);
}

/** After a failed attempt: back to waiting, or ERROR with the reason once the retries are used up. */
export async function markFailed(db: Db, key: PageKey, contentVersion: string | undefined, final: boolean, reason: string): Promise<void> {
  await sql`
    update pathmend.pages
       set status = ${final ? 'ERROR' : 'PENDING_VECTORIZATION'}, status_at = now(), error = ${final ? reason : null}
     where project_id = ${key.projectId} and page_id = ${key.pageId} and status = 'PROCESSING'
       and (${contentVersion ?? null}::bigint is null or content_version = ${contentVersion ?? null}::bigint)`.execute(db);
}

/**
 * Must be the last statement of a transaction that changes an index: it holds the row until commit. Whoever commits it
 * tells IndexChanges (src/index-changes.ts), which ends the leases that still say the version before.
 */
export async function bumpIndexVersion(trx: Trx, projectId: string): Promise<void> {
  await sql`
    insert into pathmend.index_versions as v (project_id, version) values (${projectId}, 2)
    on conflict (project_id) do update set version = v.version + 1`.execute(trx);
}

/** Pages that wait or were taken long ago without a change of state: their job may have been lost. */
export async function findStalledPages(db: Db, olderThanSeconds: number, limit: number): Promise<PageKey[]> {
  const { rows } = await sql<{ project_id: string; page_id: string }>`
    select project_id, page_id from pathmend.pages
     where status in ('PENDING_VECTORIZATION', 'PROCESSING')
       and status_at < now() - make_interval(secs => ${olderThanSeconds})
     order by status_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ projectId: row.project_id, pageId: row.page_id }));
}

/** The words that an indexed page adds to the vocabulary; the page's row is locked by the caller. */
export async function wordsOfPage(trx: Trx, projectId: string, pageId: string): Promise<string[]> {
  const { rows } = await sql<{ words: string[] }>`
    select words || string_to_array(path_words, ' ') as words from pathmend.indexed_pages where project_id = ${projectId} and page_id = ${pageId}`.execute(trx);
  return rows[0]?.words ?? [];
}
