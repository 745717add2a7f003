-- Of the paths that people miss, those that many miss are kept apart, whenever they come: the rarest make room for new ones
-- (Space-Saving: Metwally, Agrawal, El Abbadi 2005).
alter table pathmend.missing_paths add column forgotten bigint not null default 0;
comment on column pathmend.missing_paths.forgotten is
  'How many 404s of people it may have had before it was kept apart: as many as the commonest path that had made room by then. They are in (other), if there are any.';
alter table pathmend.rollups add column forgotten bigint not null default 0;
comment on column pathmend.rollups.forgotten is 'The most 404s of people, forgotten ones included, of a path that made room for others.';
