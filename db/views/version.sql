-- The version of all views together. Views and columns keep their names and meanings; new ones may be added. A breaking change
-- raises `major`, and CHANGELOG.md names it.
create view analytics.version as select 2 as major, 5 as minor;
comment on view analytics.version is 'The version of these views. A minor version adds views or columns; it never renames or removes any.';
comment on column analytics.version.major is 'Grows when a view or column is removed or changes its meaning.';
comment on column analytics.version.minor is 'Grows when a view or column is added.';
