-- Metadata that compresses (60 kB of one letter is stored in 730 bytes) passed as small by pg_column_size. Without a
-- default no row is written: a million pages take a moment. Rows of before get their length with their next change.
alter table pathmend.pages add column metadata_bytes integer;
comment on column pathmend.pages.metadata_bytes is
  'Length of the JSON text of metadata, in bytes; null: there is none, or it was written before this column was.';
