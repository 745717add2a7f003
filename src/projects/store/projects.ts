import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Plan, Rates } from '../../base/glossary.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

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
  'trial',
  'site_search',
  'path_case',
  'path_slash',
  'model_choice',
] as const;

/** db/migrations/0003_projects.sql says what the columns mean. */
export type ProjectRow = Pick<Row<'projects'>, (typeof COLUMNS)[number]>;

export type NewProject = { name: string; plan: Plan | null; model_choice?: string } & Rates;

/** Undefined if the name is taken. */
export function insertProject(db: Db, project: NewProject) {
  return db
    .insertInto('pathmend.projects')
    .values(project)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Finds a project. An identifier takes precedence over another project's equal name. */
export function findProject(db: Db, idOrName: string): Promise<ProjectRow | undefined> {
  return db
    .selectFrom('pathmend.projects')
    .select(COLUMNS)
    .where((eb) => eb.or([eb('name', '=', idOrName), hasId(idOrName)]))
    .orderBy(hasId(idOrName), 'desc')
    .limit(1)
    .executeTakeFirst();
}

const hasId = (id: string) => sql<boolean>`project_id::text = ${id.toLowerCase()}`;

export function listProjects(db: Db): Promise<ProjectRow[]> {
  return db.selectFrom('pathmend.projects').select(COLUMNS).orderBy('name').execute();
}

/** The fields that may change. `model_decided: null` removes the decision of `auto`, which then decides again. */
export type ProjectChange = Partial<Omit<ProjectRow, 'project_id'>> & { model_decided?: null };

export function updateProject(db: Db, projectId: string, change: ProjectChange): Promise<ProjectRow | undefined> {
  const update = db.updateTable('pathmend.projects').set(change).where('project_id', '=', projectId);
  return update.returning(COLUMNS).executeTakeFirst();
}

/** Foreign keys delete its pages, vectors, vocabulary and keys, too; on Citus not its buckets and turns. */
export async function deleteProjectRow(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('pathmend.projects').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('pathmend.rate_buckets').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('pathmend.turns').where('project_id', '=', projectId).execute();
}

/** The settings that the routes for missing pages follow; undefined if the project is deleted meanwhile. */
export function findDeadUrlSettings({ db, projectId }: Tenant) {
  return db
    .selectFrom('pathmend.projects')
    .select(['redirect_above as redirectAbove', 'shown_from as shownFrom', 'site_search as siteSearch', 'trial'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** A query of the score over which guesses would redirect: null where they do, as the project is not in trial. */
export function selectTrialThreshold(projectId: string): Sql<{ above: number | null }> {
  return sql`select case when trial then redirect_above end as above from pathmend.projects where project_id = ${projectId}`;
}

export async function findTrialThreshold({ db, projectId }: Tenant): Promise<number | undefined> {
  return query(selectTrialThreshold(projectId)).value(db, 'above', undefined);
}

/** Undefined if the project is deleted meanwhile. */
export async function readProjectName({ db, projectId }: Tenant): Promise<string | undefined> {
  const projects = db.selectFrom('pathmend.projects').select('name').where('project_id', '=', projectId);
  return (await projects.executeTakeFirst())?.name;
}
