-- What customers pushed, and what searches read.

create table pathmend.pages (
  project_id      uuid not null constraint pages__project references pathmend.projects on delete cascade,
  page_id         text collate "C" not null constraint pages__page_id check (page_id ~ '^[0-9a-f]{24}$'),
  url             text not null,
  url_hash        bytea not null,
  path_key        bytea not null,
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
create index pages__path_key on pathmend.pages (project_id, path_key);
create index pages__status_at on pathmend.pages (status, status_at) where status <> 'INDEXED';
create index pages__project_status on pathmend.pages (project_id, status);
-- Filters. The project first, so that a filter never reads what another tenant stored under the same key and value.
create index pages__metadata on pathmend.pages using gin (project_id, metadata jsonb_path_ops);
alter table pathmend.pages enable row level security;
comment on column pathmend.pages.url is 'Normalized: WHATWG parsing, no fragment, no default port, lower-case host.';
comment on column pathmend.pages.url_hash is 'SHA-256 of url.';
comment on column pathmend.pages.path_key is
  'SHA-256 of the plain path of url with its query string: pages that differ in case, ending or trailing slash share it.';
comment on column pathmend.pages.content_version is 'Grows with every change of content; a job or a vector of an older version is stale.';
comment on column pathmend.pages.error is 'Why the page is in ERROR, in words.';

-- One order for all that a page adds to an index, so that an index can cover what came before a moment while a scan reads
-- what came after.
create sequence pathmend.arrivals;

-- One row per page that can be found. It stays while new content of the page waits for its vectors.
create table pathmend.indexed_pages (
  project_id      uuid not null,
  page_id         text collate "C" not null,
  content_version bigint not null,
  arrival         bigint not null default nextval('pathmend.arrivals'),
  path            text not null,
  path_words      text not null,
  slug_words      text not null,
  path_trigrams   bit(512) not null,
  slug_trigrams   bit(512) not null,
  counted_words   text[] not null,
  words           text[] not null,
  indexed_at      timestamptz not null default now(),
  constraint indexed_pages__pkey primary key (project_id, page_id),
  constraint indexed_pages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index indexed_pages__arrival on pathmend.indexed_pages (project_id, arrival);
alter table pathmend.indexed_pages enable row level security;
comment on column pathmend.indexed_pages.path is 'Url path with query string, as suggestions carry it.';
comment on column pathmend.indexed_pages.path_words is 'Sanitized words of the path, joined by spaces.';
comment on column pathmend.indexed_pages.slug_words is 'Sanitized words of its last segment, joined by spaces.';
comment on column pathmend.indexed_pages.path_trigrams is
  'One bit per trigram of path_words, by hash: Jaccard of two such sets is the likeness of two paths, in nanoseconds.';
comment on column pathmend.indexed_pages.slug_trigrams is 'The same of slug_words.';
comment on column pathmend.indexed_pages.counted_words is
  'The words of the path, and the forms of its slug''s, whose counts in the vocabulary weigh a comparison with it.';
comment on column pathmend.indexed_pages.words is
  'Distinct words and codes of the content. With path_words, what this page adds to the vocabulary.';

-- Vectors apart from rows that are updated often: an update of a row with an indexed vector pays for the index again
-- (pgvector issue 875). halfvec without a fixed size, because models differ; an index fixes it per model.
create table pathmend.passages (
  project_id uuid not null,
  model_id   integer not null constraint passages__model references pathmend.models,
  page_id    text collate "C" not null,
  ordinal    integer not null,
  arrival    bigint not null default nextval('pathmend.arrivals'),
  start_at   integer not null,
  end_at     integer not null,
  embedding  halfvec not null,
  constraint passages__pkey primary key (project_id, model_id, page_id, ordinal),
  constraint passages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index passages__page_of_project on pathmend.passages (project_id, page_id);
create index passages__arrival on pathmend.passages (project_id, arrival);
alter table pathmend.passages enable row level security;
comment on column pathmend.passages.ordinal is 'From 0; -1 is the page''s beginning, once more by itself.';
comment on column pathmend.passages.arrival is 'Order in which rows of the index came.';
comment on column pathmend.passages.start_at is 'Offset into the page''s content in UTF-16 units; end_at is behind the last.';

-- The words of each page's content, weighted, beside its vectors: names, error codes and rare words are found exactly.
-- Apart from indexed_pages, whose rows other scans read. Rows stay inline up to 8 kB (some 900 distinct words): an exact
-- scan reads them all, and every value out of line would cost it another lookup.
create table pathmend.page_terms (
  project_id uuid not null,
  page_id    text collate "C" not null,
  part       smallint not null,
  arrival    bigint not null default nextval('pathmend.arrivals'),
  terms      sparsevec(1000000000) not null,
  constraint page_terms__pkey primary key (project_id, page_id, part),
  constraint page_terms__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
) with (toast_tuple_target = 8160);
alter table pathmend.page_terms alter column terms set storage main;
create index page_terms__arrival on pathmend.page_terms (project_id, arrival);
alter table pathmend.page_terms enable row level security;
comment on table pathmend.page_terms is
  'What of each term a page covers, 0 to 1 (the page''s half of BM25); the inner product with a question''s weights is its score.';
comment on column pathmend.page_terms.part is 'A sparse vector holds 16,000 terms; what is beyond goes on in the next part.';
comment on column pathmend.page_terms.terms is 'Dimensions are hashes of words without endings.';

create table pathmend.vocabulary (
  project_id uuid not null constraint vocabulary__project references pathmend.projects on delete cascade,
  word       text collate "C" not null,
  pages      integer not null,
  constraint vocabulary__pkey primary key (project_id, word)
) with (fillfactor = 70);
-- What keeps the work of spelling small, whatever a project's vocabulary holds (db/functions/near_words.sql). Words of one
-- beginning and length, and of one ending and length, are rows of one key: a look-up can stop after so many of them, where a
-- range of words would first be read whole to find those of the right length. The key has the project in it, so that no
-- other index serves, which the planner might take for the better one. The column of counts must be in none of them: it
-- changes with every page, and the row could not stay where it is.
create index vocabulary__beginning on pathmend.vocabulary
  (uuid_hash_extended(project_id, hashtextextended(left(word, 2), length(word))));
create index vocabulary__end on pathmend.vocabulary
  (uuid_hash_extended(project_id, hashtextextended(right(word, 3), length(word))));
alter table pathmend.vocabulary enable row level security;
comment on column pathmend.vocabulary.pages is 'Number of indexed pages of the project whose content or path holds the word.';

create table pathmend.index_versions (
  project_id uuid not null constraint index_versions__project references pathmend.projects on delete cascade
             constraint index_versions__pkey primary key,
  version    bigint not null default 1,
  words      bigint not null default 0
) with (fillfactor = 50);
alter table pathmend.index_versions enable row level security;
comment on table pathmend.index_versions is
  'Bumped last in every transaction that changes an index, so that a cached answer is never older than the last change.';
-- Counting them takes a tenth of a second where they are many, and storing a page asks.
comment on column pathmend.index_versions.words is
  'Distinct words of the vocabulary. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';

-- A project whose passages are many gets indexes of its own (partial ones: no tenant reads another's rows). Each covers a
-- segment of the order of arrival, so that what is new is built by itself and not with all that was there before.
create table pathmend.own_indexes (
  project_id uuid not null constraint own_indexes__project references pathmend.projects on delete cascade,
  model_id   integer not null constraint own_indexes__model references pathmend.models,
  segment    bigint not null,
  after      bigint not null,
  covered    bigint not null,
  passages   bigint not null,
  built_at   timestamptz not null default now(),
  constraint own_indexes__pkey primary key (project_id, model_id, segment)
);
comment on table pathmend.own_indexes is
  'Segments of large projects'' order of arrival that have indexes of their own, named after the project, what is indexed, and `segment`. They join without a gap.';
comment on column pathmend.own_indexes.segment is
  'The number in the names of its indexes; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.own_indexes.after is 'Rows that arrived after this are in them; -1: from the first on.';
comment on column pathmend.own_indexes.covered is
  'Rows that arrived up to here are in them. What came after the last segment of a project is scanned.';
comment on column pathmend.own_indexes.passages is 'Passages when they were built.';
