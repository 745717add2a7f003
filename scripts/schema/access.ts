import type pg from 'pg';

/** The policies of row security, as statements: they decide which role may use which rows. */
const POLICIES = `
select format('alter table %s enable row level security;', t.name)
       || coalesce(string_agg(format(E'\\ncreate policy %I on %s%s%s to %s%s%s;', p.polname, t.name, case when not p.polpermissive then ' as restrictive' end,
            case p.polcmd when 'a' then ' for insert' end, array_to_string(p.polroles::regrole[], ', '),
            ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'), '' order by p.polname), '') as statement
  from (select c.oid, format('%I.%I', c.relnamespace::regnamespace::text, c.relname) as name
          from pg_class c
         where c.relnamespace = any ($1::regnamespace[]) and c.relrowsecurity) as t
  left join pg_policy p on p.polrelid = t.oid
 group by t.oid, t.name
 order by t.oid`;

/**
 * The privileges of others than the owner, as statements. A function without statements may be run by all, so a revoke
 * is described as well.
 */
const GRANTS = `
with objects as (
  select 1 as rank, 'schema ' || quote_ident(nspname) as object, nspacl as acl, nspowner as owner
    from pg_namespace
   where oid = any ($1::regnamespace[])
  union all
  select 2, case c.relkind when 'S' then 'sequence ' else '' end || format('%I.%I', c.relnamespace::regnamespace::text, c.relname), c.relacl, c.relowner
    from pg_class c
   where c.relnamespace = any ($1::regnamespace[]) and not c.relispartition
  union all
  select 3, 'function ' || p.oid::regprocedure::text, p.proacl, p.proowner
    from pg_proc p
   where p.pronamespace = any ($1::regnamespace[])
)
select rank, object, 'revoke all on ' || object || ' from public;' as statement, '' as grantee
  from objects
 where rank = 3 and acl is not null and not exists (select from aclexplode(acl) where grantee = 0)
union all
select o.rank, o.object,
       format('grant %s on %s to %s%s;', string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), o.object,
              case when a.grantee = 0 then 'public' else a.grantee::regrole::text end,
              case when a.is_grantable then ' with grant option' else '' end),
       case when a.grantee = 0 then 'public' else a.grantee::regrole::text end
  from objects o, aclexplode(o.acl) a
 where a.grantee <> o.owner and not (o.rank = 3 and a.grantee = 0)
 group by o.rank, o.object, a.grantee, a.is_grantable
union all
select 2, o.object,
       format('grant %s (%s) on %s to %s;', lower(a.privilege_type), string_agg(quote_ident(a.attname), ', ' order by a.attname), o.object, a.grantee::regrole),
       a.grantee::regrole::text
  from (select format('%I.%I', c.relnamespace::regnamespace::text, c.relname) as object, t.attname, x.grantee, x.privilege_type
          from pg_class c
          join pg_attribute t on t.attrelid = c.oid and t.attacl is not null
         cross join aclexplode(t.attacl) x
         where c.relnamespace = any ($1::regnamespace[])) as a
  join objects o on o.object = a.object
 group by o.object, a.grantee, a.privilege_type
 order by 1, 2, 4, 3`;

export async function describePolicies(client: pg.ClientBase, schemas: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ statement: string }>(POLICIES, [schemas]);
  return rows.map(({ statement }) => statement).join('\n');
}

export async function describeGrants(client: pg.ClientBase, schemas: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ statement: string }>(GRANTS, [schemas]);
  return rows.map(({ statement }) => statement).join('\n');
}
