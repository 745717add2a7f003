-- The histogram of latency_daily, for percentiles of several days or kinds together: those of days cannot be added up.
create view analytics.latency_buckets with (security_barrier) as
select p.project_id,
       p.project,
       d.day,
       d.kind,
       power(10::float8, (d.bucket + 1) / 20.0::float8) as up_to_ms,
       d.searches - d.others as searches,
       d.searches as searches_all
  from analytics.accessible_projects p
  join pathmend.latency_days d on d.project_id = p.project_id;
comment on view analytics.latency_buckets is
  'How many searches took how long inside pathmend, by UTC day and kind: for percentiles of several days. Bounds are an eighth apart. Without test keys.';
comment on column analytics.latency_buckets.project_id is 'Id of the project.';
comment on column analytics.latency_buckets.project is 'Name of the project.';
comment on column analytics.latency_buckets.day is 'UTC day of the search.';
comment on column analytics.latency_buckets.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.latency_buckets.up_to_ms is 'Upper bound of the duration, in milliseconds; the lower one is that of the bucket before.';
comment on column analytics.latency_buckets.searches is 'Searches of people, with cached ones.';
comment on column analytics.latency_buckets.searches_all is 'Like searches, but including robots.';
