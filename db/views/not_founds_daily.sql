-- 404s by project, path and UTC day: which missing paths visitors meet, how often, and from where. Robots are counted only in
-- robot_hits and last_seen. It reads each 404, for columns that no sum has: always filter by day.
create view analytics.not_founds_daily with (security_barrier) as
select n.project_id,
       p.project,
       (n.received_at at time zone 'UTC')::date as day,
       split_part(split_part(n.raw_path, '?', 1), '#', 1) as path,
       count(*) filter (where n.visitor in ('person', 'unknown')) as hits,
       count(distinct n.visitor_ip) filter (where n.visitor in ('person', 'unknown')) as visitor_ips,
       max(n.received_at) as last_seen,
       mode() within group (order by n.referrer) filter (where n.visitor in ('person', 'unknown')) as top_referrer,
       count(*) filter (where n.visitor not in ('person', 'unknown')) as robot_hits
  from pathmend.not_founds n
  join analytics.accessible_projects p on p.project_id = n.project_id
 where not n.is_test
 group by 1, 2, 3, 4;
comment on view analytics.not_founds_daily is
  '404s by project, path (without query string) and UTC day. It reads each 404, so always filter by day. Without test keys.';
comment on column analytics.not_founds_daily.project_id is 'Id of the project.';
comment on column analytics.not_founds_daily.project is 'Name of the project.';
comment on column analytics.not_founds_daily.day is 'UTC day of the 404.';
comment on column analytics.not_founds_daily.path is 'Path without query string and fragment.';
comment on column analytics.not_founds_daily.hits is '404s of people, and of visitors without a user agent.';
comment on column analytics.not_founds_daily.visitor_ips is 'Number of distinct addresses, as EVENT_IP_MODE stores them.';
comment on column analytics.not_founds_daily.last_seen is 'The latest 404, by any visitor.';
comment on column analytics.not_founds_daily.top_referrer is 'The most frequent referrer of people.';
comment on column analytics.not_founds_daily.robot_hits is '404s of all others: robots, scanners, search engines, assistants. Of the other columns, only last_seen includes them.';
