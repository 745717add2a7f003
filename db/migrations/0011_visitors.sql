-- Who met a 404. Without a constraint, which would read every old row while nobody may write.

alter table pathmend.not_founds add column visitor text;
comment on column pathmend.not_founds.visitor is
  'person or robot, by the user agent; null: it named none, or the event is from before this column.';
