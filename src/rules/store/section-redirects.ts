import { query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { SectionRedirect } from '../learned/weigh-section-redirects.js';
import { selectTargetOf } from './rules-of-path.js';

/** A learned redirect with its page, as learning reads it. */
export interface LearnableRedirect {
  old_path: string;
  url: string;
  source: 'redirect' | 'click';
  clicks: number;
  /** The clicks on all pages for this old path; 0 for a redirect. */
  all_clicks: number;
  /** Whether this old path also has a redirect. */
  redirected: boolean;
}

/**
 * Reads a project's latest redirects, those of rules first: anybody can click, and clicks must not displace redirects.
 */
export async function readRecentRedirects(db: Db, projectId: string, limit: number): Promise<LearnableRedirect[]> {
  return query(sql<LearnableRedirect>`
    (select r.path as old_path, p.url, 'redirect' as source, 0::float8 as clicks, 0::float8 as all_clicks, true as redirected
       from (select * from pathmend.rules r
              where r.project_id = ${projectId} and r.action = 'redirect' and r.prefix is null
              order by r.made_at desc, r.rule_key limit ${limit}) as r
      cross join lateral (${selectTargetOf(projectId)}) as p
      order by r.made_at desc, r.rule_key)
    union all
    (select m.old_path, p.url, 'click', m.clicks::float8, (sum(m.clicks) over (partition by m.old_path_hash))::float8,
            exists (select from pathmend.rules r
                     where r.project_id = ${projectId} and r.rule_key = m.old_path_hash and r.action = 'redirect')
       from (select * from pathmend.learned_redirects
              where project_id = ${projectId}
              order by last_seen_at desc, old_path_hash limit ${limit}) as m
       join pathmend.pages p on p.project_id = ${projectId} and p.page_id = m.page_id
      order by m.last_seen_at desc, m.old_path_hash)
    limit ${limit}`).rows(db);
}

/** Finds those of the path keys that pages have; it returns them in hexadecimal. */
export async function findLivePathKeys(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<Set<string>> {
  const live = await query(sql<{ key: string }>`
    select distinct encode(path_key, 'hex') as key from pathmend.pages
     where project_id = ${projectId} and path_key = any (${keys}::bytea[])`).column(trx, 'key');
  return new Set(live);
}

export type SectionRedirectRow = Omit<Row<'section_redirects'>, 'project_id'>;

/** Replaces a project's section redirects. Returns true if answers may change. */
export function replaceSectionRedirects(trx: Trx, projectId: string, redirects: readonly SectionRedirect[]) {
  return query(sql<{ changed: boolean }>`
    with learned as materialized (
      select "oldPrefix" as old_prefix, "newPrefix" as new_prefix, support, contradictions, confidence,
             case when "byClicks" then 'click' else 'redirect' end as source
        from jsonb_to_recordset(${JSON.stringify(redirects)}::jsonb) as i
          ("oldPrefix" text, "newPrefix" text, support float8, contradictions float8, confidence float8, "byClicks" bool)
    ),
    before as materialized (
      select old_prefix, new_prefix, confidence, source from pathmend.section_redirects where project_id = ${projectId}
    ),
    dropped as (
      delete from pathmend.section_redirects s
       where s.project_id = ${projectId}
         and not exists (select from learned l where l.old_prefix = s.old_prefix and l.new_prefix = s.new_prefix)
    ),
    written as (
      insert into pathmend.section_redirects
        (project_id, old_prefix, new_prefix, support, contradictions, confidence, source)
      select ${projectId}::uuid, old_prefix, new_prefix, support, contradictions, confidence, source from learned
      on conflict (project_id, old_prefix, new_prefix) do update set
        support = excluded.support, contradictions = excluded.contradictions, confidence = excluded.confidence,
        source = excluded.source
    )
    select exists (
      select from learned l full join before b on b.old_prefix = l.old_prefix and b.new_prefix = l.new_prefix
       where (l.confidence, l.source) is distinct from (b.confidence, b.source)
    ) as changed`).value(trx, 'changed', false);
}

/** Lists section redirects ordered by confidence, highest first, starting after `after`. */
export function listSectionRedirects(db: Db, projectId: string, after: SectionRedirectRow | undefined, limit: number) {
  const { confidence = null, old_prefix: oldPrefix = null, new_prefix: newPrefix = null } = after ?? {};
  return query(sql<SectionRedirectRow>`
    select old_prefix, new_prefix, support, contradictions, confidence, source from pathmend.section_redirects
     where project_id = ${projectId}
       and (${confidence}::float8 is null
            or (-confidence, old_prefix, new_prefix) > (-${confidence}::float8, ${oldPrefix}::text, ${newPrefix}::text))
     order by confidence desc, old_prefix, new_prefix limit ${limit}`).rows(db);
}
