import { NOT_ON_CITUS, SESSION_FACTS, type SessionFacts } from '../citus.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import { runRepeatables } from './repeatables.js';

/** The objects of a schema, such as `function pathmend.reach(uuid, …)`, each with its properties. */
export type Catalogue = Map<string, string>;

/** How a database differs from the schema of this release. */
export interface Differences {
  missing: string[];
  altered: string[];
  /** Rights that roles of pathmend have and should not have. */
  surplus: string[];
}

/**
 * Without weekly partitions, which depend on the day, and without what depends on size: a large project's tables, which
 * have a schema of their own, and an earlier release's indexes.
 */
const CATALOGUE = `
with schemas as (select oid, nspname, nspacl, nspowner from pg_namespace where nspname in ('pathmend', 'analytics')),
relations as (
  select c.*, s.nspname || '.' || c.relname as name
    from pg_class c join schemas s on s.oid = c.relnamespace
   where not c.relispartition and c.relname !~ '^seg_[0-9a-f]{32}_'),
functions as (
  select p.*, s.nspname || '.' || p.proname || '(' || coalesce((
           select string_agg(t.typname, ', ' order by a.place)
             from unnest(p.proargtypes) with ordinality as a (type, place)
             join pg_type t on t.oid = a.type), '') || ')' as name
    from pg_proc p join schemas s on s.oid = p.pronamespace),
rights as (
  select 'schema ' || nspname as name, nspacl as acl, nspowner as owner from schemas
  union all
  select name, relacl, relowner from relations
  union all
  select r.name || '.' || a.attname, a.attacl, r.relowner from relations r join pg_attribute a on a.attrelid = r.oid
  union all
  select 'function ' || name, proacl, proowner from functions)
select 'extension ' || extname as object, '' as detail
  from pg_extension where extname in ('vector', 'fuzzystrmatch', 'btree_gin')
union all
select 'schema ' || nspname, '' from schemas
union all
select case relkind when 'v' then 'view ' when 'S' then 'sequence ' else 'table ' end || name,
       concat_ws(' ', case relkind when 'p' then 'partitioned' end, case relpersistence when 'u' then 'unlogged' end,
                 case when relrowsecurity then 'rows guarded' end, array_to_string(reloptions, ' '))
  from relations where relkind in ('r', 'p', 'v', 'S')
union all
select 'column ' || r.name || '.' || a.attname,
       concat_ws(' ', t.typname, case when a.attnotnull then 'not null' end, case when a.atthasdef then 'default' end,
                 nullif(a.attidentity, ''), nullif(a.attgenerated, ''),
                 (select collname from pg_collation l where l.oid = a.attcollation and l.oid <> t.typcollation))
  from relations r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
 where r.relkind in ('r', 'p', 'v')
union all
select 'index ' || r.name,
       concat_ws(' ', 'on', i.indrelid::regclass::text, m.amname,
                 case when i.indisunique then 'unique' end, case when not i.indisvalid then 'not valid' end,
                 (select string_agg(coalesce(a.attname, '…'), ', ' order by k.place)
                    from unnest(i.indkey) with ordinality as k (attnum, place)
                    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0))
  from relations r join pg_index i on i.indexrelid = r.oid join pg_am m on m.oid = r.relam
union all
select 'constraint ' || k.conname || ' on ' || r.name,
       concat_ws(' ', k.contype, case when not k.convalidated then 'not valid' end)
  from relations r join pg_constraint k on k.conrelid = r.oid and k.contype in ('p', 'u', 'x', 'c', 'f')
union all
select 'trigger ' || t.tgname || ' on ' || r.name, t.tgenabled::text
  from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
union all
select 'function ' || name,
       concat_ws(' ', y.typname, provolatile,
                 case when prosecdef then 'definer' end, case when proisstrict then 'strict' end,
                 -- The server decides the schemas of the extensions. pathmend decides that nothing
                 -- comes before them, and that pg_temp comes last.
                 regexp_replace(array_to_string(proconfig, ' '),
                                'search_path=[^ ]+, pg_temp', 'search_path=…, pg_temp'),
                 case when has_function_privilege('public', f.oid, 'execute') then 'for all' end, md5(prosrc))
  from functions f join pg_type y on y.oid = f.prorettype
union all
select 'policy ' || p.polname || ' on ' || r.name,
       concat_ws(' ', p.polcmd, array_to_string(p.polroles::regrole[], ', '),
                 pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
  from relations r join pg_policy p on p.polrelid = r.oid
union all
select distinct 'grant ' || lower(x.privilege_type) || ' on ' || g.name || ' to ' || x.grantee::regrole, ''
  from rights g cross join aclexplode(g.acl) as x
 where x.grantee <> g.owner and x.grantee in (select oid from pg_roles where rolname in ('pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst'))`;

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const { rows } = await client.query<{ object: string; detail: string }>(CATALOGUE);
  return new Map(rows.map(({ object, detail }) => [object, detail]));
}

/** The text of `db/catalogue.txt`, which `npm run db:dump` writes. */
export function printCatalogue(catalogue: Catalogue): string {
  return [...catalogue]
    .map(([object, detail]) => `${object}: ${detail}\n`)
    .sort()
    .join('');
}

export async function expectedCatalogue(folder: string): Promise<Catalogue> {
  const lines = (await readFile(join(folder, 'catalogue.txt'), 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
}

/** Compares a database with the schema of this release. Additional objects are ignored, except rights of our roles. */
export async function compareSchema(client: pg.ClientBase, folder: string): Promise<Differences> {
  const expected = await expectedCatalogue(folder);
  const found = await readCatalogue(client);
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest(array['pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst']) as name where to_regrole(name) is null`,
  );
  const { rows: facts } = await client.query<SessionFacts>(SESSION_FACTS);
  const distributed = facts[0]?.citus ?? false;
  // An administrator makes the roles. Without them pathmend works, with a warning.
  const concerned = ([object, detail]: [string, string]): boolean =>
    !(distributed && NOT_ON_CITUS.has(object)) && !rows.some(({ name }) => `${object} ${detail}`.includes(name));
  const wanted = [...expected].filter(concerned);
  return {
    missing: wanted.filter(([object]) => !found.has(object)).map(([object]) => object),
    altered: wanted
      .filter(([object, detail]) => found.has(object) && found.get(object) !== detail)
      .map(([object]) => object),
    surplus: [...found.keys()].filter((object) => object.startsWith('grant ') && !expected.has(object)),
  };
}

/** Functions, views, policies and grants can be made again from their files. Nothing else can. */
export function isRepeatable(object: string): boolean {
  return /^(?:function|view|policy|grant) |^column analytics\./.test(object);
}

/**
 * For a role that may not change the schema.
 * @throws OperatorError that names the missing objects; the owner can create them.
 */
export async function requireComplete(client: pg.ClientBase, folder: string): Promise<void> {
  const { missing } = await compareSchema(client, folder);
  if (missing.length > 0)
    throw new OperatorError(
      `The schema is not whole. Run \`migrate\` as the role that owns it. Missing: ${formatList(missing)}.`,
    );
}

/** Runs repeatables that changed or whose objects differ. `differing`: what still differs then. */
export async function repairSchema(
  client: pg.ClientBase,
  folder: string,
): Promise<{ repeated: string[]; differing: string[] }> {
  const before = await compareSchema(client, folder);
  const lost = before.missing.filter((object) => !isRepeatable(object));
  if (lost.length > 0) {
    throw new OperatorError(
      `The schema is not whole, and what is missing cannot be made anew: ${formatList(lost)}. Nothing was changed. ` +
        'Restore the backup once more, into an empty database (docs/operate/backup.md, Restore).',
    );
  }
  const differs = ({ missing, altered, surplus }: Differences): boolean =>
    [...missing, ...altered.filter(isRepeatable), ...surplus].length > 0;
  const repeated = await runRepeatables(client, folder, differs(before));
  const after = repeated.length > 0 ? await compareSchema(client, folder) : before;
  if (after.missing.length > 0)
    throw new OperatorError(`The schema is not whole. Missing: ${formatList(after.missing)}.`);
  return {
    repeated,
    differing: [
      ...after.altered.map((object) => `The schema is not as this release makes it: ${object}.`),
      ...after.surplus.map((grant) => `A role of pathmend has a right that it does not need: ${grant}.`),
    ],
  };
}

const MAX_LISTED = 20;

function formatList(objects: readonly string[]): string {
  const more = objects.length - MAX_LISTED;
  return objects.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
