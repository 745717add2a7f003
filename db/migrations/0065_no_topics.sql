-- Gaps are grouped by the folder of their paths, which the view content_gaps reads off the path. The views that name the column
-- are made again after the migrations; no release had it.
drop view if exists analytics.content_gaps, analytics.redirects_worth_adding;
alter table pathmend.missing_paths drop column topic;
