import type { Service } from '#src/app/service.js';
import { query } from './sql.js';
import { until } from './until.js';

export interface StoredClick {
  search_id: string;
  clicked_url: string;
  clicked_rank: string;
  raw_path: string;
  origin: string | null;
  occurred_at: Date;
  received_at: Date;
  is_test: boolean;
}

export interface StoredNotFound {
  raw_path: string;
  origin: string | null;
  referrer: string | null;
  user_agent: string | null;
  visitor: string | null;
  visitor_ip: string | null;
  received_at: Date;
  is_test: boolean;
  outcome: string | null;
  search_id: string | null;
}

/** The clicks of a project in the order of their arrival, once there are so many. */
export function storedClicks(service: Service, projectId: string, count: number): Promise<StoredClick[]> {
  return stored<StoredClick>(service, 'clicks', projectId, count);
}

/** The 404 events of a project in the order of their arrival, once there are so many. */
export function storedNotFounds(service: Service, projectId: string, count: number): Promise<StoredNotFound[]> {
  return stored<StoredNotFound>(service, 'not_founds', projectId, count);
}

async function stored<Row extends object>(
  service: Service,
  table: string,
  projectId: string,
  count: number,
): Promise<Row[]> {
  let rows: Row[] = [];
  await until(`${count} rows of ${table} are stored`, async () => {
    rows = await query<Row>(
      service,
      `select * from pathmend.${table} where project_id = $1 order by received_at, event_id`,
      [projectId],
    );
    return rows.length >= count;
  });
  return rows;
}

/** Resolves when so many searches of a project are logged. */
export function loggedSearches(service: Service, projectId: string, count: number): Promise<void> {
  return until(`${count} searches are logged`, async () => {
    const rows = await query(service, 'select from pathmend.searches where project_id = $1', [projectId]);
    return rows.length >= count;
  });
}

/** Resolves when no search that is logged waits to be linked to its clicks and 404s. */
export function linkedSearches(service: Service): Promise<void> {
  return until('searches are linked', async () => {
    const rows = await query(
      service,
      'select from pathmend.waiting_links join pathmend.searches using (project_id, search_id) limit 1',
    );
    return rows.length === 0;
  });
}
