-- The objects of the schemas of pathmend, each with its properties: what db/catalogue.txt lists, and what a database is
-- compared with. Without weekly partitions, which depend on the day, and without what depends on size: a large
-- project's tables, which have a schema of their own.
with schemas as (select oid, nspname, nspacl, nspowner from pg_namespace where nspname in ('pathmend', 'analytics')),
relations as (
  select c.*, s.nspname || '.' || c.relname as name
    from pg_class c join schemas s on s.oid = c.relnamespace
   where not c.relispartition),
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
 where x.grantee <> g.owner and x.grantee in (select oid from pg_roles where rolname in ('pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst'));
