-- Whether a redirect helped: 404s of its path in the four weeks before and after the day on which it was added. Each takes some
-- hundred rows, so the view is of the latest 500.
create view analytics.redirect_effects with (security_barrier) as
select p.project_id,
       p.project,
       r.old_path as path,
       x.path as target,
       r.last_seen_at as added_at,
       coalesce(e.hits_before, 0)::bigint as hits_before,
       coalesce(e.recovered_before, 0)::bigint as recovered_before,
       coalesce(e.hits_after, 0)::bigint as hits_after,
       coalesce(e.recovered_after, 0)::bigint as recovered_after
  from analytics.accessible_projects p
 cross join lateral (
    select * from pathmend.moves m where m.project_id = p.project_id and m.source = 'redirect'
     order by m.last_seen_at desc, m.old_path_hash limit 500) as r
  left join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = r.page_id
  left join lateral (
    select sum(d.hits) filter (where d.day < t.day) as hits_before,
           sum(d.redirected + d.clicked) filter (where d.day < t.day) as recovered_before,
           sum(d.hits) filter (where d.day > t.day) as hits_after,
           sum(d.redirected + d.clicked) filter (where d.day > t.day) as recovered_after
      from (select (r.last_seen_at at time zone 'UTC')::date as day) as t
      join pathmend.missing_paths m on m.project_id = r.project_id and m.plain_hash = r.old_path_hash
      join pathmend.path_days d on d.project_id = m.project_id and d.path_hash = m.path_hash
       and d.day between t.day - 28 and t.day + 28 and d.visitor in ('person', 'unknown')) as e on true;
comment on view analytics.redirect_effects is
  'The 500 redirects of one path that were added last, with 404s of people on it in the four weeks before and after the day on which it was added. Test keys left out.';
comment on column analytics.redirect_effects.project_id is 'Id of the project.';
comment on column analytics.redirect_effects.project is 'Name of the project.';
comment on column analytics.redirect_effects.path is 'The old path, as it was written.';
comment on column analytics.redirect_effects.target is 'Path of the page that it leads to; null: it is not indexed.';
comment on column analytics.redirect_effects.added_at is 'When it was added or last imported.';
comment on column analytics.redirect_effects.hits_before is '404s of people on the path, up to the day before.';
comment on column analytics.redirect_effects.recovered_before is 'Of these, the ones that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.redirect_effects.hits_after is '404s of people on the path, from the day after on. Redirects that your web server answers itself are no 404s.';
comment on column analytics.redirect_effects.recovered_after is 'Of these, the ones that were redirected, or whose visitor clicked a suggestion.';
