-- What came beyond HISTORY_MB_PER_DAY: where a day has a row here, the other views show a part of it.
create view analytics.not_kept_daily with (security_barrier) as
select h.project_id, p.project, h.day, h.what, h.stored, h.not_kept
  from pathmend.history_days h
  join analytics.accessible_projects p on p.project_id = h.project_id
 where h.not_kept > 0;
comment on view analytics.not_kept_daily is
  'Days on which a project''s searches or events went beyond what it may keep: what is beyond was counted and not stored. Test keys included.';
comment on column analytics.not_kept_daily.project_id is 'Id of the project.';
comment on column analytics.not_kept_daily.project is 'Name of the project.';
comment on column analytics.not_kept_daily.day is 'UTC day.';
comment on column analytics.not_kept_daily.what is 'searches or events.';
comment on column analytics.not_kept_daily.stored is 'How many were stored.';
comment on column analytics.not_kept_daily.not_kept is 'How many were only counted.';
