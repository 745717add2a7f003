-- The effect of redirects: 404s of their paths in the four weeks before and after the day on which each was added. Each redirect
-- reads some hundred rows, so the view has only the latest. The service has compared paths with wildcards and patterns (path_rules).
create view analytics.redirect_effects with (security_barrier) as
select p.project_id,
       p.project,
       r.path,
       r.kind,
       r.target,
       r.added_at,
       coalesce(r.hits_before, 0)::bigint as hits_before,
       coalesce(r.recovered_before, 0)::bigint as recovered_before,
       coalesce(r.hits_after, 0)::bigint as hits_after,
       coalesce(r.recovered_after, 0)::bigint as recovered_after
  from analytics.accessible_projects p
 cross join lateral (
   select r.path, 'exact' as kind, x.path as target, r.made_at as added_at, e.*
     from (select r.* from pathmend.rules r
            where r.project_id = p.project_id and r.action = 'redirect' and r.prefix is null and r.pattern_start is null
            order by r.made_at desc, r.rule_key limit 500) as r
    cross join lateral (
       -- Like selectTargetOf in src/rules/store/rules-of-path.ts. The path is looked up only if the exact url is not found.
       select t.page_id
         from (select coalesce(
                 (select p.page_id from pathmend.pages p where p.project_id = r.project_id and p.url_hash = r.target_hash),
                 (select p.page_id
                    from (select p.page_id, p.url, p.path_key from pathmend.pages p
                           where p.project_id = r.project_id and p.path_key in (r.target_key, r.target_bare_key) limit 1000) as p
                   where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
                   order by (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path)
                            desc nulls last, p.path_key = r.target_key desc, p.page_id
                   limit 1)) as page_id offset 0) as t
        where t.page_id is not null) as p
     left join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = p.page_id
     left join lateral (
       select sum(d.hits) filter (where d.day < t.day) as hits_before,
              sum(d.redirected + d.clicked) filter (where d.day < t.day) as recovered_before,
              sum(d.hits) filter (where d.day > t.day) as hits_after,
              sum(d.redirected + d.clicked) filter (where d.day > t.day) as recovered_after
         from (select (r.made_at at time zone 'UTC')::date as day) as t
         join pathmend.missing_paths m on m.project_id = r.project_id and m.plain_hash = coalesce(r.plain_key, r.rule_key)
         join pathmend.path_days d on d.project_id = m.project_id and d.path_hash = m.path_hash
          and d.day between t.day - 28 and t.day + 28 and d.visitor in ('person', 'unknown')) as e on true
   union all
   select w.path, case when w.prefix like '%#%' or w.prefix is null then 'pattern' else 'prefix' end, w.target, w.made_at,
          sum(d.hits) filter (where d.day < w.day), sum(d.redirected + d.clicked) filter (where d.day < w.day),
          sum(d.hits) filter (where d.day > w.day), sum(d.redirected + d.clicked) filter (where d.day > w.day)
     from (select r.*, (r.made_at at time zone 'UTC')::date as day
             from pathmend.rules r
            where r.project_id = p.project_id and r.action = 'redirect' and (r.prefix is not null or r.pattern_start is not null)
            order by r.made_at desc, r.rule_key limit 100) as w
     left join (
       -- The paths about which each wildcard decides.
       select m.path_hash, c.rule_key
         from (select m.path_hash, m.plain_hash, m.people + m.unknown as people
                 from pathmend.missing_paths m
                where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
                order by m.people + m.unknown desc, m.path_hash limit 5000) as m
         join pathmend.path_rules c on c.project_id = p.project_id and c.path_hash = m.path_hash
        where not exists (select from pathmend.rules v where v.project_id = p.project_id
                             and v.rule_key = m.plain_hash and v.action = 'redirect')
        order by m.people desc, m.path_hash limit 500) as b on b.rule_key = w.rule_key
     left join pathmend.path_days d on d.project_id = w.project_id and d.path_hash = b.path_hash
      and d.day between w.day - 28 and w.day + 28 and d.visitor in ('person', 'unknown')
    group by w.rule_key, w.prefix, w.path, w.target, w.made_at) as r;
comment on view analytics.redirect_effects is
  'The latest 500 redirects of single paths and the latest 100 wildcards, with 404s of people in the four weeks before and after the day on which each was added. Without test keys.';
comment on column analytics.redirect_effects.project_id is 'Id of the project.';
comment on column analytics.redirect_effects.project is 'Name of the project.';
comment on column analytics.redirect_effects.path is 'The old path, as written in the rule; with a star: all paths below it.';
comment on column analytics.redirect_effects.kind is
  'exact: one path; prefix: all paths below one; pattern: all paths below one in which a segment is any number, or of one shape, such as /p-:id.html. For prefix and pattern, the sums cover the 500 paths with most people, without paths that have their own redirect or a rule that comes first.';
comment on column analytics.redirect_effects.target is 'Path of the target page; null: not indexed. For prefix and pattern, the target as written in the rule.';
comment on column analytics.redirect_effects.added_at is 'When the rule got its present form. Importing it again does not change this.';
comment on column analytics.redirect_effects.hits_before is '404s of people on its paths before that day.';
comment on column analytics.redirect_effects.recovered_before is '404s among them that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.redirect_effects.hits_after is '404s of people on its paths after that day. Redirects that your web server answers do not appear here.';
comment on column analytics.redirect_effects.recovered_after is '404s among them that were redirected, or whose visitor clicked a suggestion.';
