-- Whether a redirect helped: 404s of its paths in the four weeks before and after the day on which it was added. Each takes some
-- hundred rows, so the view is of the latest ones. What is below a prefix is found by the beginnings of paths in lower case,
-- with and without their numbers, as searches find it.
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
            where r.project_id = p.project_id and r.action = 'redirect' and r.prefix is null
            order by r.made_at desc, r.rule_key limit 500) as r
    cross join lateral (
       -- As selectTargetOf in src/rules/store/rules-of-path.ts. Where its very url is found, its path is not looked up.
       select t.page_id
         from (select coalesce(
                 (select p.page_id from pathmend.pages p where p.project_id = r.project_id and p.url_hash = r.target_hash),
                 (select p.page_id
                    from (select p.page_id, p.url from pathmend.pages p
                           where p.project_id = r.project_id and p.path_key = r.target_key limit 1000) as p
                   where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
                   order by (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path)
                            desc nulls last, p.page_id
                   limit 1)) as page_id offset 0) as t
        where t.page_id is not null) as p
     left join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = p.page_id
     left join lateral (
       select sum(d.hits) filter (where d.day < t.day) as hits_before,
              sum(d.redirected + d.clicked) filter (where d.day < t.day) as recovered_before,
              sum(d.hits) filter (where d.day > t.day) as hits_after,
              sum(d.redirected + d.clicked) filter (where d.day > t.day) as recovered_after
         from (select (r.made_at at time zone 'UTC')::date as day) as t
         join pathmend.missing_paths m on m.project_id = r.project_id and m.plain_hash = r.rule_key
         join pathmend.path_days d on d.project_id = m.project_id and d.path_hash = m.path_hash
          and d.day between t.day - 28 and t.day + 28 and d.visitor in ('person', 'unknown')) as e on true
   union all
   select w.path, case when w.prefix like '%#%' then 'pattern' else 'prefix' end, w.target, w.made_at,
          sum(d.hits) filter (where d.day < w.day), sum(d.redirected + d.clicked) filter (where d.day < w.day),
          sum(d.hits) filter (where d.day > w.day), sum(d.redirected + d.clicked) filter (where d.day > w.day)
     from (select r.*, (r.made_at at time zone 'UTC')::date as day
             from pathmend.rules r
            where r.project_id = p.project_id and r.action = 'redirect' and r.prefix is not null
            order by r.made_at desc, r.rule_key limit 100) as w
     left join (
       select b.* from (
         -- The prefix that decides about each path: the longest, else the longest with numbers.
         select distinct on (m.path_hash) m.path_hash, m.people, v.prefix
           from (select m.path_hash, m.people + m.unknown as people, string_to_array(ltrim(lower(m.path), '/'), '/') as parts
                   from pathmend.missing_paths m
                  where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
                    and exists (select from pathmend.rules v where v.project_id = p.project_id and v.prefix is not null)
                    and not exists (select from pathmend.rules v where v.project_id = p.project_id
                                       and v.rule_key = m.plain_hash and v.action = 'redirect')
                  order by m.people + m.unknown desc, m.path_hash limit 5000) as m
          cross join lateral generate_series(1, least(cardinality(m.parts), 20)) as n
          cross join lateral (select '/' || array_to_string(m.parts[:n], '/') as prefix) as s
          cross join lateral (values (s.prefix), (regexp_replace(s.prefix, '/\d+(?=/|$)', '/#', 'g'))) as k (prefix)
           join pathmend.rules v on v.project_id = p.project_id and v.prefix = k.prefix
          order by m.path_hash, v.prefix like '%#%', length(v.prefix) desc) as b
        order by b.people desc, b.path_hash limit 500) as b on b.prefix = w.prefix
     left join pathmend.path_days d on d.project_id = w.project_id and d.path_hash = b.path_hash
      and d.day between w.day - 28 and w.day + 28 and d.visitor in ('person', 'unknown')
    group by w.prefix, w.path, w.target, w.made_at) as r;
comment on view analytics.redirect_effects is
  'The 500 redirects of one path, and the 100 of all paths below one, that were added last, with 404s of people on them in the four weeks before and after the day on which each was added. Test keys left out.';
comment on column analytics.redirect_effects.project_id is 'Id of the project.';
comment on column analytics.redirect_effects.project is 'Name of the project.';
comment on column analytics.redirect_effects.path is 'The old path, as it was written; with a star: all paths below.';
comment on column analytics.redirect_effects.kind is
  'exact: of one path; prefix: of all below one; pattern: of all below one in which a segment is any number. Of the last two the 500 paths with most people are summed up, without those that have a redirect of their own or a longer prefix.';
comment on column analytics.redirect_effects.target is 'Path of the page that it leads to; null: it is not indexed. Of a prefix or pattern as it was written.';
comment on column analytics.redirect_effects.added_at is 'When it was made as it is. Importing it again leaves this.';
comment on column analytics.redirect_effects.hits_before is '404s of people on its paths, up to the day before.';
comment on column analytics.redirect_effects.recovered_before is 'Of these, the ones that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.redirect_effects.hits_after is '404s of people on its paths, from the day after on. Redirects that your web server answers itself are no 404s.';
comment on column analytics.redirect_effects.recovered_after is 'Of these, the ones that were redirected, or whose visitor clicked a suggestion.';
