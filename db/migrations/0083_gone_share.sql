-- What people decided about missing paths tells how many of a site's have no page any more: guesses are weighed by that.
alter table pathmend.index_versions add column gone_share real;
comment on column pathmend.index_versions.gone_share is
  'The share of missing paths that are gone, estimated from decisions of people; null: unknown, or as usual, a third.';
