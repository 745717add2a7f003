-- Searches and events beyond HISTORY_MB_PER_DAY. If a day has a row here, the other views show only part of it.
create view analytics.not_kept_daily with (security_barrier) as
select h.project_id, p.project, h.day, h.what, h.stored, h.not_kept
  from pathmend.history_days h
  join analytics.accessible_projects p on p.project_id = h.project_id
 where h.not_kept > 0;
comment on view analytics.not_kept_daily is
  'Days on which a project''s searches or events exceeded HISTORY_MB_PER_DAY. The excess was counted, not stored. With test keys.';
comment on column analytics.not_kept_daily.project_id is 'Id of the project.';
comment on column analytics.not_kept_daily.project is 'Name of the project.';
comment on column analytics.not_kept_daily.day is 'UTC day.';
comment on column analytics.not_kept_daily.what is 'searches or events.';
comment on column analytics.not_kept_daily.stored is 'Number stored.';
comment on column analytics.not_kept_daily.not_kept is 'Number counted but not stored.';
