-- Duration of searches, by the histogram that latency_buckets shows.
create view analytics.latency_daily with (security_barrier) as
select p.project_id,
       p.project,
       l.day,
       l.kind,
       sum(l.searches - l.others)::bigint as searches,
       round(pathmend.percentile_ms(0.50, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) as p50_ms,
       round(pathmend.percentile_ms(0.95, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) as p95_ms,
       round(pathmend.percentile_ms(0.99, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) as p99_ms,
       sum(l.searches)::bigint as searches_all,
       round(pathmend.percentile_ms(0.50, array_agg(l.bound), array_agg(l.searches))::numeric, 2) as p50_ms_all,
       round(pathmend.percentile_ms(0.95, array_agg(l.bound), array_agg(l.searches))::numeric, 2) as p95_ms_all,
       round(pathmend.percentile_ms(0.99, array_agg(l.bound), array_agg(l.searches))::numeric, 2) as p99_ms_all
  from analytics.accessible_projects p
  join (select d.*, power(10::float8, (d.bucket + 1) / 20.0::float8) as bound from pathmend.latency_days d) as l on l.project_id = p.project_id
 group by 1, 2, 3, 4;
comment on view analytics.latency_daily is
  'Duration of searches inside pathmend, by UTC day and kind. Percentiles are upper bounds, at most an eighth too high. Without test keys.';
comment on column analytics.latency_daily.project_id is 'Id of the project.';
comment on column analytics.latency_daily.project is 'Name of the project.';
comment on column analytics.latency_daily.day is 'UTC day of the search.';
comment on column analytics.latency_daily.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.latency_daily.searches is 'Searches of people, with cached ones.';
comment on column analytics.latency_daily.p50_ms is 'Median duration, in milliseconds.';
comment on column analytics.latency_daily.p95_ms is '95th percentile, in milliseconds.';
comment on column analytics.latency_daily.p99_ms is '99th percentile, in milliseconds.';
comment on column analytics.latency_daily.searches_all is 'Like searches, but including robots.';
comment on column analytics.latency_daily.p50_ms_all is 'Like p50_ms, for the searches of all visitors.';
comment on column analytics.latency_daily.p95_ms_all is 'Like p95_ms, for the searches of all visitors.';
comment on column analytics.latency_daily.p99_ms_all is 'Like p99_ms, for the searches of all visitors.';
