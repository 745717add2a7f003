import { sql } from '#kysely';
import type { JsonObject } from '../../glossary.js';
import type { Tenant } from '../session/tenants.js';

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
