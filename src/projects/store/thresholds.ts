import { sql } from '../../platform/database/sql.js';
import type { Thresholds } from '../../base/glossary.js';
import type { Tenant } from '../../platform/database/session/tenants.js';

/** Undefined if the project is deleted meanwhile. */
export async function findThresholds({ db, projectId }: Tenant): Promise<Thresholds | undefined> {
  const { rows } = await sql<Thresholds>`
    select redirect_above as "redirectAbove", shown_from as "shownFrom"
      from pathmend.projects where project_id = ${projectId}`.execute(db);
  return rows[0];
}
