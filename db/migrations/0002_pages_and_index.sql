-- What customers pushed, and what searches read.

create table pathmend.pages (
  project_id      uuid not null constraint pages__project references pathmend.projects on delete cascade,
  page_id         text collate "C" not null constraint pages__page_id check (page_id ~ '^[0-9a-f]{24}$'),
  url             text not null,
  url_hash        bytea not null,
  title           text,
  content         text not null,
  content_hash    bytea not null,
  content_version bigint not null default 1,
  metadata        jsonb,
  status          text not null default 'PENDING_VECTORIZATION' constraint pages__status
                  check (status in ('PENDING_VECTORIZATION', 'PROCESSING', 'INDEXED', 'ERROR')),
  error           text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  status_at       timestamptz not null default now(),
  constraint pages__pkey primary key (project_id, page_id),
  -- The hash, not the url: a url of 2,048 characters does not fit into a b-tree entry.
  constraint pages__url unique (project_id, url_hash)
);
-- To tell 403 (another project's page) from 404 (nobody's); not unique, so that pages can be partitioned by project.
create index pages__page_id_anywhere on pathmend.pages (page_id);
create index pages__status_at on pathmend.pages (status, status_at) where status <> 'INDEXED';
create index pages__project_status on pathmend.pages (project_id, status);
comment on column pathmend.pages.url is 'Normalized: WHATWG parsing, no fragment, no default port, lower-case host.';
comment on column pathmend.pages.url_hash is 'SHA-256 of url.';
comment on column pathmend.pages.content_version is 'Grows with every change of content; a job or a vector of an older version is stale.';
comment on column pathmend.pages.error is 'Why the page is in ERROR, in words.';

-- One row per page that can be found. It stays while new content of the page waits for its vectors.
create table pathmend.indexed_pages (
  project_id      uuid not null,
  page_id         text collate "C" not null,
  content_version bigint not null,
  path            text not null,
  path_words      text not null,
  slug_words      text not null,
  words           text[] not null,
  indexed_at      timestamptz not null default now(),
  constraint indexed_pages__pkey primary key (project_id, page_id),
  constraint indexed_pages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
comment on column pathmend.indexed_pages.path is 'Url path with query string, as suggestions carry it.';
comment on column pathmend.indexed_pages.path_words is 'Sanitized words of the path, joined by spaces.';
comment on column pathmend.indexed_pages.slug_words is 'Sanitized words of its last segment, joined by spaces.';
comment on column pathmend.indexed_pages.words is 'Distinct words of the content. With path_words, what this page adds to the vocabulary.';

-- Vectors apart from rows that are updated often: an update of a row with an indexed vector pays for the index again
-- (pgvector issue 875). halfvec without a fixed size, because models differ; an index will fix it per model.
create table pathmend.passages (
  project_id uuid not null,
  model_id   integer not null constraint passages__model references pathmend.models,
  page_id    text collate "C" not null,
  ordinal    integer not null,
  start_at   integer not null,
  end_at     integer not null,
  embedding  halfvec not null,
  constraint passages__pkey primary key (project_id, model_id, page_id, ordinal),
  constraint passages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index passages__page_of_project on pathmend.passages (project_id, page_id);
comment on column pathmend.passages.start_at is 'Offset into the page''s content in UTF-16 units; end_at is behind the last.';

create table pathmend.vocabulary (
  project_id uuid not null constraint vocabulary__project references pathmend.projects on delete cascade,
  word       text collate "C" not null,
  pages      integer not null,
  constraint vocabulary__pkey primary key (project_id, word)
) with (fillfactor = 70);
-- Candidates for a misspelt word share its first letter or its last three; both ranges stay inside one project,
-- where a shared trigram index would read the words of every tenant.
create index vocabulary__ending on pathmend.vocabulary (project_id, (right(word, 3)));
comment on column pathmend.vocabulary.pages is 'Number of indexed pages of the project whose content or path holds the word.';

create table pathmend.index_versions (
  project_id uuid not null constraint index_versions__project references pathmend.projects on delete cascade
             constraint index_versions__pkey primary key,
  version    bigint not null default 1
) with (fillfactor = 50);
comment on table pathmend.index_versions is
  'Bumped last in every transaction that changes an index, so that a cached answer is never older than the last change.';
