import { sql, type Sql } from '../../platform/database/sql.js';
import type { JsonObject } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

/** Bytes of metadata that are read for every candidate; longer metadata is read later, for the pages shown. */
const MAX_SMALL = 1_000;

export interface SmallMetadata {
  /** As text; null if there is none, or if it is `large`: too long to read for every candidate. */
  metadata: string | null;
  large: boolean | null;
}

/** The columns of {@link SmallMetadata} of a page `p`. */
export const smallMetadata: Sql = sql`
  pg_column_size(p.metadata) > ${MAX_SMALL} as large,
  case when pg_column_size(p.metadata) <= ${MAX_SMALL} then p.metadata::text end as metadata`;

/** Undefined if it is large: {@link loadMetadata} reads it. */
export function parseSmallMetadata({ metadata, large }: SmallMetadata): JsonObject | null | undefined {
  if (large === true) return undefined;
  return metadata === null ? null : (JSON.parse(metadata) as JsonObject);
}

/** The sizes of pages' contents and metadata, without reading the contents. A page that was deleted is missing. */
export async function readDocumentBytes(
  { projectId, db }: Tenant,
  pageIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ page_id: string; bytes: number }>`
    select page_id, octet_length(content) + coalesce(octet_length(metadata::text), 0) as bytes from pathmend.pages
     where project_id = ${projectId} and page_id = any (${pageIds}::text[])`.execute(db);
  return new Map(rows.map(({ page_id, bytes }) => [page_id, bytes]));
}

/** What `retrieve` shows of a page besides. A page that was deleted meanwhile is missing. */
export async function loadDocuments(
  { projectId, db }: Tenant,
  pageIds: readonly string[],
): Promise<Map<string, { content: string; metadata: JsonObject | null }>> {
  const { rows } = await sql<{ page_id: string; content: string; metadata: JsonObject | null }>`
    select page_id, content, metadata from pathmend.pages
     where project_id = ${projectId} and page_id = any (${pageIds}::text[])`.execute(db);
  return new Map(rows.map(({ page_id, ...document }) => [page_id, document]));
}

/** Reads metadata that was too large to read for every candidate. */
export async function loadMetadata(
  { projectId, db }: Tenant,
  pageIds: readonly string[],
): Promise<Map<string, JsonObject | null>> {
  const { rows } = await sql<{ page_id: string; metadata: JsonObject | null }>`
    select page_id, metadata from pathmend.pages
     where project_id = ${projectId} and page_id = any (${pageIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.page_id, row.metadata]));
}
