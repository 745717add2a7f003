-- What came beyond HISTORY_MB_PER_DAY: where a day has a row here, the other views show a part of it.
create view analytics.not_kept_daily as
select h.project_id, p.name as project, h.day, h.what, h.stored, h.not_kept
  from pathmend.history_days h
  join pathmend.projects p on p.project_id = h.project_id
 where h.not_kept > 0;
comment on view analytics.not_kept_daily is
  'Days on which a project''s searches or events went beyond what it may keep: what is beyond was counted and not stored. Test keys included.';
