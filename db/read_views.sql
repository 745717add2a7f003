-- The views of pathmend that $1 names (schema.name), and what anybody built on them: views and materialized views of any
-- schema, to any depth. Each with the statements that make it again as it is: for views of pathmend, which have files,
-- only what others added to them. Functions that are texts cannot be found; no catalogue says what they read.
with recursive uses as (
  select distinct r.ev_class as oid, d.refobjid as used
    from pg_depend d
    join pg_rewrite r on r.oid = d.objid and r.rulename = '_RETURN' and r.ev_class <> d.refobjid
   where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass),
tree (oid, depth) as (
  select to_regclass(name)::oid, 0 from unnest($1::text[]) as name where to_regclass(name) is not null
  union
  select u.oid, t.depth + 1 from tree t join uses u on u.used = t.oid),
views as (
  select c.oid, c.relowner, c.relacl, c.reloptions, c.relam, c.reltablespace, c.relispopulated, c.relnamespace,
         max(t.depth) as depth,
         format('%I.%I', n.nspname, c.relname) as name, format('%s.%s', n.nspname, c.relname) = any ($1) as ours,
         case c.relkind when 'm' then 'materialized view' else 'view' end as kind
    from tree t join pg_class c on c.oid = t.oid join pg_namespace n on n.oid = c.relnamespace
   group by c.oid, n.oid),
parts (oid, place, statement) as (
  select v.oid, 0,
         format('create %s %s%s%s%s as %s%s', kind, name,
                (select ' using ' || quote_ident(amname) from pg_am where oid = relam and kind <> 'view'),
                (select format(' with (%s)', string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', '))
                   from unnest(reloptions) as o having count(*) > 0),
                (select ' tablespace ' || quote_ident(spcname) from pg_tablespace where oid = reltablespace),
                rtrim(pg_get_viewdef(v.oid), ';'), case when not relispopulated then ' with no data' end)
    from views v where not ours
  union all
  select v.oid, 1, format('comment on %s is %L', coalesce('column ' || name || '.' || quote_ident(attname), kind || ' ' || name), description)
    from views v join pg_description d on d.objoid = v.oid and d.classoid = 'pg_class'::regclass
    left join pg_attribute a on a.attrelid = v.oid and a.attnum = d.objsubid and d.objsubid > 0
   where not ours
  union all
  select v.oid, 2, format('alter view %s alter column %I set default %s', name, attname, pg_get_expr(adbin, adrelid))
    from views v join pg_attrdef d on d.adrelid = v.oid join pg_attribute a on a.attrelid = v.oid and a.attnum = d.adnum
  union all
  select v.oid, s.place, s.statement
    from views v join pg_index i on i.indrelid = v.oid join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (values
      (3, pg_get_indexdef(indexrelid)),
      (4, case when indisclustered then format('alter materialized view %s cluster on %I', name, c.relname) end),
      (4, format('comment on index %I.%I is %L', nspname, c.relname, obj_description(c.oid, 'pg_class')))) as s (place, statement)
  union all
  select v.oid, 4, pg_get_statisticsobjdef(s.oid) from views v join pg_statistic_ext s on s.stxrelid = v.oid
  union all
  select v.oid, 5, pg_get_ruledef(r.oid) from views v join pg_rewrite r on r.ev_class = v.oid and r.rulename <> '_RETURN'
  union all
  select v.oid, 6, pg_get_triggerdef(g.oid) from views v join pg_trigger g on g.tgrelid = v.oid and not tgisinternal
  union all
  select v.oid, 7, format('grant %s%s on %s to %s%s', privilege_type, ' (' || quote_ident(attname) || ')', name,
                          case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
                          case when is_grantable then ' with grant option' end)
    from views v
    cross join lateral (
      select null as attname, relacl as acl
      union all select a.attname, a.attacl from pg_attribute a where a.attrelid = v.oid and a.attacl is not null) as g
    cross join aclexplode(g.acl)
   where grantee <> relowner)
select v.oid, name, kind, ours, depth, quote_ident(pg_get_userbyid(relowner)) as owner,
       pg_has_role(relowner, 'usage') and has_schema_privilege(relowner, relnamespace, 'create') as makeable,
       array(select w.name from uses u join views w on w.oid = u.used where u.oid = v.oid) as uses,
       -- Nothing can be added to a column that is gone.
       array(select case when ours then format('do %L', format('begin execute %L; exception when undefined_column then null; end', statement)) else statement end
               from parts p where p.oid = v.oid and statement is not null order by place) as again
  from views v
 order by depth, name
