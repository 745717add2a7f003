import { firstOf, rowsOf, valueOf, sql, type Sql } from '../../platform/database/sql.js';
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
  /** Whether no guess redirects. */
  trial: boolean;
  /** Path or url of the site's own search, up to the words; null: not known. */
  site_search: string | null;
  /** Whether the site tells upper and lower case in paths apart, and a slash at their end. Null: not set. */
  path_case: PathCounts | null;
  path_slash: PathCounts | null;
  /** The model's name; null: as the installation says. */
  model_choice: string | null;
}

/** The routes for missing pages follow these settings. */
export interface DeadUrlSettings extends Thresholds {
  siteSearch: string | null;
  trial: boolean;
}

const COLUMNS = sql`
  project_id, name, plan, access, read_rate, read_burst, write_rate, write_burst, title_evidence, redirect_above,
  shown_from, trial, site_search, path_case, path_slash, model_choice`;

/** Lists columns and their values. An undefined value is left out. */
function listColumns(row: object): [Sql, unknown][] {
  return Object.entries(row).flatMap(([name, value]) => (value === undefined ? [] : [[sql.ref(name), value]]));
}

/** Undefined if the name is taken. */
export function insertProject(db: Db, project: { name: string; plan: Plan | null; model_choice?: string } & Rates) {
  const [names, values] = [listColumns(project).map(([name]) => name), listColumns(project).map(([, value]) => value)];
  return firstOf(
    db,
    sql<ProjectRow>`
    insert into pathmend.projects (${sql.join(names)}) values (${sql.join(values)})
    on conflict (name) do nothing returning ${COLUMNS}`,
  );
}

export function findProject(db: Db, idOrName: string): Promise<ProjectRow | undefined> {
  const id = idOrName.toLowerCase();
  return firstOf(
    db,
    sql<ProjectRow>`
    select ${COLUMNS} from pathmend.projects
     where name = ${idOrName} or project_id::text = ${id}
     -- An identifier takes precedence over another project's equal name.
     order by project_id::text = ${id} desc
     limit 1`,
  );
}

export function listProjects(db: Db): Promise<ProjectRow[]> {
  return rowsOf(db, sql<ProjectRow>`select ${COLUMNS} from pathmend.projects order by name`);
}

/** Without what `auto` has decided, it decides anew. */
export type ProjectChange = Partial<Omit<ProjectRow, 'project_id'>> & { model_decided?: null };

export function updateProject(db: Db, projectId: string, change: ProjectChange): Promise<ProjectRow | undefined> {
  const changes = listColumns(change).map(([name, value]) => sql`${name} = ${value}`);
  return firstOf(
    db,
    sql<ProjectRow>`
    update pathmend.projects set ${sql.join(changes)} where project_id = ${projectId} returning ${COLUMNS}`,
  );
}

/** Foreign keys delete its pages, vectors, vocabulary and keys, too; on Citus not its buckets and turns. */
export async function deleteProjectRow(trx: Trx, projectId: string): Promise<void> {
  await sql`delete from pathmend.projects where project_id = ${projectId}`.execute(trx);
  await sql`delete from pathmend.rate_buckets where project_id = ${projectId}`.execute(trx);
  await sql`delete from pathmend.turns where project_id = ${projectId}`.execute(trx);
}

/** Undefined if the project is deleted meanwhile. */
export function findDeadUrlSettings({ db, projectId }: Tenant): Promise<DeadUrlSettings | undefined> {
  return firstOf(
    db,
    sql<DeadUrlSettings>`
    select redirect_above as "redirectAbove", shown_from as "shownFrom", site_search as "siteSearch", trial
      from pathmend.projects where project_id = ${projectId}`,
  );
}

/** A query of the score over which guesses would redirect: null where they do, as the project is not in trial. */
export function selectTrialThreshold(projectId: string): Sql {
  return sql`select case when trial then redirect_above end as above from pathmend.projects where project_id = ${projectId}`;
}

export async function findTrialThreshold({ db, projectId }: Tenant): Promise<number | undefined> {
  const above = await valueOf(db, sql<{ above: number | null }>`${selectTrialThreshold(projectId)}`, 'above', null);
  return above ?? undefined;
}

/** Undefined if the project is deleted meanwhile. */
export async function readProjectName({ db, projectId }: Tenant): Promise<string | undefined> {
  return valueOf(
    db,
    sql<{ name: string }>`
    select name from pathmend.projects where project_id = ${projectId}`,
    'name',
    undefined,
  );
}
