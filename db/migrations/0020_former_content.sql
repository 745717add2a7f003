-- What a page held before its content was replaced: where that is another page now, the dead path leads there.

alter table pathmend.pages add column former_hash bytea;
alter table pathmend.tombstones add column former_hash bytea;
comment on column pathmend.pages.former_hash is
  'The content_hash before the last change of a content long enough to tell pages apart; null if there was none.';
comment on column pathmend.tombstones.former_hash is 'As in pages.';
