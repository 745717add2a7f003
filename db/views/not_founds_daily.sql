-- The one view that reads every 404 itself, for the columns that no sum holds: ask it for days.
-- Missing pages per project, path and day (UTC): which dead paths visitors meet, how often, and from where. Robots are
-- counted in a column of their own, and in no other but last_seen.
create view analytics.not_founds_daily with (security_barrier) as
select n.project_id,
       p.project,
       (n.received_at at time zone 'UTC')::date as day,
       split_part(split_part(n.raw_path, '?', 1), '#', 1) as path,
       count(*) filter (where coalesce(n.visitor, 'unknown') in ('person', 'unknown')) as hits,
       count(distinct n.visitor_ip) filter (where coalesce(n.visitor, 'unknown') in ('person', 'unknown')) as visitor_ips,
       max(n.received_at) as last_seen,
       mode() within group (order by n.referrer) filter (where coalesce(n.visitor, 'unknown') in ('person', 'unknown')) as top_referrer,
       count(*) filter (where n.visitor not in ('person', 'unknown')) as robot_hits
  from pathmend.not_founds n
  join analytics.accessible_projects p on p.project_id = n.project_id
 where not n.is_test
 group by 1, 2, 3, 4;
comment on view analytics.not_founds_daily is
  'Hits of missing pages per project, path (without query string) and UTC day. Reads every 404: ask for days. Test keys left out.';
comment on column analytics.not_founds_daily.project_id is 'Id of the project.';
comment on column analytics.not_founds_daily.project is 'Name of the project.';
comment on column analytics.not_founds_daily.day is 'UTC day of the 404.';
comment on column analytics.not_founds_daily.path is 'Without query string and fragment.';
comment on column analytics.not_founds_daily.hits is 'By people, and by visitors without a user agent.';
comment on column analytics.not_founds_daily.visitor_ips is 'How many addresses, as EVENT_IP_MODE leaves them; not the addresses.';
comment on column analytics.not_founds_daily.last_seen is 'The latest 404, by whomever.';
comment on column analytics.not_founds_daily.top_referrer is 'The commonest referrer of people.';
comment on column analytics.not_founds_daily.robot_hits is 'By all others: robots, scanners, search engines, assistants. They are in no other column but last_seen.';
