-- Redirects of people that the latest judgement of their path is about, by day: recovery_daily and recovery_by_path show them
-- among all others. Few paths are judged: each is looked up.
create view analytics.judged_daily with (security_barrier) as
select p.project_id,
       p.project,
       d.day,
       d.visitor,
       coalesce(sum(d.redirected) filter (where j.is_right), 0)::bigint as redirected_right,
       coalesce(sum(d.redirected) filter (where not j.is_right and d.day <= j.day), 0)::bigint as redirected_wrong
  from analytics.accessible_projects p
 cross join lateral (select distinct on (j.path_hash) j.path_hash, j.is_right, (j.judged_at at time zone 'UTC')::date as day
                       from pathmend.judgements j
                      where j.project_id = p.project_id and j.is_right is not null and j.path_hash is not null
                      order by j.path_hash, j.judged_at desc) as j
 cross join lateral (select d.day, d.visitor, d.redirected from pathmend.path_days d
                      where d.project_id = p.project_id and d.path_hash = j.path_hash offset 0) as d
 group by 1, 2, 3, 4;
comment on view analytics.judged_daily is
  'Redirects of judged paths, by UTC day and kind of visitor: which are known to be right or wrong. Without test keys.';
comment on column analytics.judged_daily.project_id is 'Id of the project.';
comment on column analytics.judged_daily.project is 'Name of the project.';
comment on column analytics.judged_daily.day is 'UTC day of the 404s.';
comment on column analytics.judged_daily.visitor is 'person, unknown (no user agent), assistant, search_engine, scanner or robot. Add up person and unknown for people.';
comment on column analytics.judged_daily.redirected_right is '404s that were redirected, of paths whose latest judgement is right.';
comment on column analytics.judged_daily.redirected_wrong is '404s that were redirected up to the day on which the latest judgement of the path is wrong.';
