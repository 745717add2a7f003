-- Every stored click on a result. Its score is looked up in its search, as far as clicks are linked: seven days back.
create view analytics.clicks with (security_barrier) as
select c.project_id,
       p.project,
       c.received_at as at,
       c.search_id,
       split_part(split_part(c.raw_path, '?', 1), '#', 1) as path,
       c.clicked_rank as position,
       c.clicked_url as url,
       (select pathmend.shown_score((s.results -> (least(c.clicked_rank, 1000) - 1)::int ->> 'score')::double precision) from pathmend.searches s
         where s.project_id = c.project_id and s.search_id = c.search_id and not s.is_test
           and (s.searched_at at time zone 'UTC')::date between (c.received_at at time zone 'UTC')::date - 7
                                                            and (c.received_at at time zone 'UTC')::date
         limit 1) as score,
       (c.received_at at time zone 'UTC')::date as day,
       c.occurred_at
  from pathmend.clicks c
  join analytics.accessible_projects p on p.project_id = c.project_id
 where not c.is_test;
comment on view analytics.clicks is
  'Every stored click on a result, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.clicks.project_id is 'Id of the project.';
comment on column analytics.clicks.project is 'Name of the project.';
comment on column analytics.clicks.at is 'When the click arrived.';
comment on column analytics.clicks.search_id is 'The search whose result was clicked.';
comment on column analytics.clicks.path is 'Path or question that was searched for, without query string and fragment, as the click has it.';
comment on column analytics.clicks.position is 'Place of the result, from 1 on.';
comment on column analytics.clicks.url is 'The url that was clicked, as the click has it.';
comment on column analytics.clicks.score is 'Score of the result at this position; null: the search is unknown or older than seven days, or has fewer results.';
comment on column analytics.clicks.day is 'UTC day on which the click arrived.';
comment on column analytics.clicks.occurred_at is 'Time of the click as its sender gave it; else of its arrival.';
