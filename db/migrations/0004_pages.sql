-- What customers pushed, and what searches read.

create table pathmend.pages (
  project_id      uuid not null constraint pages__project references pathmend.projects on delete cascade,
  page_id         text collate "C" not null constraint pages__page_id check (page_id ~ '^[0-9a-f]{24}$'),
  url             text not null,
  -- Unique by its hash: a url of 2,048 characters does not fit into a b-tree entry.
  url_hash        bytea not null,
  path_key        bytea not null,
  title           text,
  content         text not null,
  content_hash    bytea not null,
  former_hash     bytea,
  content_version bigint not null default 1,
  metadata        jsonb,
  metadata_bytes  integer,
  status          text not null default 'PENDING_VECTORIZATION'
                  constraint pages__status check (status in ('PENDING_VECTORIZATION', 'PROCESSING', 'INDEXED', 'ERROR')),
  status_at       timestamptz not null default now(),
  error           text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint pages__pkey primary key (project_id, page_id),
  constraint pages__url unique (project_id, url_hash)
);
create index pages__content_hash on pathmend.pages (project_id, content_hash);
-- All hosts of a project's pages, each by one look-up (hosts_of.sql): referrers on any of them are the site's own.
create index pages__host on pathmend.pages (project_id, left(split_part(url, '/', 3), 255));
-- Filters. The project first, so that a filter never reads what another tenant stored under the same key and value.
create index pages__metadata on pathmend.pages using gin (project_id, metadata jsonb_path_ops);
-- To tell 403 (another project's page) from 404 (nobody's); not unique, so that pages can be partitioned by project.
create index pages__page_id_anywhere on pathmend.pages (page_id);
create index pages__path_key on pathmend.pages (project_id, path_key);
-- Pages of one status are listed a few at a time, in page_id order: each list reads what it shows, of a million pages too.
create index pages__project_status on pathmend.pages (project_id, status, page_id);
create index pages__status_at on pathmend.pages (status, status_at) where status <> 'INDEXED';
alter table pathmend.pages enable row level security;
comment on column pathmend.pages.url is 'Normalized: WHATWG parsing, no fragment, no default port, lower-case host.';
comment on column pathmend.pages.url_hash is 'SHA-256 of url.';
comment on column pathmend.pages.path_key is 'SHA-256 of the plain path of url with its query string: pages that differ in case, ending or trailing slash share it.';
comment on column pathmend.pages.former_hash is 'The content_hash before the last change of a content long enough to tell pages apart; null if there was none.';
comment on column pathmend.pages.content_version is 'Grows with every change of content; a job or a vector of an older version is stale.';
comment on column pathmend.pages.metadata_bytes is 'Length of the JSON text of metadata, in bytes; null: there is none. Metadata that compresses (60 kB of one letter) is stored in 730 bytes, so its stored size tells nothing.';
comment on column pathmend.pages.error is 'Why the page is in ERROR, in words.';

-- One order for all that a page adds to an index, so that an index can cover what came before a moment while a scan reads
-- what came after.
create sequence pathmend.arrivals;

-- One row for each page that can be found. It stays while new content of the page waits for its vectors.
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
  headings        text not null default '',
  understood      boolean not null default true,
  unread          integer not null default 0,
  indexed_at      timestamptz,
  constraint indexed_pages__pkey primary key (project_id, page_id),
  constraint indexed_pages__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
create index indexed_pages__arrival on pathmend.indexed_pages (project_id, arrival);
create index indexed_pages__not_understood on pathmend.indexed_pages (project_id) where not understood;
-- The console says how many pages a rule for a whole section would hide: of a million, without an index, in a second.
create index indexed_pages__section on pathmend.indexed_pages (project_id, lower(left(path, 255)) text_pattern_ops);
create index indexed_pages__unread on pathmend.indexed_pages (project_id) where unread > 0;
alter table pathmend.indexed_pages enable row level security;
comment on column pathmend.indexed_pages.path is 'Url path with query string, as suggestions carry it.';
comment on column pathmend.indexed_pages.path_words is 'Sanitized words of the path, joined by spaces.';
comment on column pathmend.indexed_pages.slug_words is 'Sanitized words of its last segment, joined by spaces.';
comment on column pathmend.indexed_pages.path_trigrams is 'One bit per trigram of path_words, by hash: Jaccard of two such sets is the likeness of two paths, in nanoseconds.';
comment on column pathmend.indexed_pages.slug_trigrams is 'The same of slug_words.';
comment on column pathmend.indexed_pages.counted_words is 'The words of the path, and the forms of its slug''s, whose counts in the vocabulary weigh a comparison with it.';
comment on column pathmend.indexed_pages.words is 'Distinct words and codes of the content. With path_words, what this page adds to the vocabulary.';
comment on column pathmend.indexed_pages.headings is 'Headings of the content but its first line, one a line, as words without endings.';
comment on column pathmend.indexed_pages.understood is 'It has vectors: of its beginning at least, and of all its content once indexed_at is set.';
comment on column pathmend.indexed_pages.unread is 'Characters at the end of a long page that have no vectors: words alone find them.';
comment on column pathmend.indexed_pages.indexed_at is 'When its vectors were stored. Null: it is found by its words and path alone.';

-- A page is found by its words and path before its vectors are there: a job of its own stores them, a project at a time.
create table pathmend.wordless_pages (
  project_id uuid not null constraint wordless_pages__project references pathmend.projects on delete cascade,
  is_bulk    boolean not null,
  page_id    text collate "C" not null,
  constraint wordless_pages__pkey primary key (project_id, is_bulk, page_id)
);
alter table pathmend.wordless_pages enable row level security;
comment on table pathmend.wordless_pages is 'Pages whose words wait to be stored. A row of a deleted or indexed page means nothing, and the next job drops it.';
comment on column pathmend.wordless_pages.is_bulk is 'It was pushed with many others: pages that were pushed alone go first.';

-- Vectors apart from rows that are updated often: an update of a row with an indexed vector pays for the index again
-- (pgvector issue 875). halfvec without a fixed size, because models differ; an index fixes it for each model.
create table pathmend.chunks (
  project_id uuid not null,
  model_id   integer not null constraint chunks__model references pathmend.models,
  page_id    text collate "C" not null,
  ordinal    integer not null,
  arrival    bigint not null default nextval('pathmend.arrivals'),
  start_at   integer not null,
  end_at     integer not null,
  text_hash  bigint not null,
  embedding  halfvec not null,
  constraint chunks__pkey primary key (project_id, model_id, page_id, ordinal),
  constraint chunks__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
create index chunks__arrival on pathmend.chunks (project_id, arrival);
create index chunks__page_of_project on pathmend.chunks (project_id, page_id);
-- A text that a project has under a model already, on another page or before an edit of its own, is not embedded again.
create index chunks__text on pathmend.chunks (project_id, model_id, text_hash);
alter table pathmend.chunks enable row level security;
comment on column pathmend.chunks.ordinal is 'From 0; -1 is the page''s beginning, once more by itself.';
comment on column pathmend.chunks.arrival is 'Order in which rows of the index came.';
comment on column pathmend.chunks.start_at is 'Offset into the page''s content in UTF-16 units; end_at is behind the last.';
comment on column pathmend.chunks.text_hash is 'First eight bytes of the SHA-256 of the text that was embedded.';

-- The words of each page's content, weighted, besides its vectors: names, error codes and rare words are found exactly.
-- Apart from indexed_pages, whose rows other scans read. Rows stay inline up to 8 kB (some 900 distinct words): an exact
-- scan reads them all, and every value out of line would cost it another look-up.
create table pathmend.page_terms (
  project_id uuid not null,
  page_id    text collate "C" not null,
  part       smallint not null,
  arrival    bigint not null default nextval('pathmend.arrivals'),
  terms      sparsevec(1000000000) not null,
  constraint page_terms__pkey primary key (project_id, page_id, part),
  constraint page_terms__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
) with (toast_tuple_target = 8160);
alter table pathmend.page_terms alter column terms set storage main;
create index page_terms__arrival on pathmend.page_terms (project_id, arrival);
alter table pathmend.page_terms enable row level security;
comment on table pathmend.page_terms is 'What of each term a page covers, 0 to 1 (the page''s half of BM25); the inner product with a question''s weights is its score.';
comment on column pathmend.page_terms.part is 'A sparse vector holds 16,000 terms; what is beyond goes on in the next part.';
comment on column pathmend.page_terms.terms is 'Dimensions are hashes of words without endings.';

-- No statement chooses a plan by these columns, and most of the time of an ANALYZE went into them: it compared vectors, and
-- counted the elements of lists of words. While pages arrive the service analyzes each time that the index has grown by half.
do $$
begin
  -- Citus takes no such change of a distributed table, and plans by the statistics of its shards.
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  alter table pathmend.indexed_pages
    alter column words set statistics 0, alter column counted_words set statistics 0,
    alter column path_trigrams set statistics 0, alter column slug_trigrams set statistics 0;
  alter table pathmend.chunks alter column embedding set statistics 0;
end $$;

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

-- A project with many chunks gets indexes of its own, so that no tenant reads another's rows. Each covers a segment of the
-- order of arrival, so that what is new is built by itself and not with all that was there before.
create table pathmend.index_segments (
  project_id uuid not null constraint index_segments__project references pathmend.projects on delete cascade,
  model_id   integer not null constraint index_segments__model references pathmend.models,
  segment    bigint not null,
  after      bigint not null,
  covered    bigint not null,
  chunks     bigint not null,
  pages      bigint not null,
  built_at   timestamptz not null default now(),
  swept_at   timestamptz not null default now(),
  constraint index_segments__pkey primary key (project_id, model_id, segment)
);
comment on table pathmend.index_segments is 'Segments of large projects'' order of arrival, which are searched by indexes. They join without a gap. Each is the tables vectors_, terms_ and paths_ of the schema pathmend_segments, named after the project and `segment`.';
comment on column pathmend.index_segments.segment is 'The number in the names of its tables; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.index_segments.after is 'Rows that arrived after this are in them; -1: from the first on.';
comment on column pathmend.index_segments.covered is 'Rows that arrived up to here are in them. What came after the last segment of a project is scanned.';
comment on column pathmend.index_segments.chunks is 'Chunks when it was built or swept.';
comment on column pathmend.index_segments.pages is 'Pages when it was built or swept.';
comment on column pathmend.index_segments.swept_at is 'When rows of pages that had changed or gone were last deleted from its tables.';

comment on schema pathmend_segments is
  'Segments of large projects, named in pathmend.index_segments: copies of what is searched by an index. What is missing is built anew, so no backup needs it.';

-- What is remembered of deleted pages: where the same content appears under another url, the page has moved there.
create table pathmend.tombstones (
  project_id   uuid not null constraint tombstones__project references pathmend.projects on delete cascade,
  url_hash     bytea not null,
  url          text not null,
  path_key     bytea not null,
  title        text,
  content_hash bytea not null,
  former_hash  bytea,
  content      text,
  model_id     integer constraint tombstones__model references pathmend.models,
  beginning    halfvec,
  terms        sparsevec(1000000000),
  created_at   timestamptz not null default now(),
  deleted_at   timestamptz not null default now(),
  constraint tombstones__pkey primary key (project_id, url_hash)
);
create index tombstones__deleted_at on pathmend.tombstones (deleted_at);
create index tombstones__path_key on pathmend.tombstones (project_id, path_key);
alter table pathmend.tombstones enable row level security;
comment on table pathmend.tombstones is 'Deleted pages. Their dead paths lead to pages with the same content; an upsert of the url removes the row.';
comment on column pathmend.tombstones.path_key is 'As in pages.';
comment on column pathmend.tombstones.former_hash is 'As in pages.';
comment on column pathmend.tombstones.content is 'Only with TOMBSTONE_CONTENT=on.';
comment on column pathmend.tombstones.beginning is 'The vector of the page''s beginning under model_id; null for a page that was not indexed.';
comment on column pathmend.tombstones.terms is 'As in page_terms, of the first part.';
comment on column pathmend.tombstones.created_at is 'When the page came: a page that stood beside a deleted one is not its new place.';

-- Pages of which visitors report that they are missing on the site, and those that the proxy was called for.
create table pathmend.missing_pages (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  path_key      bytea not null,
  networks      text[] not null default '{}',
  hours         timestamptz[] not null default '{}',
  first_at      timestamptz,
  last_at       timestamptz,
  reported_at   timestamptz,
  asked_at      timestamptz,
  asked_test_at timestamptz,
  constraint missing_pages__pkey primary key (project_id, page_id),
  constraint missing_pages__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
create index missing_pages__reported on pathmend.missing_pages (project_id, page_id, path_key) where reported_at is not null;
alter table pathmend.missing_pages enable row level security;
comment on table pathmend.missing_pages is 'What 404s of pages'' own urls say since the page was last pushed; an upsert of the page clears it.';
comment on column pathmend.missing_pages.path_key is 'As in pages: a page that is reported missing may still be named for its own path.';
comment on column pathmend.missing_pages.networks is 'Networks of visitors who met the 404 (/24 or /48), a few of them.';
comment on column pathmend.missing_pages.hours is 'Hours in which somebody without an address met it, a few of them.';
comment on column pathmend.missing_pages.reported_at is 'When the reports were enough: from then on the page is not suggested for other paths.';
comment on column pathmend.missing_pages.asked_at is 'When the proxy was last asked for the page''s own url: it is no target of the next such question.';
comment on column pathmend.missing_pages.asked_test_at is 'The same by a test key.';
