import { sql } from '../../platform/database/sql.js';
import type { PathCounts, Plan, Rates, Thresholds } from '../../base/glossary.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

export interface ProjectRow {
  project_id: string;
  name: string;
  plan: Plan | null;
  access: 'open' | 'restricted';
  read_rate: number;
  read_burst: number;
  write_rate: number;
  write_burst: number;
  /** Whether titles are indexed with the content. */
  title_evidence: boolean;
  /** Scores over this redirect. At 1 only known redirects do. */
  redirect_above: number;
  /** The minimum score of what a 404 page shows. */
  shown_from: number;
  /** Path or url of the site's own search, up to the words; null: not known. */
  site_search: string | null;
  /** Whether the site tells upper and lower case in paths apart, and a slash at their end. Null: not set. */
  path_case: PathCounts | null;
  path_slash: PathCounts | null;
  /** The model's name; null: as the installation says. */
  model_choice: string | null;
}

/** What the routes for missing pages go by. */
export interface DeadUrlSettings extends Thresholds {
  siteSearch: string | null;
}

const COLUMNS = [
  'project_id',
  'name',
  'plan',
  'access',
  'read_rate',
  'read_burst',
  'write_rate',
  'write_burst',
  'title_evidence',
  'redirect_above',
  'shown_from',
  'site_search',
  'path_case',
  'path_slash',
  'model_choice',
] as const;

/** Undefined if the name is taken. */
export async function insertProject(
  db: Db,
  project: { name: string; plan: Plan | null; model_choice?: string } & Rates,
): Promise<ProjectRow | undefined> {
  return db
    .insertInto('pathmend.projects')
    .values(project)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function findProject(db: Db, idOrName: string): Promise<ProjectRow | undefined> {
  const id = idOrName.toLowerCase();
  const { rows } = await sql<ProjectRow>`
    select ${sql.join(COLUMNS.map(sql.ref))} from pathmend.projects
     where name = ${idOrName} or project_id::text = ${id}
     -- An identifier takes precedence over another project's equal name.
     order by project_id::text = ${id} desc
     limit 1`.execute(db);
  return rows[0];
}

export async function listProjects(db: Db): Promise<ProjectRow[]> {
  return db.selectFrom('pathmend.projects').select(COLUMNS).orderBy('name').execute();
}

/** Without what `auto` has decided, it decides anew. */
export type ProjectChange = Partial<Omit<ProjectRow, 'project_id'>> & { model_decided?: null };

export async function updateProject(db: Db, projectId: string, change: ProjectChange): Promise<ProjectRow | undefined> {
  return db
    .updateTable('pathmend.projects')
    .set(change)
    .where('project_id', '=', projectId)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Foreign keys delete its pages, vectors, vocabulary and keys, too; on Citus not its buckets and turns. */
export async function deleteProjectRow(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.projects').where('project_id', '=', projectId).execute();
  await sql`delete from pathmend.rate_buckets where project_id = ${projectId}`.execute(trx);
  await sql`delete from pathmend.turns where project_id = ${projectId}`.execute(trx);
}

/** Undefined if the project is deleted meanwhile. */
export async function findDeadUrlSettings({ db, projectId }: Tenant): Promise<DeadUrlSettings | undefined> {
  const { rows } = await sql<DeadUrlSettings>`
    select redirect_above as "redirectAbove", shown_from as "shownFrom", site_search as "siteSearch"
      from pathmend.projects where project_id = ${projectId}`.execute(db);
  return rows[0];
}

/** Undefined if the project is deleted meanwhile. */
export async function readProjectName({ db, projectId }: Tenant): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from pathmend.projects where project_id = ${projectId}`.execute(db);
  return rows[0]?.name;
}
