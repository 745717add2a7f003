import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { PathCounts } from '../../base/glossary.js';
import type { RequestedPath, OrderedRule } from '../requested-path.js';
import type { RuleCode } from '../../rule-formats/read/read-rule.js';
import type { Target } from '../../rule-formats/read-redirect.js';
import { targetKeys } from '../../text/paths/plain-path.js';

/**
 * A rule that a dead path falls under, as searches read it. Searches do not read rules that ignore a path: these change
 * no answer.
 */
export interface PathRule extends OrderedRule {
  /** The rule's key in hexadecimal, as in rule_hits.rule_key. */
  key: string;
  action: 'redirect' | 'gone';
  target: string | null;
  code: RuleCode | null;
  pass_query: boolean;
  /** Whether now is between the dates of the rule. */
  in_force: boolean;
  /** Whether the rule has a date: an answer by it is not cached. */
  is_dated: boolean;
  /** The project's settings for case and slash. */
  path_case: PathCounts | null;
  path_slash: PathCounts | null;
  /** The indexed page that the rule leads to. */
  page_id: string | null;
  /** Whether the page of its target exists and is not indexed yet. */
  is_pending: boolean;
}

/** The number of gone paths in a folder from which on no guess is trusted there. */
export const MANY_GONE = 4;

/** A condition on rules `r`: now is between their dates. */
export const isInForce: Sql = sql`(r.valid_from <= now()) is not false and (r.valid_until > now()) is not false`;

/** The maximum number of rules of one path, each for another host, that are read where the host is not known. */
const MAX_OF_HOSTS = 20;

/** A query of the rules of a path, except patterns. It returns rules that their dates or host may rule out, too. */
export function selectRulesOfPath(projectId: string, requested: RequestedPath): Sql<PathRule> {
  const { keys, whole, prefixes, tails, ruleKeys, hosts } = requested;
  const ofHost = hosts.length === 0 ? sql`true` : sql`(r.host is null or r.host = any (${hosts}::text[]))`;
  const rules = (condition: Sql, max: number): Sql => sql`
    cross join lateral (select r.* from pathmend.rules r
                         where r.project_id = ${projectId} and r.action <> 'ignore' and ${condition} and ${ofHost}
                         limit ${max}) as r`;
  // A wildcard holds for its folder itself only if that is not a page: another spelling of a page leads to the page,
  // not to where the wildcard sends all paths below. The last key, in SQL: compileOnce has no elements of a list.
  const holds = sql`
    (r.prefix <> all (${whole}::text[]) or not exists (
      select from pathmend.pages f join pathmend.indexed_pages x on x.project_id = f.project_id and x.page_id = f.page_id
       where f.project_id = ${projectId} and f.path_key = (${keys}::bytea[])[cardinality(${keys}::bytea[])] and x.indexed_at is not null))`;
  return sql<PathRule>`
    select encode(r.rule_key, 'hex') as key, encode(coalesce(r.plain_key, r.rule_key), 'hex') as plain, r.prefix, r.path,
           null::jsonb as pattern, r.spellings, r.host, r.action, r.target,
           r.code, r.pass_query, x.page_id, p.page_id is not null and x.page_id is null as is_pending,
           ${isInForce} as in_force,
           r.valid_from is not null or r.valid_until is not null as is_dated,
           t.path_case, t.path_slash
      from pathmend.projects t
     cross join lateral (select r.*, r.target_key as page_key
              from unnest(${ruleKeys}::bytea[]) as k (key) ${rules(sql`r.rule_key = k.key`, 1)}
            union all
            select r.*, r.target_key
              from unnest(${ruleKeys}::bytea[]) as k (key) ${rules(sql`r.plain_key = k.key`, MAX_OF_HOSTS)}
            union all
            select r.*, coalesce(r.target_key, sha256(convert_to(r.new_prefix || i.tail, 'UTF8')))
              from unnest(${prefixes}::text[], ${tails}::text[]) as i (prefix, tail)
              ${rules(sql`r.prefix = i.prefix and ${holds}`, MAX_OF_HOSTS)}) as r
      left join lateral (${selectTargetOf(projectId, sql`r.page_key`)}) as p on true
      left join lateral (select x.page_id from pathmend.indexed_pages x
                          where x.project_id = ${projectId} and x.page_id = p.page_id and x.indexed_at is not null
                         offset 0) as x on true
     where t.project_id = ${projectId}`;
}

type PatternRow = Omit<PathRule, 'pattern' | 'in_force'> & {
  start: string;
  valid_from: Date | null;
  valid_until: Date | null;
};

/** A query of a project's patterns. */
export function selectPatterns(projectId: string): Sql<PatternRow> {
  return sql<PatternRow>`
    select encode(r.rule_key, 'hex') as key, '' as plain, null as prefix, r.path, '{}'::text[] as spellings, r.host, r.action,
           r.target, r.code, r.pass_query, null as page_id, false as is_pending, r.valid_from, r.valid_until,
           r.valid_from is not null or r.valid_until is not null as is_dated, r.pattern_start as start, t.path_case, t.path_slash
      from pathmend.rules r join pathmend.projects t on t.project_id = r.project_id
     where r.project_id = ${projectId} and r.pattern_start is not null and r.action <> 'ignore'`;
}

/**
 * Finds the pages at targets that patterns made of a path. Undefined: the project has no such page; null: it is not
 * indexed.
 */
export async function findPagesAt(
  { db, projectId }: Pick<Tenant, 'db' | 'projectId'>,
  targets: readonly (Target | undefined)[],
): Promise<(string | null | undefined)[]> {
  const rows = targets.flatMap((target, at) => {
    if (!target) return [];
    const { host = null, hash = null } = 'href' in target ? target : {};
    const [key, bare] = targetKeys(target.path).map(hex);
    return [{ at, key, bare, path: target.path, host, hash: hash && hex(hash) }];
  });
  if (rows.length === 0) return [];
  const indexed = await query(sql<{ at: number; page_id: string | null }>`
    select r.at, x.page_id
      from (select i.at, decode(i.key, 'hex') as target_key, decode(i.bare, 'hex') as target_bare_key, i.path as target_path,
                   i.host as target_host, decode(i.hash, 'hex') as target_hash
              from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
                as i (at int, key text, bare text, path text, host text, hash text) offset 0) as r
     cross join lateral (${selectTargetOf(projectId)}) as p
      left join pathmend.indexed_pages x on x.project_id = ${projectId} and x.page_id = p.page_id
                                        and x.indexed_at is not null`).rows(db);
  const pages = new Map(indexed.map(({ at, page_id }) => [at, page_id]));
  return targets.map((_, at) => pages.get(at));
}

const hex = (value: Buffer): string => value.toString('hex');

/** A query that counts the paths of a folder that are gone, {@link MANY_GONE} at most. */
export function countGoneIn(projectId: string, folder: Buffer | null): Sql {
  return sql`
    select count(*)::int from (select from pathmend.rules r
                                where r.project_id = ${projectId} and r.folder_hash = ${folder}::bytea
                                limit ${MANY_GONE}::int) as f`;
}

/**
 * A query of the page that a rule `r` leads to, as `page_id` and `url`. Of pages with its path key, one with an equal
 * url or path comes first; one with the target's query string before one without. A path may be on any number of hosts:
 * a thousand pages are looked at (with 100,000, a list of fifty rules took 3 s), and always the page with exactly the
 * target's url.
 * @param key the key of the target's path, if it is not the rule's target_key
 */
export function selectTargetOf(projectId: string, key = sql`r.target_key`): Sql {
  const pages = (condition: Sql): Sql => sql`
    select p.page_id, p.url, p.url_hash, p.path_key from pathmend.pages p where p.project_id = ${projectId} and ${condition}`;
  return sql`
    select p.page_id, p.url
      from (${pages(sql`p.url_hash = r.target_hash`)}
            union all
            (${pages(sql`p.path_key in (${key}, r.target_bare_key)`)} limit 1000)) as p
     where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
     order by coalesce(p.url_hash = r.target_hash, false) desc,
              (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path) desc nulls last,
              p.path_key = ${key} desc, p.page_id
     limit 1`;
}

/** Whether rules `r` name the page with this path key as their target. */
export const matchesTarget = (key: Sql): Sql => sql`(r.target_key = ${key} or r.target_bare_key = ${key})`;

/** The url of a page `p` with the query string and section that the target of a rule `r` has. */
export const pageOfTarget: Sql = sql`
  case when r.target ~ '^[^#]*[?]' then split_part(p.url, '?', 1) else p.url end
    || coalesce(substring(r.target from '[?#].*$'), '')`;

/** Whether a page shows where old paths went: a redirect leads to it, or visitors clicked it. */
export function hasRedirects(
  trx: Trx,
  projectId: string,
  { page_id: pageId, path_key: pathKey }: { page_id: string; path_key: Buffer },
): Promise<boolean> {
  return query(sql<{ exists: boolean }>`
    select exists (select from pathmend.learned_redirects
                    where project_id = ${projectId} and page_id = ${pageId})
        or exists (select from pathmend.rules r
                    where r.project_id = ${projectId}
                      and ${matchesTarget(sql`${pathKey}::bytea`)}) as exists`).value(trx, 'exists', false);
}
