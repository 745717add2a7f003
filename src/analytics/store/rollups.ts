import { query, sql, type Sql } from '../../platform/database/sql.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { NotFoundOutcome, Visitor } from '../../base/glossary.js';
import type { Db, Trx } from '../../platform/database/db.js';

/** The sums need these fields of a 404. */
export interface SummedNotFound {
  project_id: string;
  received_at: string;
  raw_path: string;
  origin: string | null;
  referrer: string | null;
  visitor: Visitor;
  outcome: NotFoundOutcome;
  is_test: boolean;
}

/** Adds 404s to the sums. Must run in the transaction that stores them; it holds a lock from here on. */
export async function addNotFounds(trx: Trx, rows: readonly SummedNotFound[]): Promise<void> {
  const facts = rows
    .filter((row) => !row.is_test)
    .map(({ project_id, received_at: at, raw_path, origin, referrer, visitor, outcome }) => {
      // The key of the plain path, as rules.rule_key.
      const plain = pathKey(raw_path.split(/[?#]/, 1)[0] ?? '').toString('hex');
      return { project_id, at, raw_path, origin, referrer, visitor, outcome, plain, n: 1 };
    });
  if (facts.length > 0) await sql`select pathmend.count_not_founds(${JSON.stringify(facts)}::jsonb)`.execute(trx);
}

/** An expression that adds searches to the sums, for the statement that stores them. `facts`: count_searches.sql. */
export const countSearches = (facts: Sql): Sql => sql`pathmend.count_searches(${facts})`;

export interface WaitingLink {
  project_id: string;
  search_id: string;
  /** When the click or 404 happened. */
  near: string;
}

/** Has searches linked to the clicks and 404s that name them. Before {@link addNotFounds}, against deadlocks. */
export async function addWaitingLinks(trx: Trx, links: readonly WaitingLink[]): Promise<void> {
  if (links.length === 0) return;
  await sql`
    insert into pathmend.waiting_links (project_id, search_id, near)
    select l.project_id, l.search_id, min(l.near)
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as l (project_id uuid, search_id uuid, near timestamptz)
     group by 1, 2 order by 1, 2
    -- Locks the row: whoever links it at this moment has not seen this event, and deletes it.
    on conflict (project_id, search_id) do update set added_at = now()`.execute(trx);
}

/** Removes these searches from those that wait to be linked. */
export async function eraseWaitingLinks(trx: Trx, projectId: string, searchIds: readonly string[]): Promise<void> {
  await sql`
    delete from pathmend.waiting_links where project_id = ${projectId} and search_id = any (${searchIds}::uuid[])
  `.execute(trx);
}

export interface LinkKey {
  projectId: string;
  searchId: string;
}

/** Links some of those that wait, behind `after`. Returns the last of them, and how many wait on. */
export async function linkSearches(db: Db, after: LinkKey, limit: number, patienceSeconds: number) {
  const row = await query(sql<{ p_project: string | null; p_search: string | null; waiting: number }>`
    select p_project, p_search, p_waiting::float8 as waiting
      from pathmend.link_searches(${after.projectId}, ${after.searchId}, ${limit}, make_interval(secs => ${patienceSeconds}))
  `).first(db);
  return row?.p_project && row.p_search
    ? { last: { projectId: row.p_project, searchId: row.p_search }, waiting: row.waiting }
    : { last: undefined, waiting: 0 };
}

/** The Mondays of the weeks that have partitions, the oldest first. */
export function listWeeks(db: Db): Promise<string[]> {
  return query(sql<{ week: string }>`
    select to_date(right(c.relname, 7), 'IYYY"w"IW')::text as week
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'pathmend.not_founds'::regclass order by 1`).column(db, 'week');
}

export async function findStaleRollups(db: Db): Promise<string[]> {
  const stale = db.selectFrom('pathmend.rollups').select('project_id').distinct().where('stale', '=', true);
  return (await stale.orderBy('project_id').execute()).map(({ project_id }) => project_id);
}

export async function markRollups(db: Db, projectId: string, stale: boolean): Promise<void> {
  await sql`
    insert into pathmend.rollups (project_id, what, stale)
    select p.project_id, w.what, ${stale} from pathmend.projects p cross join (values ('not_founds'), ('searches')) as w (what)
     where p.project_id = ${projectId}
    on conflict (project_id, what) do update set stale = excluded.stale`.execute(db);
}

/** Makes the sums of one week again from its rows: in two transactions, since others wait for their locks. */
export async function rebuildWeek(db: Db, projectId: string, week: string): Promise<void> {
  await sql`select pathmend.rebuild_not_founds(${projectId}, ${week}::date)`.execute(db);
  await sql`select pathmend.rebuild_searches(${projectId}, ${week}::date)`.execute(db);
}

/** Best suggestions are found again as searches are linked. `weeks`: only those of searches of these. */
export async function clearBestSuggestions(db: Db, projectId: string, weeks?: readonly string[]): Promise<void> {
  await sql`
    update pathmend.missing_paths set best_page_id = null, best_url = null, best_score = null, best_at = null
     where project_id = ${projectId} and best_at is not null
       and (${weeks ?? null}::date[] is null
            or date_trunc('week', best_at at time zone 'UTC')::date = any (${weeks ?? null}::date[]))`.execute(db);
}

/** Paths whose plain hash is not known: the database cannot make it. */
export function findPathsWithoutPlainHash(db: Db, projectId: string, limit: number): Promise<string[]> {
  return query(sql<{ path: string }>`
    select path from pathmend.missing_paths
     where project_id = ${projectId} and plain_hash is null and path_hash <> '' limit ${limit}`).column(db, 'path');
}

export async function setPlainHashes(db: Db, projectId: string, paths: readonly string[]): Promise<void> {
  await sql`
    update pathmend.missing_paths m set plain_hash = decode(i.plain, 'hex')
      from unnest(${paths}::text[], ${paths.map((path) => pathKey(path).toString('hex'))}::text[]) as i (path, plain)
     where m.project_id = ${projectId} and m.path_hash = sha256(convert_to(i.path, 'UTF8'))`.execute(db);
}

/** Projects that have sums from before a day; the most that one project's transaction is about. */
export async function dropOldRollups(db: Db, before: Date): Promise<void> {
  const monday = sql`date_trunc('week', ${before}::timestamptz at time zone 'UTC')::date`;
  const { rows } = await sql<{ project_id: string }>`
    select p.project_id from (select distinct project_id from pathmend.rollups) as p
     where exists (select from pathmend.not_found_days d where d.project_id = p.project_id and d.day < ${monday})
        or exists (select from pathmend.search_days d where d.project_id = p.project_id and d.day < ${monday})
  `.execute(db);
  for (const { project_id } of rows) await sql`select pathmend.drop_old_rollups(${project_id}, ${monday})`.execute(db);
}

const TABLES = [
  'waiting_links',
  'not_found_days',
  'missing_paths',
  'path_days',
  'referrer_weeks',
  'search_days',
  'position_days',
  'empty_search_days',
  'latency_days',
  'not_found_hours',
  'rollups',
] as const;

/** Deletes all sums of a project. */
export async function eraseProjectSums(trx: Trx, projectId: string): Promise<void> {
  for (const table of TABLES)
    await sql`delete from ${sql.table(`pathmend.${table}`)} where project_id = ${projectId}`.execute(trx);
}
