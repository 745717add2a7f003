-- The version of the views as a whole. A view and its columns keep their names and meanings; columns and views are added. What
-- must break raises `major`, and says so in CHANGELOG.md.
create view analytics.version as select 2 as major, 1 as minor;
comment on view analytics.version is 'The version of these views. Columns and views may be added to a minor version, and are never renamed or removed in it.';
comment on column analytics.version.major is 'Grows when a view or column goes, or means something else.';
comment on column analytics.version.minor is 'Grows when a view or column is added.';
