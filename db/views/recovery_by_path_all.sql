-- Outcomes of 404s, by day, path and kind of visitor: recovery_daily_all, by path.
create view analytics.recovery_by_path_all with (security_barrier) as
select p.project_id, p.project, x.*
  from analytics.accessible_projects p
 cross join lateral (
   select d.day,
          m.path,
          d.visitor,
          d.hits,
          d.redirected + d.clicked as recovered,
          d.redirected, d.clicked, d.suggested, d.nothing, d.gone, d.unlinked,
          d.last_seen,
          d.clicked + case when j.is_right then d.redirected else 0 end as confirmed,
          case when not j.is_right and d.day <= j.day then d.redirected else 0 end as contradicted,
          d.path_hash
     from pathmend.path_days d
     -- Outer and unique: a query that asks for none of their columns reads neither.
     left join pathmend.missing_paths m on m.project_id = p.project_id and m.path_hash = d.path_hash
     left join (select distinct on (j.path_hash) j.path_hash, j.is_right, (j.judged_at at time zone 'UTC')::date as day
                  from pathmend.judgements j
                 where j.project_id = p.project_id and j.is_right is not null and j.path_hash is not null
                 order by j.path_hash, j.judged_at desc) as j on j.path_hash = d.path_hash
    where d.project_id = p.project_id) as x;
comment on view analytics.recovery_by_path_all is
  'Outcomes of 404s, by UTC day, path and kind of visitor, with robots. 5,000 paths a day have rows of their own. Without test keys.';
comment on column analytics.recovery_by_path_all.project_id is 'Id of the project.';
comment on column analytics.recovery_by_path_all.project is 'Name of the project.';
comment on column analytics.recovery_by_path_all.day is 'UTC day of the 404.';
comment on column analytics.recovery_by_path_all.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.recovery_by_path_all.visitor is 'Same values as in recovery_daily_all.';
comment on column analytics.recovery_by_path_all.hits is '404s. The outcome columns leave out robots and scanners.';
comment on column analytics.recovery_by_path_all.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path_all.redirected is '404s that were redirected.';
comment on column analytics.recovery_by_path_all.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path_all.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_by_path_all.nothing is '404s without a suggestion.';
comment on column analytics.recovery_by_path_all.gone is '404s on a path that is gone for good.';
comment on column analytics.recovery_by_path_all.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_by_path_all.last_seen is 'The latest 404.';
comment on column analytics.recovery_by_path_all.confirmed is
  '404s recovered for sure: with a click, or redirected where the latest judgement of the path is right. The other redirects are not known.';
comment on column analytics.recovery_by_path_all.contradicted is
  '404s that were redirected up to the day on which the latest judgement of the path is wrong.';
comment on column analytics.recovery_by_path_all.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';
