-- Rules that answered nobody.
create view analytics.redirects_without_hits with (security_barrier) as
select p.project_id, p.project, r.path, r.kind, r.action, r.target, r.added_at
  from analytics.accessible_projects p
 cross join lateral (
   select v.old_path as path, 'exact' as kind, 'redirect' as action, x.path as target, coalesce(v.made_at, v.last_seen_at) as added_at,
          v.old_path_hash as rule_key
     from pathmend.moves v
     left join pathmend.indexed_pages x on x.project_id = v.project_id and x.page_id = v.page_id
    where v.project_id = p.project_id and v.source = 'redirect'
   union all
   select v.path, 'exact', 'gone', null, coalesce(v.made_at, v.imported_at), v.path_hash
     from pathmend.gone_paths v where v.project_id = p.project_id
   union all
   select v.old_path || '*', case when v.old_prefix like '%#%' then 'pattern' else 'prefix' end, v.action, v.target, v.imported_at, sha256(convert_to(v.old_prefix || '/#*', 'UTF8'))
     from pathmend.wildcard_redirects v where v.project_id = p.project_id and v.action <> 'ignore') as r
 where not exists (select from pathmend.rule_hits h where h.project_id = p.project_id and h.rule_key = r.rule_key);
comment on view analytics.redirects_without_hits is
  'Redirects and gone paths that answered no search within the retention of events. What your web server answers itself never comes here.';
comment on column analytics.redirects_without_hits.project_id is 'Id of the project.';
comment on column analytics.redirects_without_hits.project is 'Name of the project.';
comment on column analytics.redirects_without_hits.path is 'The old path, as it was written.';
comment on column analytics.redirects_without_hits.kind is 'exact: of one path; prefix: of all below one; pattern: of all below one in which a segment is any number.';
comment on column analytics.redirects_without_hits.action is 'redirect or gone.';
comment on column analytics.redirects_without_hits.target is 'Where it leads; null: gone, or the page is not indexed.';
comment on column analytics.redirects_without_hits.added_at is 'When it was made as it is. Importing it again leaves this.';
