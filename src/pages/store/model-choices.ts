import { AUTO, OWN_MODELS } from '../../embedding/locate-model.js';
import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** The languages of a sample of a project's pages. */
export interface LanguageCount {
  /** Shares of the pages with a known language, by ISO 639-1 code, largest first. */
  languages: Record<string, number>;
  pages: number;
  /** The number of sampled pages whose metadata or path declares a language. */
  declared: number;
}

/** The decision of `auto` for a project. */
export interface ModelDecision extends LanguageCount {
  model: 'english' | 'multilingual';
  decided_at: string;
}

export interface ModelChoice {
  project_id: string;
  choice: string | null;
  /** EMBEDDING_MODEL of the worker that started last. */
  installation: string;
  decided: ModelDecision | null;
  /** The name of the wanted model; null: `auto` has not decided yet. */
  wanted: string | null;
  /** The cause when workers cannot load the wanted model; null: they can, or did not try. */
  failure: string | null;
}

/** Ignores a choice that is not a known name: an `api` process may write projects, but not names (db/access). */
const chosen = sql`(select n.name from pathmend.model_names n where n.name = p.model_choice)`;
const installed = sql`coalesce((select n.name from pathmend.model_names n where n.configured_at is not null
                                 order by n.configured_at desc limit 1), ${AUTO})`;
const wanted = sql`(case coalesce(${chosen}, ${installed}) when ${AUTO} then p.model_decided ->> 'model'
                         else coalesce(${chosen}, ${installed}) end)`;

export async function findModelChoices(db: Db, projectIds: readonly string[]): Promise<ModelChoice[]> {
  return query(sql<ModelChoice>`
    select p.project_id, ${chosen} as choice, ${installed} as installation, p.model_decided as decided,
           ${wanted} as wanted, (select n.failure from pathmend.model_names n where n.name = ${wanted}) as failure
      from pathmend.projects p where p.project_id = any (${projectIds}::uuid[])`).rows(db);
}

/** Reads the model choice of a project; undefined if the project was deleted. */
export async function findModelChoice(db: Db, projectId: string): Promise<ModelChoice | undefined> {
  return (await findModelChoices(db, [projectId]))[0];
}

/** A SQL expression: the location of the model with a name. */
const locationOf = (name: Sql): Sql => sql`coalesce(${JSON.stringify(OWN_MODELS)}::jsonb ->> ${name}, ${name})`;

/** The id of the model with a name; undefined before a worker has loaded it. */
export async function findModelNamed(db: Db, name: string): Promise<number | undefined> {
  return query(sql<{ model_id: number }>`
    select model_id from pathmend.models where location = ${locationOf(sql`${name}::text`)}
     order by configured_at desc limit 1`).value(db, 'model_id', undefined);
}

/** Allows projects to choose a model by this name. */
export async function addModelName(db: Db, name: string): Promise<void> {
  await sql`
    insert into pathmend.model_names (name) select ${name}
     where not exists (select from pathmend.model_names where name = ${name})
    on conflict do nothing`.execute(db);
}

/** Stores the cause of a failure to load a model. Long causes are cut: a page that a hub answers with may be large. */
export async function noteModelFailure(db: Db, name: string, cause: string | null): Promise<void> {
  await sql`
    insert into pathmend.model_names (name, failure) values (${name}, left(${cause}::text, 1000))
    on conflict (name) do update set failure = excluded.failure
     where model_names.failure is distinct from excluded.failure`.execute(db);
}

/** Finds the names of models that projects want, each with one of these projects, and why workers cannot load it. */
export async function findWantedModels(db: Db, limit: number) {
  return query(sql<{ name: string; project: string; failure: string | null }>`
    select w.name, w.project, n.failure
      from (select ${wanted} as name, min(p.name) as project from pathmend.projects p group by 1) as w
      left join pathmend.model_names n on n.name = w.name
     where w.name is not null order by w.name limit ${limit}`).rows(db);
}

/** Reads the EMBEDDING_MODEL of the worker that started last; undefined without one. */
export async function readInstallationModel(db: Db): Promise<string | undefined> {
  const names = db.selectFrom('pathmend.model_names').select('name').where('configured_at', 'is not', null);
  return (await names.orderBy('configured_at', 'desc').limit(1).executeTakeFirst())?.name;
}

/** Finds a random sample of projects with pages whose wanted model has this name. */
export async function findProjectsWaitingForModel(db: Db, name: string, limit: number) {
  return query(sql<{ project_id: string; name: string }>`
    select p.project_id, p.name from pathmend.projects p
     where p.model_id is not null and ${wanted} = ${name} order by random() limit ${limit}`).rows(db);
}

/** Records the EMBEDDING_MODEL of a starting worker. The last start wins. */
export async function setInstallationModel(db: Db, name: string): Promise<void> {
  await sql`
    insert into pathmend.model_names (name, configured_at)
    select ${name}::text, greatest(now(), max(configured_at) + interval '1 microsecond') from pathmend.model_names
    on conflict (name) do update set configured_at = excluded.configured_at`.execute(db);
}

/** The start of a page's text, which is longer for HTML, and its declared language. */
export interface SampledPage {
  url: string;
  text: string;
  lang: string | null;
  /** The number of seconds since the page was first stored. */
  age: number;
}

/** Reads the first and the latest pages of a project, by id, which begins with the time. */
export async function samplePages(db: Db, projectId: string, limit: number, characters: number) {
  const selectIds = (order: Sql): Sql => sql`
    (select page_id from pathmend.pages where project_id = ${projectId} order by page_id ${order} limit ${limit / 2})`;
  return query(sql<SampledPage>`
    select url, concat(title, E'\\n', left(content, ${characters}::int * case when starts_with(content, '<') then 10 else 1 end)) as text,
           coalesce(metadata ->> 'lang', metadata ->> 'language') as lang,
           extract(epoch from now() - created_at)::float8 as age
      from pathmend.pages
     where project_id = ${projectId}
       and page_id = any (array(${selectIds(sql`asc`)} union ${selectIds(sql`desc`)}))`).rows(db);
}

/** Whether a project `p` answers with another model than the wanted one. */
const isChanging = sql`p.model_id is distinct from (select w.model_id from pathmend.models w
                                                     where w.location = ${locationOf(wanted)}
                                                     order by w.configured_at desc limit 1)`;

export async function countChangingProjects(db: Db): Promise<number> {
  return query(sql<{ projects: number }>`
    select count(*)::int as projects from pathmend.projects p where p.model_id is not null and ${isChanging}
  `).value(db, 'projects', 0);
}

/** Finds projects whose model is undecided or not the wanted one, or with vectors of another from a reverted change. */
export async function findProjectsToChange(db: Db): Promise<string[]> {
  // There are two statements: on Citus, one statement may not read tables of every node together with those of the
  // projects.
  const changing = await query(sql<{ project_id: string }>`
    select p.project_id from pathmend.projects p where p.model_id is not null and ${isChanging}
  `).column(db, 'project_id');
  const mixed = await query(sql<{ project_id: string }>`
    select distinct i.project_id
      from pathmend.index_versions i
      join pathmend.projects p on p.project_id = i.project_id
     cross join pathmend.models m
     where m.model_id <> p.model_id
       and exists (select 1 from pathmend.chunks v
                    where v.project_id = i.project_id and v.model_id = m.model_id)`).column(db, 'project_id');
  return [...new Set([...changing, ...mixed])];
}
