import { sql, type Sql } from '../../platform/database/sql.js';
import type { Made, RuleAction, RuleKind, RuleOrigin } from '../../base/glossary.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { readHosts } from './page-urls.js';

/** A rule of a project, from whichever table holds it. */
export interface RuleRow {
  /** Of rule_hits, in hexadecimal. */
  key: string;
  kind: RuleKind;
  action: RuleAction;
  /** As it was written; wildcards as `/old/*`. */
  path: string;
  /** In what other ways its path was listed. */
  spellings: string[];
  /** The page's url; while a redirect waits for its page, what was written; of wildcards as `/new/:splat`. */
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

/** As many wildcards as a project may have: they come together. */
const BATCH_RULES = 1_000;

export interface RuleFilter {
  kinds?: readonly RuleKind[] | undefined;
  action?: RuleAction | undefined;
  /** Part of a path or target, in any case. */
  search?: string | undefined;
}

/** What narrows each table of rules: conditions, and perhaps an order and a limit. */
interface Narrowed {
  moves: Sql;
  /** Of the other tables of paths; `key` is the column of the path's key. */
  paths: (key: Sql) => Sql;
  wildcards: Sql;
}

/**
 * A query of a project's rules.
 * @param hosts of the project's pages: a redirect to another one leads away, and waits for no page.
 */
function selectRules(projectId: string, hosts: readonly string[], { moves, paths, wildcards }: Narrowed): Sql {
  const made = sql`coalesce(r.origin, 'import') as origin, r.made_by`;
  return sql`
    select encode(r.old_path_hash, 'hex') as key, 'exact' as kind, 'redirect' as action, r.old_path as path,
           p.url as target, ${made}, coalesce(r.made_at, r.last_seen_at) as made_at, p.page_id,
           null::float8 as confidence, r.spellings
      from (select * from pathmend.moves r
             where r.project_id = ${projectId} and r.source = 'redirect' ${moves}) as r
      join pathmend.pages p on p.project_id = r.project_id and p.page_id = r.page_id
    union all
    (select encode(r.old_path_hash, 'hex'), 'exact', 'redirect', r.old_path, r.target, ${made},
            coalesce(r.made_at, r.imported_at),
            case when r.target_host <> all (${hosts}::text[]) then null else '' end, null, r.spellings
       from pathmend.waiting_redirects r where r.project_id = ${projectId} ${paths(sql`r.old_path_hash`)})
    union all
    (select encode(r.path_hash, 'hex'), 'exact', 'gone', r.path, null, ${made}, coalesce(r.made_at, r.imported_at),
            null, null, r.spellings
       from pathmend.gone_paths r where r.project_id = ${projectId} ${paths(sql`r.path_hash`)})
    union all
    (select encode(r.path_hash, 'hex'), 'exact', 'ignore', r.path, null, ${made}, r.made_at, null, null, '{}'::text[]
       from pathmend.ignored_paths r where r.project_id = ${projectId} ${paths(sql`r.path_hash`)})
    union all
    select encode(sha256(convert_to(r.old_prefix || '/#*', 'UTF8')), 'hex'),
           case when r.old_prefix like '%#%' then 'pattern' else 'prefix' end, r.action, r.old_path || '*', r.target,
           ${made}, r.imported_at, null, r.confidence, r.spellings
      from pathmend.wildcard_redirects r
     where r.project_id = ${projectId} ${wildcards}`;
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
  // All of 100,000 would be looked up else. Each has a page, so that the join loses none.
  const first = sql`${and(after, sql`r.old_path collate "C" > ${after}::text collate "C"`)}
                    order by r.old_path collate "C" limit ${limit}`;
  const narrowed = { moves: search === undefined ? first : sql``, paths: () => sql``, wildcards: sql`` };
  const found = sql`
    select * from (${selectRules(projectId, [...(await readHosts(db, projectId))], narrowed)}) as r
     where true
       ${and(kinds, sql`r.kind = any (${kinds}::text[])`)} ${and(action, sql`r.action = ${action}`)}
       ${and(search, sql`position(lower(${search}) in lower(r.path || ' ' || coalesce(r.target, ''))) > 0`)}
       ${and(after, sql`r.path collate "C" > ${after}::text collate "C"`)}
     order by r.path collate "C" limit ${limit}`;
  return (await withHits(projectId, found).execute(db)).rows;
}

const isActive = (projectId: string): Sql => sql`
  (r.page_id is null or exists (select from pathmend.indexed_pages x
                                 where x.project_id = ${projectId} and x.page_id = r.page_id))`;

function withHits(projectId: string, rules: Sql): Sql<ListedRule> {
  return sql<ListedRule>`
    select r.key, r.kind, r.action, r.path, r.target, r.origin, r.made_by, r.made_at, r.confidence,
           r.spellings, ${isActive(projectId)} as active, coalesce(h.hits, 0)::float8 as hits, h.last_hit_at
      from (${rules}) as r
      left join pathmend.rule_hits h on h.project_id = ${projectId} and h.rule_key = decode(r.key, 'hex')
     order by r.path collate "C"`;
}

/** The rules with these keys, and the wildcards with these old prefixes. */
export async function readRules(
  db: Db,
  projectId: string,
  only: { keys: readonly Buffer[]; prefixes: readonly string[] },
): Promise<ListedRule[]> {
  const hosts = [...(await readHosts(db, projectId))];
  const paths = (key: Sql): Sql => sql`and ${key} = any (${only.keys}::bytea[])`;
  const wildcards = sql`and r.old_prefix = any (${only.prefixes}::text[])`;
  const found = selectRules(projectId, hosts, { moves: paths(sql`r.old_path_hash`), paths, wildcards });
  return (await withHits(projectId, found).execute(db)).rows;
}

/** A rule without what people have made of it. */
export type BareRule = Pick<ListedRule, 'key' | 'kind' | 'action' | 'path' | 'target' | 'spellings' | 'active'>;

/** All rules of a project, in the order of their keys, which is that of the tables: the database sorts none. */
export async function* eachRule(db: Db, projectId: string): AsyncGenerator<BareRule> {
  const hosts = [...(await readHosts(db, projectId))];
  const none = sql`and false`;
  const some = (narrowed: Narrowed): Sql<BareRule> => sql<BareRule>`
    select r.key, r.kind, r.action, r.path, r.target, r.spellings, ${isActive(projectId)} as active
      from (${selectRules(projectId, hosts, narrowed)}) as r order by r.key limit ${BATCH_RULES}`;
  yield* (await some({ moves: none, paths: () => none, wildcards: sql`` }).execute(db)).rows;
  for (let after: string | undefined = ''; after !== undefined;) {
    const next = (key: Sql): Sql => sql`and ${key} > decode(${after}, 'hex') order by ${key} limit ${BATCH_RULES}`;
    const { rows } = await some({ moves: next(sql`r.old_path_hash`), paths: next, wildcards: none }).execute(db);
    yield* rows;
    after = rows.length < BATCH_RULES ? undefined : rows.at(-1)?.key;
  }
}

/** Deletes the rules with these keys, and the wildcards with these old prefixes. */
export async function deleteRules(
  trx: Trx,
  projectId: string,
  { keys, prefixes }: { keys: readonly Buffer[]; prefixes: readonly string[] },
): Promise<void> {
  await sql`
    with waiting as (
      delete from pathmend.waiting_redirects where project_id = ${projectId} and old_path_hash = any (${keys}::bytea[])
    ), gone as (
      delete from pathmend.gone_paths where project_id = ${projectId} and path_hash = any (${keys}::bytea[])
    ), ignored as (
      delete from pathmend.ignored_paths where project_id = ${projectId} and path_hash = any (${keys}::bytea[])
    ), wildcards as (
      delete from pathmend.wildcard_redirects where project_id = ${projectId} and old_prefix = any (${prefixes}::text[])
    )
    delete from pathmend.moves
     where project_id = ${projectId} and source = 'redirect' and old_path_hash = any (${keys}::bytea[])`.execute(trx);
}

/** Stores paths as not worth a redirect; their keys must differ, and have no other rule. */
export async function storeIgnoredPaths(
  trx: Trx,
  projectId: string,
  paths: readonly { path: string; key: Buffer }[],
  { origin, by, at }: Made,
): Promise<void> {
  await sql`
    insert into pathmend.ignored_paths (project_id, path_hash, path, origin, made_by, made_at)
    select ${projectId}::uuid, i.key, i.path, ${origin}, ${by}, ${at}
      from unnest(${paths.map(({ key }) => key)}::bytea[], ${paths.map(({ path }) => path)}::text[]) as i (key, path)
     order by i.key
    on conflict (project_id, path_hash) do update set
      path = excluded.path, origin = excluded.origin, made_by = excluded.made_by, made_at = excluded.made_at`.execute(
    trx,
  );
}

/** Removes paths from those that are not worth a redirect: something else is known of them. */
export async function removeIgnoredPaths(trx: Trx, projectId: string, keys: readonly Buffer[]): Promise<void> {
  await sql`
    delete from pathmend.ignored_paths
     where project_id = ${projectId} and path_hash = any (${keys}::bytea[])`.execute(trx);
}
