-- All hosts of a project's pages, each by one look-up (hosts_of.sql): referrers on any of them are the site's own.
create index pages__host on pathmend.pages (project_id, left(split_part(url, '/', 3), 255));
comment on column pathmend.referrer_weeks.own is
  'Whether its host is that of the event''s origin, or of one of the project''s pages; null: no origin was told, and no page is on its host.';
-- Maintenance makes the sums again, with own referrers on all hosts.
update pathmend.rollups set stale = true where what = 'not_founds';
