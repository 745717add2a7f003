-- What is remembered of deleted pages: where the same content appears under another url, the page has moved there.

create table pathmend.tombstones (
  project_id   uuid not null constraint tombstones__project references pathmend.projects on delete cascade,
  url_hash     bytea not null,
  url          text not null,
  path_key     bytea not null,
  title        text,
  content_hash bytea not null,
  content      text,
  model_id     integer constraint tombstones__model references pathmend.models,
  beginning    halfvec,
  terms        sparsevec(1000000000),
  deleted_at   timestamptz not null default now(),
  constraint tombstones__pkey primary key (project_id, url_hash)
);
create index tombstones__path_key on pathmend.tombstones (project_id, path_key);
create index tombstones__deleted_at on pathmend.tombstones (deleted_at);
alter table pathmend.tombstones enable row level security;
comment on table pathmend.tombstones is
  'Deleted pages. Their dead paths lead to pages with the same content; an upsert of the url removes the row.';
comment on column pathmend.tombstones.path_key is 'As in pages.';
comment on column pathmend.tombstones.content is 'Only with TOMBSTONE_CONTENT=on.';
comment on column pathmend.tombstones.beginning is 'The vector of the page''s beginning under model_id; null for a page that was not indexed.';
comment on column pathmend.tombstones.terms is 'As in page_terms, of the first part.';

create index pages__content_hash on pathmend.pages (project_id, content_hash);
