import { sql, type Sql } from '../../platform/database/sql.js';
import type { RuleAction, RuleKind, RuleOrigin } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';
import { readHosts } from './page-urls.js';
import { selectTargetOf } from './rules-of-path.js';

export interface RuleRow {
  /** Of rule_hits, in hexadecimal. */
  key: string;
  kind: RuleKind;
  action: RuleAction;
  /** As it was written; of all below a path as `/old/*`. */
  path: string;
  /** In what other ways its path was listed. */
  spellings: string[];
  /** The page's url; while a redirect waits for its page, what was written; of all below a path as `/new/:splat`. */
  target: string | null;
  origin: RuleOrigin;
  made_by: string | null;
  made_at: Date;
  /** Of a confirmed proposal: how sure the service was. Null of all others. */
  confidence: number | null;
}

export interface ListedRule extends RuleRow {
  /** False while the page that a redirect leads to does not exist or is not indexed: searches pass it over. */
  active: boolean;
  hits: number;
  last_hit_at: Date | null;
}

/** Of one statement. */
const BATCH_RULES = 1_000;

export interface RuleFilter {
  kinds?: readonly RuleKind[] | undefined;
  action?: RuleAction | undefined;
  /** Part of a path or target, in any case. */
  search?: string | undefined;
}

const KIND = sql`case when r.prefix is null then 'exact' when r.prefix like '%#%' then 'pattern' else 'prefix' end`;

/**
 * A query of a project's rules.
 * @param rules narrows them, as a query of rows `r`
 * @param hosts of the project's pages: a redirect to another one leads away, and waits for no page.
 */
function selectRules(projectId: string, hosts: ReadonlySet<string>, rules: Sql): Sql<ListedRule> {
  return sql<ListedRule>`
    select encode(r.rule_key, 'hex') as key, ${KIND} as kind, r.action, r.path, coalesce(p.url, r.target) as target, r.origin,
           r.made_by, r.made_at, r.confidence, r.spellings,
           (r.prefix is not null or r.action <> 'redirect' or r.target_host <> all (${[...hosts]}::text[])
            or exists (select from pathmend.indexed_pages x
                        where x.project_id = ${projectId} and x.page_id = p.page_id)) is true as active,
           coalesce(h.hits, 0)::float8 as hits, h.last_hit_at
      from (select * from pathmend.rules r where r.project_id = ${projectId} ${rules}) as r
      left join lateral (${selectTargetOf(projectId)}) as p on r.prefix is null
      left join pathmend.rule_hits h on h.project_id = ${projectId} and h.rule_key = r.rule_key`;
}

/** Ordered by path, starting after `after`. */
export async function listRuleRows(
  db: Db,
  projectId: string,
  { kinds, action, search }: RuleFilter,
  after: string | undefined,
  limit: number,
): Promise<ListedRule[]> {
  const and = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql`and ${condition}`);
  const narrowed = sql`
    ${and(kinds, sql`${KIND} = any (${kinds}::text[])`)} ${and(action, sql`r.action = ${action}`)}
    ${and(search, sql`position(lower(${search}) in lower(r.path || ' ' || coalesce(r.target, ''))) > 0`)}
    ${and(after, sql`r.path collate "C" > ${after}::text collate "C"`)}
    order by r.path collate "C" limit ${limit}`;
  const found = selectRules(projectId, await readHosts(db, projectId), narrowed);
  return (await sql<ListedRule>`${found} order by r.path collate "C"`.execute(db)).rows;
}

/**
 * The rules with these keys.
 * @param known the hosts of the project's pages, where the caller has read them
 */
export async function readRules(
  db: Db,
  projectId: string,
  keys: readonly Buffer[],
  known?: ReadonlySet<string>,
): Promise<ListedRule[]> {
  if (keys.length === 0) return [];
  const hosts = known ?? (await readHosts(db, projectId));
  const found = selectRules(projectId, hosts, sql`and r.rule_key = any (${keys}::bytea[])`);
  return (await sql<ListedRule>`${found} order by r.path collate "C"`.execute(db)).rows;
}

/** A rule without what people have made of it. */
export type BareRule = Pick<ListedRule, 'key' | 'kind' | 'action' | 'path' | 'target' | 'spellings' | 'active'>;

/** All rules of a project, in the order of their keys, which is that of the table: the database sorts none. */
export async function* eachRule(db: Db, projectId: string): AsyncGenerator<BareRule> {
  const hosts = await readHosts(db, projectId);
  for (let after: string | undefined = ''; after !== undefined;) {
    const next: Sql = sql`and r.rule_key > decode(${after}, 'hex') order by r.rule_key limit ${BATCH_RULES}`;
    // Of fewer columns, so that hits are not looked up.
    const batch: Sql<BareRule> = sql`
      select r.key, r.kind, r.action, r.path, r.target, r.spellings, r.active
        from (${selectRules(projectId, hosts, next)}) as r order by r.key collate "C"`;
    const { rows } = await batch.execute(db);
    yield* rows;
    after = rows.length < BATCH_RULES ? undefined : rows.at(-1)?.key;
  }
}
