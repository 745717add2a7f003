-- Rules without hits.
create view analytics.redirects_without_hits with (security_barrier) as
select a.project_id, a.project, r.path,
       case when r.pattern_start is not null or r.prefix like '%#%' then 'pattern' when r.prefix is null then 'exact' else 'prefix' end as kind, r.action,
       -- Looked up for the rules whose target is asked for.
       coalesce((
         select x.path
           from (
             -- Like selectTargetOf in src/rules/store/rules-of-path.ts. The path is looked up only if the exact url is not found.
             select coalesce(
                 (select p.page_id from pathmend.pages p where p.project_id = r.project_id and p.url_hash = r.target_hash),
                 (select p.page_id
                    from (select p.page_id, p.url, p.path_key from pathmend.pages p
                           where p.project_id = r.project_id and p.path_key in (r.target_key, r.target_bare_key) limit 1000) as p
                   where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
                   order by (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path)
                            desc nulls last, p.path_key = r.target_key desc, p.page_id
                   limit 1)) as page_id offset 0) as t
           join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = t.page_id
          where r.prefix is null), r.target) as target,
       r.made_at as added_at
  from analytics.accessible_projects a
  join pathmend.rules r on r.project_id = a.project_id and r.action <> 'ignore'
 where not exists (select from pathmend.rule_hits h where h.project_id = r.project_id and h.rule_key = r.rule_key);
comment on view analytics.redirects_without_hits is
  'Redirects and gone paths that answered no search within the retention of events. pathmend does not see what your web server answers itself.';
comment on column analytics.redirects_without_hits.project_id is 'Id of the project.';
comment on column analytics.redirects_without_hits.project is 'Name of the project.';
comment on column analytics.redirects_without_hits.path is 'The old path, as written in the rule.';
comment on column analytics.redirects_without_hits.kind is 'exact: one path; prefix: all paths below one; pattern: all paths below one in which a segment is any number.';
comment on column analytics.redirects_without_hits.action is 'redirect or gone.';
comment on column analytics.redirects_without_hits.target is 'The target; null: gone, or the page is not indexed.';
comment on column analytics.redirects_without_hits.added_at is 'When the rule got its present form. Importing it again does not change this.';
