import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

/** The 404s of a page's own url since the page was last pushed. */
export interface MissingReports {
  /** Networks of the visitors, up to a limit. */
  networks: readonly string[];
  /** Hours of 404s without a visitor's address, up to a limit. */
  hours: readonly string[];
  firstAt: string | null;
  lastAt: string | null;
}

interface ReportedPage {
  /** The path's index in the input. */
  place: number;
  project_id: string;
  page_id: string;
  url: string;
}

/** Finds indexed pages by path keys. Ignores 404s before the page's last change, or an hour old: these waited. */
export async function findPagesByPathKey(trx: Trx, paths: readonly { projectId: string; key: Buffer; at: string }[]) {
  const input = paths.map(({ projectId, key, at }, place) => {
    return { place, project_id: projectId, key: key.toString('hex'), at };
  });
  const projects = projectsOf(paths.map((path) => path.projectId));
  return query(sql<ReportedPage>`
    select i.place, p.project_id, p.page_id, p.url
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
           as i (place int, project_id uuid, key text, at timestamptz)
      join pathmend.pages p on p.project_id = i.project_id and p.path_key = decode(i.key, 'hex')
      join pathmend.indexed_pages x on x.project_id = p.project_id and x.page_id = p.page_id
     where i.at > now() - interval '1 hour' and i.at > p.updated_at
     -- By this Citus asks only the workers that have them.
       and p.project_id = any (${projects}::uuid[]) and x.project_id = any (${projects}::uuid[])
     order by i.place`).rows(trx);
}

interface ReportsRow {
  project_id: string;
  page_id: string;
  networks: string[];
  hours: Date[];
  first_at: Date | null;
  last_at: Date | null;
  reported_at: Date | null;
}

/**
 * Locks and reads the reports of these pages. Waits for pages that are being deleted, and leaves them out. Project by
 * project: on Citus a statement locks rows of one node only.
 */
export async function lockReports(trx: Trx, pages: readonly ReportedPage[]): Promise<ReportsRow[]> {
  const locked: ReportsRow[] = [];
  for (const projectId of projectsOf(pages.map((page) => page.project_id))) {
    const ids = pages.filter((page) => page.project_id === projectId).map((page) => page.page_id);
    await sql`
      insert into pathmend.missing_pages (project_id, page_id, path_key)
      select p.project_id, p.page_id, p.path_key
        from pathmend.pages p
       where p.project_id = ${projectId} and p.page_id = any (${ids}::text[])
       order by p.page_id
         for key share of p
      on conflict do nothing`.execute(trx);
    const { rows } = await sql<ReportsRow>`
      select project_id, page_id, networks, hours, first_at, last_at, reported_at from pathmend.missing_pages
       where project_id = ${projectId} and page_id = any (${ids}::text[])
       order by page_id for update`.execute(trx);
    locked.push(...rows);
  }
  return locked;
}

/** Returns the distinct projects, in the order of locking. */
function projectsOf(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}

export async function writeReports(
  trx: Trx,
  reports: readonly (MissingReports & { projectId: string; pageId: string; reported: boolean })[],
): Promise<void> {
  for (const projectId of projectsOf(reports.map((report) => report.projectId))) {
    const ofProject = reports.filter((report) => report.projectId === projectId);
    // The time is a row, because Citus takes no now() in a case.
    await sql`
      update pathmend.missing_pages m
         set networks = i.networks, hours = i.hours, first_at = i.first_at, last_at = i.last_at,
             reported_at = case when i.reported then coalesce(m.reported_at, i.now) end
        from (select r."pageId" as page_id, array(select jsonb_array_elements_text(r.networks)) as networks,
                     array(select jsonb_array_elements_text(r.hours)::timestamptz) as hours,
                     r."firstAt" as first_at, r."lastAt" as last_at, r.reported, now() as now
                from jsonb_to_recordset(${JSON.stringify(ofProject)}::jsonb)
                     as r ("pageId" text, networks jsonb, hours jsonb, "firstAt" timestamptz, "lastAt" timestamptz,
                           reported boolean)
              offset 0) as i
       where m.project_id = ${projectId} and m.page_id = i.page_id`.execute(trx);
  }
}

/** Deletes the reports of pages that are pushed again. Returns true if they had changed answers. */
export async function clearReports(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ reported: boolean }>`
    with locked as (
      select page_id from pathmend.missing_pages
       where project_id = ${projectId} and page_id = any (${pageIds}) order by page_id for update
    )
    delete from pathmend.missing_pages m using locked l where m.project_id = ${projectId} and m.page_id = l.page_id
    returning m.reported_at is not null as reported`.execute(trx);
  return rows.some((row) => row.reported);
}

/** A condition on pages: the page is not reported missing, or its path has one of these keys. */
export function exceptMissing(pageId: Sql, projectId: string, ownKeys: readonly Buffer[]): Sql {
  return sql`${pageId} not in (select m.page_id from pathmend.missing_pages m
                where m.project_id = ${projectId}::uuid and m.reported_at is not null
                  and m.path_key <> all (${ownKeys}::bytea[]))`;
}

/** Finds the indexed pages with this path key. */
export async function findIndexedPagesByKey({ projectId, db }: Tenant, key: Buffer) {
  return query(sql<{ page_id: string; url: string }>`
    select p.page_id, p.url from pathmend.pages p
      join pathmend.indexed_pages x on x.project_id = p.project_id and x.page_id = p.page_id
     where p.project_id = ${projectId} and p.path_key = ${key}::bytea`).rows(db);
}

/** Stores requests to the proxy for these pages' own urls, at most once a minute. */
export async function recordRequested({ projectId, db }: Tenant, pageIds: readonly string[], isTest: boolean) {
  const column = sql.ref(isTest ? 'asked_test_at' : 'asked_at');
  await sql`
    insert into pathmend.missing_pages as m (project_id, page_id, path_key, ${column})
    select p.project_id, p.page_id, p.path_key, now() from pathmend.pages p
     where p.project_id = ${projectId} and p.page_id = any (${pageIds})
     order by p.page_id for key share of p
    on conflict (project_id, page_id) do update set ${column} = excluded.${column}
     where m.${column} is null or excluded.${column} - m.${column} > interval '1 minute'`.execute(db);
}

/** Finds pages reported missing; with `requestedWith` also those whose urls the proxy got within an hour. */
export async function findMissingPages(
  { projectId, db }: Tenant,
  pageIds: readonly string[],
  requestedWith: 'live' | 'test' | undefined,
): Promise<Set<string>> {
  const { rows } = await sql<{ page_id: string }>`
    select page_id from pathmend.missing_pages
     where project_id = ${projectId} and page_id = any (${pageIds})
       and (reported_at is not null
            or case ${requestedWith ?? ''}::text when 'live' then asked_at when 'test' then asked_test_at end
               > now() - interval '1 hour')`.execute(db);
  return new Set(rows.map((row) => row.page_id));
}

/** Erases an address from the reports. */
export async function eraseReporter(trx: Trx, projectId: string, ip: string): Promise<void> {
  await sql`
    update pathmend.missing_pages
       set networks = array(select n from unnest(networks) as n where not n::inet && ${ip}::inet)
     where project_id = ${projectId} and exists (select from unnest(networks) as n where n::inet && ${ip}::inet)
  `.execute(trx);
}

/** Erases reporters and hours of the pages of these paths. */
export async function eraseReports(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<void> {
  await sql`
    update pathmend.missing_pages set networks = '{}', hours = '{}'
     where project_id = ${projectId} and path_key = any (${pathKeys}::bytea[])`.execute(trx);
}
