import type { Kysely, Transaction, ColumnType, Generated } from 'kysely';
import type { JsonObject, KeyMode, PageStatus, PathCounts, Plan, Scope } from '../../base/glossary.js';

/** The database as the query builder sees it, of all projects or of one tenant. */
export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** The tables that the query builder uses. db/schema.sql has all tables, with comments. */
export interface Database {
  'pathmend.models': ModelsTable;
  'pathmend.projects': ProjectsTable;
  'pathmend.api_keys': ApiKeysTable;
  'pathmend.pages': PagesTable;
}

export interface ModelsTable {
  model_id: Generated<number>;
  fingerprint: string;
  name: string;
  location: string | null;
  dimensions: number;
  created_at: Generated<Date>;
}

export interface ProjectsTable {
  project_id: Generated<string>;
  name: string;
  plan: Plan | null;
  access: Generated<'open' | 'restricted'>;
  read_rate: Generated<number>;
  read_burst: Generated<number>;
  write_rate: Generated<number>;
  write_burst: Generated<number>;
  model_id: number | null;
  model_choice: string | null;
  model_decided: ColumnType<unknown, null, null>;
  title_evidence: Generated<boolean>;
  site_search: string | null;
  path_case: PathCounts | null;
  path_slash: PathCounts | null;
  redirect_above: Generated<number>;
  shown_from: Generated<number>;
  created_at: Generated<Date>;
}

export interface ApiKeysTable {
  project_id: string;
  key_id: Generated<string>;
  key_hash: Buffer;
  ending: string;
  /** What its owner calls it. */
  name: string | null;
  mode: KeyMode;
  scopes: Scope[];
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface PagesTable {
  project_id: string;
  page_id: string;
  url: string;
  url_hash: Buffer;
  path_key: Buffer;
  title: string | null;
  content: string;
  content_hash: Buffer;
  former_hash: Generated<Buffer | null>;
  /** bigint, which pg returns as text. */
  content_version: ColumnType<string, number | undefined, number>;
  metadata: JsonObject | null;
  status: Generated<PageStatus>;
  error: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  status_at: Generated<Date>;
}
