import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { RuleAction, RuleKind, RuleOrigin } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';
import { rowsInOrder } from '../../platform/database/rows-in-order.js';
import type { ListedTerms } from '../rule-meaning.js';
import { readHostName } from '../../rule-formats/read/source-address.js';
import { readHosts } from './page-urls.js';
import { pageOfTarget, selectTargetOf } from './rules-of-path.js';

export interface RuleRow extends ListedTerms {
  /** The rule's key in hexadecimal, as in rule_hits.rule_key. */
  key: string;
  kind: RuleKind;
  action: RuleAction;
  /** The path as it was written; a wildcard ends with a star, such as `/old/*`. */
  path: string;
  /** The other spellings in which its path was listed. */
  spellings: string[];
  /**
   * The page's url, with the query string and section that were written. While a redirect waits for its page, the
   * target is as it was written; that of a wildcard is such as `/new/:splat`.
   */
  target: string | null;
  origin: RuleOrigin;
  made_by: string | null;
  made_at: Date;
  /** The confidence of the proposal from which the rule was made; null for all other rules. */
  confidence: number | null;
}

export interface ListedRule extends RuleRow {
  /** False while the page that a redirect leads to does not exist or is not indexed: searches pass it over. */
  active: boolean;
  /** The state of the rule by its dates. */
  status: RuleStatus;
  hits: number;
  last_hit_at: Date | null;
}

/** `active`: in force, or waiting for its page. */
export type RuleStatus = 'active' | 'not yet' | 'ended';
export const RULE_STATUSES: readonly RuleStatus[] = ['active', 'not yet', 'ended'];

const BATCH_RULES = 1_000;

export interface RuleFilter {
  kinds?: readonly RuleKind[] | undefined;
  action?: RuleAction | undefined;
  /** The host as people write it; empty: only rules for any host. */
  host?: string | undefined;
  status?: RuleStatus | undefined;
  /** A part of a host, path or target, in any case. */
  search?: string | undefined;
}

const KIND = sql`case when r.pattern_start is not null or r.prefix like '%#%' then 'pattern'
                      when r.prefix is null then 'exact' else 'prefix' end`;
const STATUS = sql`case when r.valid_until <= now() then 'ended' when r.valid_from > now() then 'not yet' else 'active' end`;
const moment = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/**
 * A query of a project's rules.
 * @param hosts the hosts of the project's pages: a redirect to another host leads away, and waits for no page.
 * @param rules narrows them, as a query of rows `r`
 */
function selectRules(projectId: string, hosts: ReadonlySet<string>, rules: Sql): Sql<ListedRule> {
  return sql<ListedRule>`
    select encode(r.rule_key, 'hex') as key, ${KIND} as kind, r.action, r.path,
           coalesce(${pageOfTarget}, r.target) as target, r.origin,
           r.made_by, r.made_at, r.confidence, r.spellings, r.host, r.code, r.pass_query,
           ${moment(sql`r.valid_from`)} as valid_from, ${moment(sql`r.valid_until`)} as valid_until, ${STATUS} as status,
           (r.prefix is not null or (r.pattern_start is not null and r.target_key is null) or r.action <> 'redirect' or r.target_host <> all (${[...hosts]}::text[])
            or exists (select from pathmend.indexed_pages x
                        where x.project_id = ${projectId} and x.page_id = p.page_id and x.indexed_at is not null)) is true as active,
           coalesce(h.hits, 0)::float8 as hits, h.last_hit_at
      from (select * from pathmend.rules r where r.project_id = ${projectId} ${rules}) as r
      left join lateral (${selectTargetOf(projectId)}) as p on r.prefix is null
      left join pathmend.rule_hits h on h.project_id = ${projectId} and h.rule_key = r.rule_key`;
}

/** The place of a rule in a list. It has the key, because several hosts may have a rule for the same path. */
export type RulePlace = Pick<RuleRow, 'path' | 'key'>;

/** Lists rules ordered by path, starting after `after`. */
export async function listRuleRows(
  db: Db,
  projectId: string,
  { kinds, action, host, status, search }: RuleFilter,
  after: RulePlace | undefined,
  limit: number,
): Promise<ListedRule[]> {
  const and = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql`and ${condition}`);
  const narrowed = sql`
    ${and(kinds, sql`${KIND} = any (${kinds}::text[])`)} ${and(action, sql`r.action = ${action}`)}
    ${and(host, host === '' ? sql`r.host is null` : sql`r.host = ${readHostName(host ?? '') ?? host}`)} ${and(status, sql`${STATUS} = ${status}`)}
    ${and(search, sql`position(lower(${search}) in lower(coalesce(r.host, '') || r.path || ' ' || coalesce(r.target, ''))) > 0`)}
    ${and(after, sql`(r.path collate "C", encode(r.rule_key, 'hex')) > (${after?.path}::text collate "C", ${after?.key}::text)`)}
    order by r.path collate "C", encode(r.rule_key, 'hex') limit ${limit}`;
  const selected = selectRules(projectId, await readHosts(db, projectId), narrowed);
  return query(sql<ListedRule>`${selected} order by r.path collate "C", 1`).rows(db);
}

/** The maximum number of a project's redirects that are looked at: a few hundredths of a second. */
const MAX_LOOKED = 20_000;

/** Lists redirects of single paths, in force now or later, that lead to no indexed page themselves. */
export async function listWaitingRules(db: Db, projectId: string, limit: number): Promise<ListedRule[]> {
  const single = sql`and r.action = 'redirect' and r.prefix is null and r.pattern_start is null
                     and (r.valid_until > now()) is not false limit ${MAX_LOOKED}`;
  const rules = selectRules(projectId, await readHosts(db, projectId), single);
  return query(sql<ListedRule>`select r.* from (${rules}) as r where not r.active limit ${limit}`).rows(db);
}

/**
 * Reads the rules with these keys.
 * @param known the hosts of the project's pages, where the caller has read them
 */
export async function readRules(db: Db, projectId: string, keys: readonly Buffer[], known?: ReadonlySet<string>) {
  if (keys.length === 0) return [];
  const hosts = known ?? (await readHosts(db, projectId));
  const selected = selectRules(projectId, hosts, sql`and r.rule_key = any (${keys}::bytea[])`);
  return query(sql<ListedRule>`${selected} order by r.path collate "C"`).rows(db);
}

/** A rule without its hits, and without who made it and how. */
export type BareRule = Pick<
  ListedRule,
  'key' | 'kind' | 'action' | 'path' | 'target' | 'spellings' | 'active' | 'status'
> &
  ListedTerms;

/** A query of fewer columns, so that hits are not looked up. */
const bare = (rules: Sql<ListedRule>, withSpellings = true): Sql<BareRule> => sql<BareRule>`
  select r.key, r.kind, r.action, r.path, r.target, ${withSpellings ? sql`r.spellings` : sql`'{}'::text[] as spellings`},
         r.active, r.status, r.host, r.code, r.pass_query, r.valid_from, r.valid_until
    from (${rules}) as r order by r.key collate "C"`;

interface Reading {
  /** The hosts of the project's pages. */
  hosts: ReadonlySet<string>;
  /** Whether spellings are read: a rule may have hundreds of kilobytes of them. */
  withSpellings: boolean;
}

/** Reads the rules that paths with these keys may have of their own, on any host. */
export async function readRulesOfPaths(
  db: Db,
  projectId: string,
  keys: readonly Buffer[],
  { hosts, withSpellings }: Reading,
): Promise<BareRule[]> {
  const readOfHosts = (after: Buffer, limit: number) =>
    query(sql<{ key: Buffer }>`
      select rule_key as key from pathmend.rules
       where project_id = ${projectId} and plain_key = any (${keys}::bytea[]) and rule_key > ${after}
       order by rule_key limit ${limit}`).rows(db);
  const ofHosts: Buffer[] = [];
  for await (const { key } of rowsInOrder(readOfHosts, Buffer.alloc(0), (row) => row.key, BATCH_RULES))
    ofHosts.push(key);
  const narrowed = sql`and r.rule_key = any (${[...keys, ...ofHosts]}::bytea[])`;
  return query(bare(selectRules(projectId, hosts, narrowed), withSpellings)).rows(db);
}

/** Reads a project's wildcards and patterns. */
export function readWildcards(db: Db, projectId: string, { hosts, withSpellings }: Reading, limit: number) {
  const narrowed = sql`and (r.prefix is not null or r.pattern_start is not null) limit ${limit}`;
  return query(bare(selectRules(projectId, hosts, narrowed), withSpellings)).rows(db);
}

/**
 * Reads all rules of a project in the order of their keys. That is the order of the table, so that the database sorts
 * nothing.
 */
export async function* eachRule(db: Db, projectId: string): AsyncGenerator<BareRule> {
  const hosts = await readHosts(db, projectId);
  const read = (after: string, limit: number): Promise<BareRule[]> => {
    const next = sql`and r.rule_key > decode(${after}, 'hex') order by r.rule_key limit ${limit}`;
    return query(bare(selectRules(projectId, hosts, next))).rows(db);
  };
  yield* rowsInOrder(read, '', ({ key }) => key, BATCH_RULES);
}
