-- Duration of searches. The histogram's bounds are an eighth apart, so percentiles are upper bounds, at most an eighth too high.
create view analytics.latency_daily with (security_barrier) as
select p.project_id,
       p.project,
       b.day,
       b.kind,
       max(b.people) as searches,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.people > 0 and b.people_so_far >= 0.50 * b.people), 2) as p50_ms,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.people > 0 and b.people_so_far >= 0.95 * b.people), 2) as p95_ms,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.people > 0 and b.people_so_far >= 0.99 * b.people), 2) as p99_ms,
       max(b.total) as searches_all,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.50 * b.total), 2) as p50_ms_all,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.95 * b.total), 2) as p95_ms_all,
       round(min(10 ^ ((b.bucket + 1) / 20.0)) filter (where b.so_far >= 0.99 * b.total), 2) as p99_ms_all
  from analytics.accessible_projects p
  join (select l.project_id, l.day, l.kind, l.bucket,
               (sum(l.searches - l.others) over so_far)::bigint as people_so_far,
               (sum(l.searches - l.others) over whole)::bigint as people,
               (sum(l.searches) over so_far)::bigint as so_far,
               (sum(l.searches) over whole)::bigint as total
          from pathmend.latency_days l
        window whole as (partition by l.project_id, l.day, l.kind), so_far as (whole order by l.bucket)) as b
    on b.project_id = p.project_id
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
