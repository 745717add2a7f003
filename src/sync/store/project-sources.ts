import { query, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { PathFilter } from '../../sources/path-filter.js';

export type SourceKind = 'url' | 'path' | 'upload';

/** The source that a worker syncs a project from. */
export interface ProjectSource extends PathFilter {
  kind: SourceKind;
  /** A url, a path on the worker's machine, or the name of the uploaded file. */
  source: string;
  /** Root url of the site, for sources with relative urls. */
  base: string | null;
  /** The seconds between two syncs; null: syncs only on request. */
  every_seconds: number | null;
  prune: boolean;
  /** Whether requests to private addresses are refused, since the url comes from the console. */
  guarded: boolean;
  /** Whether the site is crawled, since it has no sitemap; null: not known yet. */
  follows_links: boolean | null;
  set_by: string;
  set_at: Date;
  next_at: Date | null;
}

const COLUMNS = [
  'kind',
  'source',
  'base',
  'every_seconds',
  'prune',
  'guarded',
  'follows_links',
  'set_by',
  'set_at',
  'next_at',
  'include',
  'exclude',
] as const;

export function findProjectSource(db: Db, projectId: string): Promise<ProjectSource | undefined> {
  const statement = db.selectFrom('pathmend.project_sources').select(COLUMNS).where('project_id', '=', projectId);
  return statement.executeTakeFirst();
}

export function listProjectSources(db: Db): Promise<(ProjectSource & { project_id: string })[]> {
  const columns = ['project_id', ...COLUMNS] as const;
  return db.selectFrom('pathmend.project_sources').select(columns).execute();
}

/** Replaces the row by delete and insert: the role of an `api` process may not update it. */
export async function storeProjectSource(trx: Trx, projectId: string, source: ProjectSource): Promise<void> {
  await deleteProjectSource(trx, projectId);
  // Column by column: a caller's object may have more than these.
  const row = Object.fromEntries(COLUMNS.map((column) => [column, source[column]])) as unknown as ProjectSource;
  const values = { project_id: projectId, ...row };
  await trx.insertInto('pathmend.project_sources').values(values).execute();
}

export async function deleteProjectSource(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.project_sources').where('project_id', '=', projectId).execute();
}

/** Stores whether the site of this url is crawled, unless that is known already. */
export async function setFollowsLinks(db: Db, projectId: string, source: string, followsLinks: boolean): Promise<void> {
  await db
    .updateTable('pathmend.project_sources')
    .set({ follows_links: followsLinks })
    .where('project_id', '=', projectId)
    .where('source', '=', source)
    .where('follows_links', 'is', null)
    .execute();
}

/** Claims projects whose source is due, longest due first, and sets their next time. Each goes to one process. */
export function takeDueSources(trx: Trx, now: Date, limit: number): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    update pathmend.project_sources s set next_at = ${now}::timestamptz + make_interval(secs => s.every_seconds)
      from (select project_id from pathmend.project_sources where next_at <= ${now}
             order by next_at limit ${limit} for update skip locked) as due
     where s.project_id = due.project_id returning s.project_id`).column(trx, 'project_id');
}

/** Restarts the interval after a requested sync. */
export async function postponeSource(trx: Trx, projectId: string, now: Date): Promise<void> {
  await trx
    .updateTable('pathmend.project_sources')
    .set({ next_at: sql<Date>`${now}::timestamptz + make_interval(secs => every_seconds)` })
    .where('project_id', '=', projectId)
    .where('every_seconds', 'is not', null)
    .execute();
}
