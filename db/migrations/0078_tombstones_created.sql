-- A page that stood beside a deleted one is not its new place: tombstones keep when a page came, too.
alter table pathmend.tombstones add column created_at timestamptz;
comment on column pathmend.tombstones.created_at is 'When the page came; null: it was deleted before this column was.';
