-- Missing pages per project, path and day (UTC): which dead paths visitors meet, how often, and from where.
create view analytics.not_founds_daily as
select n.project_id,
       p.name as project,
       (n.received_at at time zone 'UTC')::date as day,
       split_part(split_part(n.raw_path, '?', 1), '#', 1) as path,
       count(*) as hits,
       count(distinct n.visitor_ip) as visitor_ips,
       max(n.received_at) as last_seen,
       mode() within group (order by n.referrer) as top_referrer
  from pathmend.not_founds n
  join pathmend.projects p on p.project_id = n.project_id
 where not n.is_test
 group by 1, 2, 3, 4;
comment on view analytics.not_founds_daily is 'Hits of missing pages per project, path (without query string) and UTC day. Test keys left out.';
