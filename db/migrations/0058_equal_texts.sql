-- A text that a project has under a model already, on another page or before an edit of its own, is not embedded again.
-- Partial: rows of earlier releases have no hash, and are not read to make the index.
alter table pathmend.passages add column text_hash bigint;
create index passages__text on pathmend.passages (project_id, model_id, text_hash) where text_hash is not null;
comment on column pathmend.passages.text_hash is 'First eight bytes of the SHA-256 of the text that was embedded; null: of an earlier release.';
