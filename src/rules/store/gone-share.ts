import type { Db } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';
import { query, sql } from '../../platform/database/sql.js';
import { MIN_DECISIONS, type GoneEvidence } from '../learned/gone-share.js';
import { mostMissed } from './path-rules.js';

const IS_DECISION = sql`r.origin = 'console' and r.prefix is null and r.pattern_start is null`;
const [MAX_DECISIONS, MAX_MISSED] = [1_000, 10_000];

/**
 * Reads the evidence for the share of gone paths, and the stored share. Rules have a statement of their own: on Citus
 * they are not stored with the sums. Redirects with the score 1 are those of rules.
 */
export async function readGoneEvidence(db: Db, projectId: string): Promise<GoneEvidence & { share: number | null }> {
  const [decisions] = await query(sql<Pick<GoneEvidence, 'gone' | 'accepted' | 'ignored'> & { share: number | null }>`
    select count(*) filter (where action = 'gone')::float8 as gone, count(*) filter (where action = 'redirect')::float8 as accepted,
           count(*) filter (where action = 'ignore')::float8 as ignored,
           (select gone_share::float8 from pathmend.index_versions where project_id = ${projectId}) as share
      from (select r.action from pathmend.rules r where r.project_id = ${projectId} and ${IS_DECISION}
             order by r.made_at desc limit ${MAX_DECISIONS}) as d`).rows(db);
  const [missed] = await query(sql<Pick<GoneEvidence, 'shown' | 'redirected' | 'judgedRight'>>`
    select count(*) filter (where redirected = 0)::float8 as shown,
           count(*) filter (where redirected > 0 and best_score < 1)::float8 as redirected,
           (select count(*) from pathmend.judgements where project_id = ${projectId} and is_right and score < 1)::float8 as "judgedRight"
      from (${mostMissed(projectId, MAX_MISSED)}) as m`).rows(db);
  return { ...decisions, ...missed } as GoneEvidence & { share: number | null };
}

/** The projects with enough decisions, or with a share that was estimated before. */
export function findDecidedProjects(db: Db, { from, to }: ProjectRange): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select r.project_id from pathmend.rules r where r.project_id between ${from} and ${to} and ${IS_DECISION}
     group by r.project_id having count(*) >= ${MIN_DECISIONS}
     union select project_id from pathmend.index_versions
            where project_id between ${from} and ${to} and gone_share is not null`).column(db, 'project_id');
}
