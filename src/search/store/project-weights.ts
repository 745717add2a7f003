import { MIN_REDIRECTS } from '../ranking/scores/calibration.js';
import { sql } from '../../platform/database/sql.js';
import type { JsonObject } from '../../base/glossary.js';
import { selectTargetOf } from '../../rules/store/rules-of-path.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';

/** A row of pathmend.own_weights; db/schema.sql says what its columns mean. */
export interface OwnWeightsRow {
  model_id: number | null;
  fitted_for: string | null;
  fitted_at: Date | null;
  verdict: string | null;
  weights: JsonObject | null;
  /** Those that the fit started from. */
  model_weights: JsonObject | null;
  none_added: number;
  figures: JsonObject | null;
  undone: boolean;
}

/** The base of a fit: the model, and the fingerprint of its weights. */
export interface FittedFor {
  modelId: number;
  fittedFor: string;
}

export function readOwnWeights(db: Db, projectId: string): Promise<OwnWeightsRow | undefined> {
  return sql<OwnWeightsRow>`
    select model_id, fitted_for, fitted_at, verdict, weights, model_weights, none_added, figures, undone
      from pathmend.own_weights where project_id = ${projectId}`.first(db);
}

/**
 * Stores a fit, unless it was undone meanwhile.
 * @returns whether answers may change: these weights are used now, or others were before.
 */
export async function storeOwnWeights(
  trx: Trx,
  projectId: string,
  fit: Omit<OwnWeightsRow, 'undone'>,
): Promise<boolean> {
  const { rows: before } = await sql<{ used: boolean }>`
    select verdict = 'accepted' and not undone as used from pathmend.own_weights
     where project_id = ${projectId} for update`.execute(trx);
  const { rows } = await sql<{ used: boolean }>`
    insert into pathmend.own_weights as w
      (project_id, model_id, fitted_for, fitted_at, verdict, weights, model_weights, none_added, figures)
    select project_id, ${fit.model_id}, ${fit.fitted_for}, ${fit.fitted_at}, ${fit.verdict},
           ${JSON.stringify(fit.weights)}::jsonb, ${JSON.stringify(fit.model_weights)}::jsonb, ${fit.none_added}, ${JSON.stringify(fit.figures)}::jsonb
      from pathmend.projects where project_id = ${projectId}
    on conflict (project_id) do update set
      model_id = excluded.model_id, fitted_for = excluded.fitted_for, fitted_at = excluded.fitted_at,
      verdict = excluded.verdict, weights = excluded.weights, model_weights = excluded.model_weights, none_added = excluded.none_added,
      figures = excluded.figures
      where not w.undone
    returning w.verdict = 'accepted' as used`.execute(trx);
  const [stored] = rows;
  return stored !== undefined && (stored.used || before[0]?.used === true);
}

/** Uses the model's weights from now on, until {@link requestOwnWeights}. */
export async function undoOwnWeights(trx: Trx, projectId: string): Promise<void> {
  await sql`
    insert into pathmend.own_weights (project_id, undone) values (${projectId}, true)
    on conflict (project_id) do update set undone = true`.execute(trx);
}

/** Makes a fit due. Weights that are in use stay so until it is done; weights that were undone stay so, too. */
export async function requestOwnWeights(trx: Trx, projectId: string): Promise<void> {
  await sql`
    insert into pathmend.own_weights as w (project_id) values (${projectId})
    on conflict (project_id) do update set
      undone = false, fitted_at = null, verdict = case when w.undone then null else w.verdict end`.execute(trx);
}

/** So many redirects, made since the last fit, make another one due. */
export const MIN_NEW_REDIRECTS = 20;

/**
 * Projects whose weights may be worth a fit: one was asked for, there was none for this model and its weights, or the
 * last one was `MIN_NEW_REDIRECTS` redirects ago. Those that were undone are left alone.
 */
export function findProjectsToFit(
  db: Db,
  { modelId, fittedFor }: FittedFor,
  { from, to }: ProjectRange,
): Promise<string[]> {
  const isKnown = sql`coalesce(w.model_id = ${modelId} and w.fitted_for = ${fittedFor} and w.fitted_at is not null, false)`;
  // No lateral join, and a range of projects even of one: Citus plans neither otherwise.
  return sql<{ project_id: string }>`
    select i.project_id
      from pathmend.index_versions i
      join pathmend.projects p on p.project_id = i.project_id
      left join pathmend.own_weights w on w.project_id = i.project_id
     where p.model_id = ${modelId} and i.project_id between ${from} and ${to}
       and coalesce(not w.undone, true)
       and ((w.project_id is not null and w.fitted_at is null)
            or (select count(*)
                  from (select from pathmend.rules r
                         where r.project_id = i.project_id and r.action = 'redirect' and r.prefix is null
                           and r.made_at > case when ${isKnown} then w.fitted_at else '-infinity' end
                         limit ${MIN_REDIRECTS}) as r
               ) >= case when ${isKnown} then ${MIN_NEW_REDIRECTS}::int else ${MIN_REDIRECTS}::int end)`.column(
    db,
    'project_id',
  );
}

/** A redirect whose page is indexed. */
export interface OwnRedirect {
  old_path: string;
  page_id: string;
  /** The page's path with its query string. */
  path: string;
}

/** Redirects in the order of the hashes of their old paths, which is a random one that does not change. */
export function readOwnRedirects(db: Db, projectId: string, limit: number): Promise<OwnRedirect[]> {
  return sql<OwnRedirect>`
    select r.path as old_path, p.page_id, x.path
      from (select * from pathmend.rules
             where project_id = ${projectId} and action = 'redirect' and prefix is null
             order by rule_key limit ${limit}) as r
     cross join lateral (${selectTargetOf(projectId)}) as p
      join pathmend.indexed_pages x on x.project_id = ${projectId} and x.page_id = p.page_id
     order by r.rule_key`.rows(db);
}

/** Some indexed pages, in such an order, too. */
export function readSomePages(db: Db, projectId: string, limit: number): Promise<{ page_id: string; path: string }[]> {
  return sql<{ page_id: string; path: string }>`
    select p.page_id, x.path
      from (select page_id, path_key from pathmend.pages where project_id = ${projectId}
             order by path_key limit ${limit}) as p
      join pathmend.indexed_pages x on x.project_id = ${projectId} and x.page_id = p.page_id
     order by p.path_key`.rows(db);
}
