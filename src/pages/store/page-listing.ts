import { query, sql, type Sql } from '../../platform/database/sql.js';
import { rowsInOrder } from '../../platform/database/rows-in-order.js';
import type { JsonObject, PageStatus } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { Db } from '../../platform/database/db.js';
import { pathBeginning, pathBeginsWith } from '../../rules/store/page-urls.js';
import {
  fieldColumns,
  LISTED_NAMES,
  RETRIEVED_NAMES,
  type ListedFields,
  type RetrievedFields,
} from '../page-fields.js';

export interface PageSummary extends ListedFields {
  page_id: string;
  url: string;
  status: PageStatus;
  /** The reason why the page is in ERROR. */
  error: string | null;
  updated_at: Date;
  /** The time when its content was indexed; null before it is indexed for the first time. */
  indexed_at: Date | null;
}

export interface PageFilter {
  status?: PageStatus | undefined;
  urlHash?: Buffer | undefined;
  /** The page_id after which the list begins. */
  after?: string | undefined;
}

/** The columns of a {@link PageSummary} but `indexed_at`, of a page `p`. */
export const listedColumns = sql`p.page_id, p.url, ${fieldColumns('p', LISTED_NAMES)}, p.status, p.error, p.updated_at`;

/** The columns of a {@link PageSummary} of a page `p`. */
export const pageSummary = sql`
  ${listedColumns},
  (select x.indexed_at from pathmend.indexed_pages x where x.project_id = p.project_id and x.page_id = p.page_id)
    as indexed_at`;

/** Lists pages by page_id. Omits unused conditions, so that each combination reads at most `limit` rows of an index. */
export async function selectPageSummaries({ projectId, db }: Tenant, filter: PageFilter, limit: number) {
  const and = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql`and ${condition}`);
  return query(sql<PageSummary>`
    select ${pageSummary}
      from pathmend.pages p
     where p.project_id = ${projectId}
       ${and(filter.status, sql`p.status = ${filter.status}`)}
       ${and(filter.urlHash, sql`p.url_hash = ${filter.urlHash}`)}
       ${and(filter.after, sql`p.page_id > ${filter.after}`)}
     order by p.page_id limit ${limit}`).rows(db);
}

export interface WholePage {
  url: string;
  title: string | null;
  content: string;
  metadata: JsonObject | null;
}

/** The number of pages that one query reads: 20 MB at most. */
const MAX_WHOLE = 20;

/** Reads all pages of a project with their content, by page_id. */
export async function* readWholePages(db: Db, projectId: string): AsyncGenerator<WholePage> {
  const read = (after: string, limit: number) =>
    db
      .selectFrom('pathmend.pages')
      .select(['page_id', 'url', 'title', 'content', 'metadata'])
      .where('project_id', '=', projectId)
      .where('page_id', '>', after)
      .orderBy('page_id')
      .limit(limit)
      .$castTo<WholePage & { page_id: string }>()
      .execute();
  for await (const { url, title, content, metadata } of rowsInOrder(read, '', (row) => row.page_id, MAX_WHOLE))
    yield { url, title, content, metadata };
}

/** Reads a page; undefined if the project has no such page. `content` only with `withContent`. */
export async function selectPage({ projectId, db }: Tenant, pageId: string, withContent: boolean) {
  return query(sql<PageSummary & { content?: string }>`
    select ${pageSummary} ${withContent ? sql`, p.content` : sql``}
      from pathmend.pages p
     where p.project_id = ${projectId} and p.page_id = ${pageId}`).first(db);
}

/** The maximum number of rows per search by a part of the url or title; the next search continues there. */
const MAX_SCANNED = 20_000;

/**
 * Like {@link selectPageSummaries}, for pages whose url or title contains a text, case-insensitive. There is no index
 * for it: reads at most {@link MAX_SCANNED} pages. `next`: where to continue; null at the end.
 */
export async function searchPageSummaries(
  { projectId, db }: Tenant,
  { text, status, after }: { text: string; status?: PageStatus | undefined; after?: string | undefined },
  limit: number,
): Promise<{ pages: PageSummary[]; next: string | null }> {
  const { rows } = await sql<PageSummary & { last: string | null }>`
    with scanned as materialized (
      select page_id, url, title from pathmend.pages
       where project_id = ${projectId} ${status === undefined ? sql`` : sql`and status = ${status}`}
         ${after === undefined ? sql`` : sql`and page_id > ${after}`}
       order by page_id limit ${MAX_SCANNED}
    ), found as (
      select page_id from scanned where position(lower(${text}) in lower(url || ' ' || coalesce(title, ''))) > 0 order by page_id limit ${limit + 1}
    )
    select ${pageSummary}, e.last
      from (select case when count(*) = ${MAX_SCANNED} then max(page_id) end as last from scanned) e
      left join (found f join pathmend.pages p on p.project_id = ${projectId} and p.page_id = f.page_id) on true
     order by p.page_id`.execute(db);
  const matching = rows.filter(({ page_id }) => (page_id as string | null) !== null);
  const pages = matching.slice(0, limit);
  const next = matching.length > limit ? (pages.at(-1)?.page_id ?? null) : (rows[0]?.last ?? null);
  return { pages, next };
}

/** The maximum number of pages that are read, in a tenth of a second. */
const MAX_READ = 50_000;

/** Finds indexed pages with a text in their path or title, shortest paths first. */
export async function selectPagesLike(db: Db, projectId: string, text: string, limit: number) {
  return query(sql<{ url: string; path: string; title: string | null }>`
    select p.url, p.path, p.title
      from (select p.url, p.title, x.path
              from pathmend.indexed_pages x
              join pathmend.pages p on p.project_id = x.project_id and p.page_id = x.page_id
             where x.project_id = ${projectId} limit ${MAX_READ}) as p
     where position(lower(${text}::text) in lower(p.path || ' ' || coalesce(p.title, ''))) > 0
     order by length(p.path), p.path limit ${limit}`).rows(db);
}

/** The max bytes of JSON that are read for every candidate; longer metadata is read later, for the pages shown. */
const MAX_SMALL = 1_000;

export interface SmallMetadata {
  /** The metadata as text; null if there is none, or if it is `large`: too long to read for every candidate. */
  metadata: string | null;
  large: boolean | null;
}

/** A condition that the metadata of a page `p` is short enough to be read for every candidate. */
const isSmall: Sql = sql`p.metadata_bytes <= ${MAX_SMALL}`;

/** The columns that {@link smallMetadata} reads. */
export const METADATA_COLUMNS = ['metadata', 'metadata_bytes'];

/** The columns of {@link SmallMetadata} of a page `p`. */
export const smallMetadata: Sql = sql`
  not (${isSmall}) as large, case when ${isSmall} then p.metadata::text end as metadata`;

/** Parses metadata; undefined if it is large: {@link loadMetadata} reads it. */
export function parseSmallMetadata({ metadata, large }: SmallMetadata): JsonObject | null | undefined {
  if (large === true) return undefined;
  return metadata === null ? null : (JSON.parse(metadata) as JsonObject);
}

const retrievedBytes = sql.join(
  RETRIEVED_NAMES.map((name) => sql`coalesce(octet_length(${sql.ref(`p.${name}`)}::text), 0)`),
  sql` + `,
);

/** Reads rows of pages `p` by their ids. Deleted pages are missing. */
async function rowsById<Row>({ projectId, db }: Tenant, pageIds: readonly string[], columns: Sql) {
  const rows = await query(sql<Row & { page_id: string }>`
    select p.page_id, ${columns} from pathmend.pages p
     where p.project_id = ${projectId} and p.page_id = any (${pageIds}::text[])`).rows(db);
  return rows.map(({ page_id, ...row }) => [page_id, row as unknown as Row] as const);
}

/** Reads the sizes of {@link loadDocuments}' results, without reading the contents. */
export async function readDocumentBytes(tenant: Tenant, pageIds: readonly string[]): Promise<Map<string, number>> {
  const columns = sql`octet_length(p.content) + ${retrievedBytes} as bytes`;
  const rows = await rowsById<{ bytes: number }>(tenant, pageIds, columns);
  return new Map(rows.map(([id, { bytes }]) => [id, bytes]));
}

type Document = RetrievedFields & { content: string };

/** Reads the content and fields of pages for `retrieve`. */
export async function loadDocuments(tenant: Tenant, pageIds: readonly string[]): Promise<Map<string, Document>> {
  const columns = sql`p.content, ${fieldColumns('p', RETRIEVED_NAMES)}`;
  return new Map(await rowsById<Document>(tenant, pageIds, columns));
}

/** The pages whose large metadata a statement reads: a megabyte, or thirty where numbers have hundreds of digits. */
const MAX_LARGE = 10;

/** Reads metadata that was too large to read for every candidate. */
export async function loadMetadata(tenant: Tenant, pageIds: readonly string[]) {
  const read = new Map<string, JsonObject | null>();
  for (let at = 0; at < pageIds.length; at += MAX_LARGE) {
    const batch = pageIds.slice(at, at + MAX_LARGE);
    for (const [id, { metadata }] of await rowsById<{ metadata: JsonObject | null }>(tenant, batch, sql`p.metadata`))
      read.set(id, metadata);
  }
  return read;
}

export interface OutlinedPage {
  url: string;
  path: string;
  title: string | null;
  /** The field `description` of its metadata, if that is a short text. */
  description: string | null;
}

/** The maximum number of characters of an outline: urls and titles may take kilobytes each. */
const MAX_OUTLINE_CHARACTERS = 1_000_000;

/** Reads indexed pages in the order of their paths, within limits. `below`: the beginning of paths; '': all. */
export async function selectOutline({ projectId, db }: Tenant, below: string, limit: number) {
  // One more than the limit shows whether there are more.
  const { rows } = await sql<OutlinedPage & { of_all: number }>`
    select url, path, title, description, of_all
      from (select f.*, count(*) over ()::int as of_all, row_number() over listed as place,
                   sum(length(url) + coalesce(length(title), 0) + coalesce(length(description), 0)) over listed as characters
              from (select p.url, x.path, p.title, ${pathBeginning} as beginning, x.page_id,
                           case when ${isSmall} and jsonb_typeof(p.metadata -> 'description') = 'string'
                                then left(p.metadata ->> 'description', 300) end as description
                      from pathmend.indexed_pages x
                      join pathmend.pages p on p.project_id = x.project_id and p.page_id = x.page_id
                     where x.project_id = ${projectId}
                       ${below === '' ? sql`` : sql`and ${pathBeginsWith(below)} and starts_with(lower(x.path), lower(${below}))`}
                     order by ${pathBeginning} using ~<~, x.page_id limit ${limit + 1}) as f
            -- After the limit: before it, all pages would be read to be numbered.
            window listed as (order by beginning using ~<~, page_id)) as shown
     where place <= ${limit} and characters <= ${MAX_OUTLINE_CHARACTERS}
     order by place`.execute(db);
  return { pages: rows, isCut: rows.length < (rows[0]?.of_all ?? 0) };
}
