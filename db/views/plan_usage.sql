-- A project's use of its plan and of its daily history limit. Rates are per second; peaks within a day are not stored.
create view analytics.plan_usage with (security_barrier) as
select p.project_id,
       p.project,
       h.day,
       r.plan,
       r.read_rate,
       coalesce(sum(h.stored + h.not_kept) filter (where h.what = 'searches'), 0)::bigint as searches,
       coalesce(sum(h.stored + h.not_kept) filter (where h.what = 'events'), 0)::bigint as events,
       round((sum(h.stored + h.not_kept) / nullif(r.read_rate::numeric * 86400, 0)), 6) as share_of_plan,
       coalesce(sum(h.bytes) filter (where h.what = 'searches'), 0)::bigint as search_bytes,
       coalesce(sum(h.bytes) filter (where h.what = 'events'), 0)::bigint as event_bytes,
       sum(h.not_kept)::bigint as not_kept
  from analytics.accessible_projects p
  join pathmend.projects r on r.project_id = p.project_id
  join pathmend.history_days h on h.project_id = p.project_id
 group by 1, 2, 3, 4, 5;
comment on view analytics.plan_usage is 'Searches and events by UTC day, with the limits of the plan. With test keys.';
comment on column analytics.plan_usage.project_id is 'Id of the project.';
comment on column analytics.plan_usage.project is 'Name of the project.';
comment on column analytics.plan_usage.day is 'UTC day.';
comment on column analytics.plan_usage.plan is 'The present plan; null if there is none.';
comment on column analytics.plan_usage.read_rate is 'Reads per second that the present plan allows.';
comment on column analytics.plan_usage.searches is 'Searches received, without retrieves.';
comment on column analytics.plan_usage.events is 'Events received: clicks and 404s.';
comment on column analytics.plan_usage.share_of_plan is 'Searches and events as a share of the reads that the plan allows in a day.';
comment on column analytics.plan_usage.search_bytes is 'Bytes of the searches; HISTORY_MB_PER_DAY limits them.';
comment on column analytics.plan_usage.event_bytes is 'Bytes of the events; HISTORY_MB_PER_DAY limits them.';
comment on column analytics.plan_usage.not_kept is 'Searches and events beyond HISTORY_MB_PER_DAY: counted, not stored.';
