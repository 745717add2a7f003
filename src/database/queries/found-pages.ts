import { sql } from 'kysely';
import type { JsonObject } from '../../glossary.js';
import type { Db } from '../connect.js';

export interface FoundPage {
  page_id: string;
  url: string;
  path: string;
  title: string | null;
  metadata: JsonObject | null;
}

/** What suggestions show of pages. */
export async function loadFoundPages(db: Db, projectId: string, pageIds: readonly string[]): Promise<Map<string, FoundPage>> {
  const { rows } = await sql<FoundPage>`
    select p.page_id, p.url, x.path, p.title, p.metadata
      from pathmend.pages p
      join pathmend.indexed_pages x on x.project_id = p.project_id and x.page_id = p.page_id
     where p.project_id = ${projectId} and p.page_id = any (${pageIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.page_id, row]));
}

export interface RetrievedPage {
  page_id: string;
  url: string;
  title: string | null;
  content: string;
  metadata: JsonObject | null;
}

/** Whole documents, for retrieve. */
export async function loadRetrievedPages(db: Db, projectId: string, pageIds: readonly string[]): Promise<Map<string, RetrievedPage>> {
  const { rows } = await sql<RetrievedPage>`
    select page_id, url, title, content, metadata from pathmend.pages
     where project_id = ${projectId} and page_id = any (${pageIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.page_id, row]));
}
