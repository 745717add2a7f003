-- Missing pages per project, path and day (UTC): which dead paths visitors meet, how often, and from where. Robots are
-- counted in a column of their own, and in no other but last_seen.
create view analytics.not_founds_daily as
select n.project_id,
       p.name as project,
       (n.received_at at time zone 'UTC')::date as day,
       split_part(split_part(n.raw_path, '?', 1), '#', 1) as path,
       count(*) filter (where n.visitor is distinct from 'robot') as hits,
       count(distinct n.visitor_ip) filter (where n.visitor is distinct from 'robot') as visitor_ips,
       max(n.received_at) as last_seen,
       mode() within group (order by n.referrer) filter (where n.visitor is distinct from 'robot') as top_referrer,
       count(*) filter (where n.visitor = 'robot') as robot_hits
  from pathmend.not_founds n
  join pathmend.projects p on p.project_id = n.project_id
 where not n.is_test
 group by 1, 2, 3, 4;
comment on view analytics.not_founds_daily is 'Hits of missing pages per project, path (without query string) and UTC day. Test keys left out.';
comment on column analytics.not_founds_daily.hits is 'By people, and by visitors without a user agent.';
comment on column analytics.not_founds_daily.robot_hits is 'By user agents of robots. They are in no other column but last_seen.';
