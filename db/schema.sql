-- The schema as the migrations, functions, views and access of this folder leave it. For reading and reviews:
-- nothing runs it, and `npm run db:dump` writes it. Weekly partitions are left out: they depend on the day.

create extension if not exists btree_gin;
create extension if not exists fuzzystrmatch;
create extension if not exists vector;

create schema pathmend;
create schema analytics;

create sequence pathmend.arrivals;

create table pathmend.migrations (
  number     integer not null,
  name       text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations__pkey PRIMARY KEY (number)
);

create table pathmend.repeatables (
  name   text not null,
  sha256 text not null,
  run_at timestamp with time zone not null default now(),
  constraint repeatables__pkey PRIMARY KEY (name)
);

create table pathmend.models (
  model_id      integer not null generated always as identity,
  fingerprint   text not null,
  name          text not null,
  location      text not null,
  dimensions    integer not null,
  created_at    timestamp with time zone not null default now(),
  configured_at timestamp with time zone not null default now(),
  constraint models__pkey PRIMARY KEY (model_id),
  constraint models__fingerprint UNIQUE (fingerprint)
);
comment on table pathmend.models is 'Embedding models that vectors were made with; the fingerprint covers files and settings.';
comment on column pathmend.models.location is 'The folder or hub id that it is loaded from, or the name of a bundled model.';
comment on column pathmend.models.configured_at is 'When a worker last opened this model by a name: of rows with one location, the latest holds.';

create table pathmend.model_names (
  name          text not null,
  configured_at timestamp with time zone,
  failure       text,
  constraint model_names__pkey PRIMARY KEY (name),
  constraint model_names__name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 500)))
);
comment on table pathmend.model_names is 'What a model may be chosen by: auto, english, multilingual, static, folders and hub ids. Only who may write models adds one.';
comment on column pathmend.model_names.configured_at is 'When a worker last started with this EMBEDDING_MODEL: the latest holds for projects without a choice of their own.';
comment on column pathmend.model_names.failure is 'Why workers cannot load it, since their latest try; null: they have, or did not try.';

create table pathmend.projects (
  project_id     uuid not null default gen_random_uuid(),
  name           text not null,
  plan           text,
  access         text not null default 'open'::text,
  read_rate      double precision not null default 0,
  read_burst     double precision not null default 0,
  write_rate     double precision not null default 0,
  write_burst    double precision not null default 0,
  model_id       integer,
  model_choice   text,
  model_decided  jsonb,
  title_evidence boolean not null default true,
  redirect_above double precision not null default 0.9,
  shown_from     double precision not null default 0.1,
  trial          boolean not null default false,
  path_case      text,
  path_slash     text,
  site_search    text,
  created_at     timestamp with time zone not null default now(),
  constraint projects__pkey PRIMARY KEY (project_id),
  constraint projects__name UNIQUE (name),
  constraint projects__access CHECK ((access = ANY (ARRAY['open'::text, 'restricted'::text]))),
  constraint projects__name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint projects__path_case CHECK ((path_case = ANY (ARRAY['ignored'::text, 'matters'::text]))),
  constraint projects__path_slash CHECK ((path_slash = ANY (ARRAY['ignored'::text, 'matters'::text]))),
  constraint projects__plan CHECK ((plan = ANY (ARRAY['hacker'::text, 'solo'::text, 'startup'::text, 'scale'::text, 'enterprise'::text]))),
  constraint projects__read_burst CHECK ((read_burst >= (0)::double precision)),
  constraint projects__read_rate CHECK ((read_rate >= (0)::double precision)),
  constraint projects__redirect_above CHECK (((redirect_above >= (0.5)::double precision) AND (redirect_above <= (1)::double precision))),
  constraint projects__shown_from CHECK (((shown_from >= (0)::double precision) AND (shown_from <= (1)::double precision))),
  constraint projects__site_search CHECK ((char_length(site_search) <= 2048)),
  constraint projects__write_burst CHECK ((write_burst >= (0)::double precision)),
  constraint projects__write_rate CHECK ((write_rate >= (0)::double precision)),
  constraint projects__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id)
);
comment on column pathmend.projects.read_rate is 'Tokens a second; bursts are the capacity of the bucket. Copied from the plan.';
comment on column pathmend.projects.model_id is 'The model whose vectors answer searches; another may be re-embedding behind it. Null until the first page is indexed.';
comment on column pathmend.projects.model_choice is 'One of model_names; null, or none of them: what the installation says.';
comment on column pathmend.projects.model_decided is 'What auto has decided, and by which languages. Null: nothing yet.';
comment on column pathmend.projects.title_evidence is 'Whether a page is searched by its title too: the title is indexed as the first line of its content.';
comment on column pathmend.projects.redirect_above is 'GET /v1/proxy and GET /v1/not-found redirect to a page whose score is over this. At 1 they redirect by redirects alone.';
comment on column pathmend.projects.shown_from is 'GET /v1/not-found shows pages whose score is at least this.';
comment on column pathmend.projects.trial is 'While it is on, only rules and what else has the score 1 redirect; searches keep what would have been redirected.';
comment on column pathmend.projects.path_case is 'Whether the site tells upper and lower case in paths apart. Null: not said; rules ignore it, and exports compare letter by letter.';
comment on column pathmend.projects.path_slash is 'The same of a slash at the end of a path.';
comment on column pathmend.projects.site_search is 'Path or url of the search of the site, up to the words: /search?q=. The page of GET /v1/not-found has a search field for it. Null: none.';

create table pathmend.api_keys (
  project_id   uuid not null,
  key_id       uuid not null default gen_random_uuid(),
  name         text,
  key_hash     bytea not null,
  ending       text not null,
  mode         text not null,
  scopes       text[] not null,
  created_at   timestamp with time zone not null default now(),
  expires_at   timestamp with time zone,
  revoked_at   timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys__pkey PRIMARY KEY (project_id, key_id),
  constraint api_keys__key_hash UNIQUE (key_hash),
  constraint api_keys__mode CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint api_keys__name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint api_keys__scopes CHECK (((scopes <@ ARRAY['read'::text, 'write'::text, 'rules'::text]) AND (scopes <> '{}'::text[]))),
  constraint api_keys__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on column pathmend.api_keys.name is 'What its owner calls it; null: nothing.';
comment on column pathmend.api_keys.key_hash is 'SHA-256 of the whole key. The key itself is stored nowhere.';
comment on column pathmend.api_keys.ending is 'The last four characters, to recognize a key by.';

create unlogged table pathmend.rate_buckets (
  project_id   uuid not null,
  bucket       text not null,
  tokens       double precision not null,
  updated_at   timestamp with time zone not null,
  leased_to    uuid,
  others_until timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint rate_buckets__pkey PRIMARY KEY (project_id, bucket),
  constraint rate_buckets__bucket CHECK ((bucket = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint rate_buckets__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
) with (fillfactor=50);
comment on column pathmend.rate_buckets.leased_to is 'The process that was admitted last; its leases are over 30 ms after updated_at.';
comment on column pathmend.rate_buckets.others_until is 'When the leases of all other processes are over.';

create table pathmend.turns (
  project_id    uuid not null,
  what          text not null,
  pid           integer,
  session_began timestamp with time zone,
  constraint turns__pkey PRIMARY KEY (project_id, what),
  constraint turns__what CHECK ((what = ANY (ARRAY['learned_redirects'::text, 'index_segments'::text]))),
  constraint turns__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.turns is 'Whose turn it is to do work on a project that only one may do at a time.';
comment on column pathmend.turns.what is 'learned_redirects: who has the row locked writes or learns redirects, until its transaction ends. index_segments: the session named here builds, for as long as it lives.';

create table pathmend.index_versions (
  project_id uuid not null,
  version    bigint not null default 1,
  words      bigint not null default 0,
  pages      bigint not null default 0,
  gone_share real,
  constraint index_versions__pkey PRIMARY KEY (project_id),
  constraint index_versions__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
) with (fillfactor=50);
comment on table pathmend.index_versions is 'Bumped last in every transaction that changes an index, so that a cached answer is never older than the last change.';
comment on column pathmend.index_versions.words is 'Distinct words of the vocabulary: counting them takes a tenth of a second. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';
comment on column pathmend.index_versions.pages is 'Searchable pages: rows of indexed_pages. Counting a million of them took a tenth of a second after each change.';
comment on column pathmend.index_versions.gone_share is 'The share of missing paths that are gone, estimated from decisions of people; null: unknown, or as usual, a third.';

create table pathmend.analyst_projects (
  project_id uuid not null,
  login      name not null,
  constraint analyst_projects__pkey PRIMARY KEY (project_id, login),
  constraint analyst_projects__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.analyst_projects is 'Which projects a member of pathmend_project_analyst sees in the views of analytics. The owner alone reads and writes it.';
comment on column pathmend.analyst_projects.login is 'The name of a database role that logs in.';

create table pathmend.pages (
  project_id      uuid not null,
  page_id         text collate "C" not null,
  url             text not null,
  url_hash        bytea not null,
  path_key        bytea not null,
  title           text,
  content         text not null,
  content_hash    bytea not null,
  former_hash     bytea,
  content_version bigint not null default 1,
  metadata        jsonb,
  metadata_bytes  integer,
  status          text not null default 'PENDING_VECTORIZATION'::text,
  status_at       timestamp with time zone not null default now(),
  error           text,
  created_at      timestamp with time zone not null default now(),
  updated_at      timestamp with time zone not null default now(),
  constraint pages__pkey PRIMARY KEY (project_id, page_id),
  constraint pages__url UNIQUE (project_id, url_hash),
  constraint pages__page_id CHECK ((page_id ~ '^[0-9a-f]{24}$'::text)),
  constraint pages__status CHECK ((status = ANY (ARRAY['PENDING_VECTORIZATION'::text, 'PROCESSING'::text, 'INDEXED'::text, 'ERROR'::text]))),
  constraint pages__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX pages__content_hash ON pathmend.pages USING btree (project_id, content_hash);
CREATE INDEX pages__host ON pathmend.pages USING btree (project_id, "left"(split_part(url, '/'::text, 3), 255));
CREATE INDEX pages__metadata ON pathmend.pages USING gin (project_id, metadata jsonb_path_ops);
CREATE INDEX pages__page_id_anywhere ON pathmend.pages USING btree (page_id);
CREATE INDEX pages__path_key ON pathmend.pages USING btree (project_id, path_key);
CREATE INDEX pages__project_status ON pathmend.pages USING btree (project_id, status, page_id);
CREATE INDEX pages__status_at ON pathmend.pages USING btree (status, status_at) WHERE (status <> 'INDEXED'::text);
comment on column pathmend.pages.url is 'Normalized: WHATWG parsing, no fragment, no default port, lower-case host.';
comment on column pathmend.pages.url_hash is 'SHA-256 of url.';
comment on column pathmend.pages.path_key is 'SHA-256 of the plain path of url with its query string: pages that differ in case, ending or trailing slash share it.';
comment on column pathmend.pages.former_hash is 'The content_hash before the last change of a content long enough to tell pages apart; null if there was none.';
comment on column pathmend.pages.content_version is 'Grows with every change of content; a job or a vector of an older version is stale.';
comment on column pathmend.pages.metadata_bytes is 'Length of the JSON text of metadata, in bytes; null: there is none. Metadata that compresses (60 kB of one letter) is stored in 730 bytes, so its stored size tells nothing.';
comment on column pathmend.pages.error is 'Why the page is in ERROR, in words.';

create table pathmend.indexed_pages (
  project_id      uuid not null,
  page_id         text collate "C" not null,
  content_version bigint not null,
  arrival         bigint not null default nextval('pathmend.arrivals'::regclass),
  path            text not null,
  path_words      text not null,
  slug_words      text not null,
  path_trigrams   bit(512) not null,
  slug_trigrams   bit(512) not null,
  counted_words   text[] not null default '{}'::text[],
  words           text[] not null,
  headings        text not null default ''::text,
  understood      boolean not null default true,
  unread          integer not null default 0,
  indexed_at      timestamp with time zone,
  constraint indexed_pages__pkey PRIMARY KEY (project_id, page_id),
  constraint indexed_pages__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
alter table pathmend.indexed_pages alter column path_trigrams set statistics 0;
alter table pathmend.indexed_pages alter column slug_trigrams set statistics 0;
alter table pathmend.indexed_pages alter column counted_words set statistics 0;
alter table pathmend.indexed_pages alter column words set statistics 0;
CREATE INDEX indexed_pages__arrival ON pathmend.indexed_pages USING btree (project_id, arrival);
CREATE INDEX indexed_pages__not_understood ON pathmend.indexed_pages USING btree (project_id) WHERE (NOT understood);
CREATE INDEX indexed_pages__section ON pathmend.indexed_pages USING btree (project_id, lower("left"(path, 255)) text_pattern_ops);
CREATE INDEX indexed_pages__unread ON pathmend.indexed_pages USING btree (project_id) WHERE (unread > 0);
comment on column pathmend.indexed_pages.path is 'Url path with query string, as suggestions carry it.';
comment on column pathmend.indexed_pages.path_words is 'Sanitized words of the path, joined by spaces.';
comment on column pathmend.indexed_pages.slug_words is 'Sanitized words of its last segment, joined by spaces.';
comment on column pathmend.indexed_pages.path_trigrams is 'One bit per trigram of path_words, by hash: Jaccard of two such sets is the likeness of two paths, in nanoseconds.';
comment on column pathmend.indexed_pages.slug_trigrams is 'The same of slug_words.';
comment on column pathmend.indexed_pages.counted_words is 'Not read any more.';
comment on column pathmend.indexed_pages.words is 'Distinct words and codes of the content. With path_words, what this page adds to the vocabulary.';
comment on column pathmend.indexed_pages.headings is 'Headings of the content but its first line, one a line, as words without endings.';
comment on column pathmend.indexed_pages.understood is 'It has vectors: of its beginning at least, and of all its content once indexed_at is set.';
comment on column pathmend.indexed_pages.unread is 'Characters at the end of a long page that have no vectors: words alone find them.';
comment on column pathmend.indexed_pages.indexed_at is 'When its vectors were stored. Null: it is found by its words and path alone.';

create table pathmend.wordless_pages (
  project_id uuid not null,
  is_bulk    boolean not null,
  page_id    text collate "C" not null,
  constraint wordless_pages__pkey PRIMARY KEY (project_id, is_bulk, page_id),
  constraint wordless_pages__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.wordless_pages is 'Pages whose words wait to be stored. A row of a deleted or indexed page means nothing, and the next job drops it.';
comment on column pathmend.wordless_pages.is_bulk is 'It was pushed with many others: pages that were pushed alone go first.';

create table pathmend.chunks (
  project_id uuid not null,
  model_id   integer not null,
  page_id    text collate "C" not null,
  ordinal    integer not null,
  arrival    bigint not null default nextval('pathmend.arrivals'::regclass),
  start_at   integer not null,
  end_at     integer not null,
  text_hash  bigint not null,
  embedding  halfvec not null,
  constraint chunks__pkey PRIMARY KEY (project_id, model_id, page_id, ordinal),
  constraint chunks__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint chunks__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
alter table pathmend.chunks alter column embedding set statistics 0;
CREATE INDEX chunks__arrival ON pathmend.chunks USING btree (project_id, arrival);
CREATE INDEX chunks__page_of_project ON pathmend.chunks USING btree (project_id, page_id);
CREATE INDEX chunks__text ON pathmend.chunks USING btree (project_id, model_id, text_hash);
comment on column pathmend.chunks.ordinal is 'From 0; -1 is the page''s beginning, once more by itself.';
comment on column pathmend.chunks.arrival is 'Order in which rows of the index came.';
comment on column pathmend.chunks.start_at is 'Offset into the page''s content in UTF-16 units; end_at is behind the last.';
comment on column pathmend.chunks.text_hash is 'First eight bytes of the SHA-256 of the text that was embedded.';

create table pathmend.page_terms (
  project_id uuid not null,
  page_id    text collate "C" not null,
  part       smallint not null,
  arrival    bigint not null default nextval('pathmend.arrivals'::regclass),
  terms      sparsevec(1000000000) not null,
  constraint page_terms__pkey PRIMARY KEY (project_id, page_id, part),
  constraint page_terms__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
) with (toast_tuple_target=8160);
alter table pathmend.page_terms alter column terms set storage main;
CREATE INDEX page_terms__arrival ON pathmend.page_terms USING btree (project_id, arrival);
comment on table pathmend.page_terms is 'What of each term a page covers, 0 to 1 (the page''s half of BM25); the inner product with a question''s weights is its score.';
comment on column pathmend.page_terms.part is 'A sparse vector holds 16,000 terms; what is beyond goes on in the next part.';
comment on column pathmend.page_terms.terms is 'Dimensions are hashes of words without endings.';

create table pathmend.vocabulary (
  project_id uuid not null,
  word       text collate "C" not null,
  pages      integer not null,
  constraint vocabulary__pkey PRIMARY KEY (project_id, word),
  constraint vocabulary__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX vocabulary__beginning ON pathmend.vocabulary USING btree (uuid_hash_extended(project_id, hashtextextended("left"(word, 2), (length(word))::bigint)));
CREATE INDEX vocabulary__end ON pathmend.vocabulary USING btree (uuid_hash_extended(project_id, hashtextextended("right"(word, 3), (length(word))::bigint)));
comment on column pathmend.vocabulary.pages is 'Number of indexed pages of the project whose content or path holds the word.';

create table pathmend.index_segments (
  project_id uuid not null,
  model_id   integer not null,
  segment    bigint not null,
  after      bigint not null,
  covered    bigint not null,
  chunks     bigint not null,
  pages      bigint not null,
  built_at   timestamp with time zone not null default now(),
  swept_at   timestamp with time zone not null default now(),
  constraint index_segments__pkey PRIMARY KEY (project_id, model_id, segment),
  constraint index_segments__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint index_segments__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.index_segments is 'Segments of large projects'' order of arrival, which are searched by indexes. They join without a gap. Each is the tables vectors_, terms_ and paths_ of the schema pathmend_segments, named after the project and `segment`.';
comment on column pathmend.index_segments.segment is 'The number in the names of its tables; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.index_segments.after is 'Rows that arrived after this are in them; -1: from the first on.';
comment on column pathmend.index_segments.covered is 'Rows that arrived up to here are in them. What came after the last segment of a project is scanned.';
comment on column pathmend.index_segments.chunks is 'Chunks when it was built or swept.';
comment on column pathmend.index_segments.pages is 'Pages when it was built or swept.';
comment on column pathmend.index_segments.swept_at is 'When rows of pages that had changed or gone were last deleted from its tables.';

create table pathmend.tombstones (
  project_id   uuid not null,
  url_hash     bytea not null,
  url          text not null,
  path_key     bytea not null,
  title        text,
  content_hash bytea not null,
  former_hash  bytea,
  content      text,
  model_id     integer,
  beginning    halfvec,
  terms        sparsevec(1000000000),
  created_at   timestamp with time zone not null default now(),
  deleted_at   timestamp with time zone not null default now(),
  constraint tombstones__pkey PRIMARY KEY (project_id, url_hash),
  constraint tombstones__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint tombstones__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX tombstones__deleted_at ON pathmend.tombstones USING btree (deleted_at);
CREATE INDEX tombstones__path_key ON pathmend.tombstones USING btree (project_id, path_key);
comment on table pathmend.tombstones is 'Deleted pages. Their dead paths lead to pages with the same content; an upsert of the url removes the row.';
comment on column pathmend.tombstones.path_key is 'As in pages.';
comment on column pathmend.tombstones.former_hash is 'As in pages.';
comment on column pathmend.tombstones.content is 'Only with TOMBSTONE_CONTENT=on.';
comment on column pathmend.tombstones.beginning is 'The vector of the page''s beginning under model_id; null for a page that was not indexed.';
comment on column pathmend.tombstones.terms is 'As in page_terms, of the first part.';
comment on column pathmend.tombstones.created_at is 'When the page came: a page that stood beside a deleted one is not its new place.';

create table pathmend.missing_pages (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  path_key      bytea not null,
  networks      text[] not null default '{}'::text[],
  hours         timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  first_at      timestamp with time zone,
  last_at       timestamp with time zone,
  reported_at   timestamp with time zone,
  asked_at      timestamp with time zone,
  asked_test_at timestamp with time zone,
  constraint missing_pages__pkey PRIMARY KEY (project_id, page_id),
  constraint missing_pages__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX missing_pages__reported ON pathmend.missing_pages USING btree (project_id, page_id, path_key) WHERE (reported_at IS NOT NULL);
comment on table pathmend.missing_pages is 'What 404s of pages'' own urls say since the page was last pushed; an upsert of the page clears it.';
comment on column pathmend.missing_pages.path_key is 'As in pages: a page that is reported missing may still be named for its own path.';
comment on column pathmend.missing_pages.networks is 'Networks of visitors who met the 404 (/24 or /48), a few of them.';
comment on column pathmend.missing_pages.hours is 'Hours in which somebody without an address met it, a few of them.';
comment on column pathmend.missing_pages.reported_at is 'When the reports were enough: from then on the page is not suggested for other paths.';
comment on column pathmend.missing_pages.asked_at is 'When the proxy was last asked for the page''s own url: it is no target of the next such question.';
comment on column pathmend.missing_pages.asked_test_at is 'The same by a test key.';

create table pathmend.rules (
  project_id      uuid not null,
  rule_key        bytea not null,
  host            text,
  path            text not null,
  spellings       text[] not null default '{}'::text[],
  prefix          text collate "C",
  pattern_start   text collate "C",
  plain_key       bytea,
  path_order      text collate "C" generated always as ("left"(lower(path), 200)) stored,
  folder_hash     bytea,
  action          text not null,
  code            smallint,
  target          text,
  target_key      bytea,
  target_bare_key bytea,
  target_path     text,
  target_host     text,
  target_hash     bytea,
  new_prefix      text,
  pass_query      boolean not null default false,
  valid_from      timestamp with time zone,
  valid_until     timestamp with time zone,
  origin          text not null,
  made_by         text,
  made_at         timestamp with time zone not null,
  confidence      double precision,
  constraint rules__pkey PRIMARY KEY (project_id, rule_key),
  constraint rules__action CHECK ((action = ANY (ARRAY['redirect'::text, 'gone'::text, 'ignore'::text]))),
  constraint rules__code CHECK ((code = ANY (ARRAY[301, 302, 303, 307, 308, 410, 451]))),
  constraint rules__confidence CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
  constraint rules__one_target CHECK (
CASE
    WHEN (action <> 'redirect'::text) THEN ((target IS NULL) AND (new_prefix IS NULL) AND (target_key IS NULL))
    WHEN (pattern_start IS NOT NULL) THEN ((target IS NOT NULL) AND (new_prefix IS NULL))
    ELSE ((target IS NOT NULL) AND ((new_prefix IS NULL) <> (target_key IS NULL)))
END),
  constraint rules__origin CHECK ((origin = ANY (ARRAY['import'::text, 'sync'::text, 'person'::text, 'console'::text, 'learned'::text]))),
  constraint rules__pattern_start CHECK ((octet_length(pattern_start) <= 1500)),
  constraint rules__prefix CHECK ((octet_length(prefix) <= 1000)),
  constraint rules__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX rules__bare_target ON pathmend.rules USING btree (project_id, target_bare_key) WHERE (target_bare_key IS NOT NULL);
CREATE INDEX rules__folder ON pathmend.rules USING btree (project_id, folder_hash) WHERE (folder_hash IS NOT NULL);
CREATE INDEX rules__made ON pathmend.rules USING btree (project_id, made_at DESC, rule_key);
CREATE INDEX rules__near ON pathmend.rules USING btree (project_id, path_order) WHERE ((action = 'redirect'::text) AND (prefix IS NULL));
CREATE INDEX rules__pattern ON pathmend.rules USING btree (project_id, pattern_start) WHERE (pattern_start IS NOT NULL);
CREATE INDEX rules__plain ON pathmend.rules USING btree (project_id, plain_key) WHERE (plain_key IS NOT NULL);
CREATE INDEX rules__prefix ON pathmend.rules USING btree (project_id, prefix) WHERE (prefix IS NOT NULL);
CREATE INDEX rules__target ON pathmend.rules USING btree (project_id, target_key) WHERE (target_key IS NOT NULL);
comment on table pathmend.rules is 'What people, files and syncs say of old paths: where they lead, that they are gone, or that they are not worth a redirect. One path''s rule comes before one of all below a path, and a longer prefix before a shorter one.';
comment on column pathmend.rules.rule_key is 'SHA-256 of the plain path, with its query string where it was given; of all paths below one that of the prefix and /#*; of a pattern that of its text; of one host that of host and the other.';
comment on column pathmend.rules.host is 'The host that it is for, in lower case, with its port if it has one; null: any.';
comment on column pathmend.rules.path is 'As it was written, without a host; with /* at its end: all paths below; of a pattern with :name, :number and *.';
comment on column pathmend.rules.spellings is 'In what other ways the path was listed: a web server compares letter by letter. Without the star.';
comment on column pathmend.rules.prefix is 'Of all paths below one: beginning of plain paths, whole segments; # stands for any number.';
comment on column pathmend.rules.pattern_start is 'Of a pattern such as /p-:id.html: its literal segments before the first placeholder, three at most, in lower case. Null: no pattern.';
comment on column pathmend.rules.plain_key is 'Of a rule of one host: the rule_key that it would have without. Null: rule_key.';
comment on column pathmend.rules.folder_hash is 'Of one path that is gone: SHA-256 of the plain path of its folder; null at the root of the site.';
comment on column pathmend.rules.action is 'redirect; gone: for good (410), until a page or another rule takes its place; ignore: not worth a redirect.';
comment on column pathmend.rules.code is 'How it is answered; null: 301, or 410 of what is gone.';
comment on column pathmend.rules.target is 'As it was written; with :splat at its end what stands behind the prefix follows.';
comment on column pathmend.rules.target_key is 'As pages.path_key, where all lead to one page: a page with it is the target, on target_host where that is given, the very one of target_hash first. While there is none, the redirect waits for it.';
comment on column pathmend.rules.target_bare_key is 'As target_key, without the query string of the target, where it has one: a page with target_key comes first.';
comment on column pathmend.rules.new_prefix is 'Beginning of plain paths, which the rest of the old path follows.';
comment on column pathmend.rules.pass_query is 'Whether the query string of the request is passed on to the target.';
comment on column pathmend.rules.valid_from is 'From when on it holds; null: always.';
comment on column pathmend.rules.valid_until is 'Up to when it holds; null: always.';
comment on column pathmend.rules.made_by is 'Who, where a person made it.';
comment on column pathmend.rules.made_at is 'When it was made as it is. Importing it again leaves this.';
comment on column pathmend.rules.confidence is 'Of a confirmed proposal: the probability with which it was proposed. Null: a person, a file or a sync said so.';

create table pathmend.path_rules (
  project_id uuid not null,
  path_hash  bytea not null,
  rule_key   bytea not null,
  constraint path_rules__pkey PRIMARY KEY (project_id, path_hash),
  constraint path_rules__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.path_rules is 'The wildcard or pattern that decides about each missing path or broken link. Where a project tells case or a slash at the end apart: a rule of a single path, too.';
comment on column pathmend.path_rules.path_hash is 'As missing_paths.path_hash. Of the empty path, which nobody asks for: of which rules the others are made.';
comment on column pathmend.path_rules.rule_key is 'As rules.rule_key: a row whose rule is gone, or not in force now, says nothing. Of the empty path: a hash of all these rules.';

create table pathmend.rule_hits (
  project_id  uuid not null,
  rule_key    bytea not null,
  hits        bigint not null,
  last_hit_at timestamp with time zone not null,
  constraint rule_hits__pkey PRIMARY KEY (project_id, rule_key),
  constraint rule_hits__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
) with (fillfactor=50);
comment on table pathmend.rule_hits is 'How many answers a rule decided, and when the last one; dropped when the retention of events is over.';
comment on column pathmend.rule_hits.rule_key is 'As rules.rule_key.';

create table pathmend.rule_changes (
  project_id uuid not null,
  change_id  integer not null,
  changed_at timestamp with time zone not null,
  changed_by text not null,
  kind       text not null,
  undoes     integer,
  undone_by  integer,
  rules      jsonb not null,
  constraint rule_changes__pkey PRIMARY KEY (project_id, change_id),
  constraint rule_changes__kind CHECK ((kind = ANY (ARRAY['change'::text, 'confirm'::text, 'undo'::text]))),
  constraint rule_changes__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.rule_changes is 'What people changed in a project''s rules, and all that it takes to undo it.';
comment on column pathmend.rule_changes.change_id is 'Counts from 1 in each project.';
comment on column pathmend.rule_changes.undone_by is 'The change that undid this one, while it is undone.';
comment on column pathmend.rule_changes.rules is 'As [{path, before, after}]; before and after are null where there was or is no rule.';

create table pathmend.rule_proposals (
  project_id     uuid not null,
  rule_key       bytea not null,
  path           text not null,
  target         text not null,
  source         text not null,
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null,
  evidence       jsonb not null,
  paths          integer not null,
  requests       integer not null,
  examples       jsonb not null,
  proposed_at    timestamp with time zone not null,
  rejected_at    timestamp with time zone,
  rejected_by    text,
  constraint rule_proposals__pkey PRIMARY KEY (project_id, rule_key),
  constraint rule_proposals__source CHECK ((source = ANY (ARRAY['sections'::text, 'redirects'::text, 'clicks'::text, 'map'::text]))),
  constraint rule_proposals__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.rule_proposals is 'Rules that the service learned and nobody has confirmed. A rejected one stays, and is not proposed again.';
comment on column pathmend.rule_proposals.rule_key is 'As rules.rule_key.';
comment on column pathmend.rule_proposals.source is 'What proposes it: sections that moved, redirects, clicks; map: a sheet of old urls. Of such a row the rule_key is made of the rule''s, support is 1 once it is looked up, requests is how often the sheet says it was asked for, evidence holds one object with its decision, and rejected_at is set: it is no proposal of pathmend.';
comment on column pathmend.rule_proposals.requests is 'Stored 404s that it would have answered; paths: distinct ones; examples: some of them.';

create table pathmend.learned_redirects (
  project_id    uuid not null,
  old_path_hash bytea not null,
  page_id       text collate "C" not null,
  old_path      text not null,
  clicks        bigint not null,
  last_seen_at  timestamp with time zone not null,
  constraint learned_redirects__pkey PRIMARY KEY (project_id, old_path_hash, page_id),
  constraint learned_redirects__clicks CHECK ((clicks > 0)),
  constraint learned_redirects__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX learned_redirects__page_of_project ON pathmend.learned_redirects USING btree (project_id, page_id);
CREATE INDEX learned_redirects__recent ON pathmend.learned_redirects USING btree (project_id, last_seen_at DESC);
comment on table pathmend.learned_redirects is 'Old paths and the pages that visitors chose for them: what clicks teach.';
comment on column pathmend.learned_redirects.old_path_hash is 'SHA-256 of the plain old path.';
comment on column pathmend.learned_redirects.old_path is 'A plain path.';
comment on column pathmend.learned_redirects.clicks is 'Searches for this path that were followed by a click on this page.';
comment on column pathmend.learned_redirects.last_seen_at is 'When the latest click arrived.';

create table pathmend.counted_clicks (
  project_id uuid not null,
  search_id  uuid not null,
  page_id    text collate "C" not null,
  counted_at timestamp with time zone not null,
  constraint counted_clicks__pkey PRIMARY KEY (project_id, search_id, page_id),
  constraint counted_clicks__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX counted_clicks__counted_at ON pathmend.counted_clicks USING btree (counted_at);
comment on table pathmend.counted_clicks is 'Searches whose click on a page has been learned from: the next click of the same search on it is not.';

create table pathmend.section_redirects (
  project_id     uuid not null,
  old_prefix     text collate "C" not null,
  new_prefix     text collate "C" not null,
  source         text not null default 'redirect'::text,
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null,
  constraint section_redirects__pkey PRIMARY KEY (project_id, old_prefix, new_prefix),
  constraint section_redirects__confidence CHECK (((confidence > (0)::double precision) AND (confidence < (1)::double precision))),
  constraint section_redirects__new_prefix CHECK ((octet_length(new_prefix) <= 1000)),
  constraint section_redirects__old_prefix CHECK ((octet_length(old_prefix) <= 1000)),
  constraint section_redirects__source CHECK ((source = ANY (ARRAY['redirect'::text, 'click'::text]))),
  constraint section_redirects__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.section_redirects is 'Sections that moved: a path below old_prefix is looked for below new_prefix.';
comment on column pathmend.section_redirects.old_prefix is 'Beginning of plain paths, whole segments; # stands for any number; empty: every path.';
comment on column pathmend.section_redirects.source is 'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_redirects.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.section_redirects.contradictions is 'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_redirects.confidence is 'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';

create table pathmend.searches (
  project_id     uuid not null,
  search_id      uuid not null,
  searched_at    timestamp with time zone not null,
  kind           text not null,
  key_id         uuid,
  is_test        boolean not null,
  of_others      boolean not null default false,
  input          text not null,
  understood     text not null,
  filtered       boolean not null,
  threshold      double precision not null,
  results        jsonb not null,
  best_score     double precision,
  led_to         text,
  redirected     boolean not null default false,
  would_redirect boolean not null default false,
  clicked_rank   bigint,
  cached         boolean not null,
  took_ms        double precision not null,
  constraint searches__kind CHECK ((kind = ANY (ARRAY['suggest'::text, 'semantic-search'::text, 'search'::text, 'proxy'::text, 'not-found'::text])))
) partition by RANGE ((((searched_at AT TIME ZONE 'UTC'::text))::date));
CREATE INDEX searches__day ON pathmend.searches USING brin ((((searched_at AT TIME ZONE 'UTC'::text))::date)) WITH (pages_per_range='16', autosummarize='on');
comment on column pathmend.searches.key_id is 'The key of the caller; null: none.';
comment on column pathmend.searches.of_others is 'For a robot, scanner, search engine or assistant: by the 404 that names the search, else by its own user agent and path. Nobody known counts as a person.';
comment on column pathmend.searches.understood is 'The path after sanitizing and spelling; the query itself for other kinds.';
comment on column pathmend.searches.results is 'What was answered: [{page_id, url, score, by}], best first. by: rule, or learned; absent for a guess.';
comment on column pathmend.searches.led_to is 'Where the answer led, or a rule leads, if that is not the first of results; null: it is, or nowhere.';
comment on column pathmend.searches.redirected is 'The visitor was redirected: by proxy or not-found, or by the site, as the 404 that names the search says.';
comment on column pathmend.searches.would_redirect is 'The project was in trial, and the score of the best page was over its threshold: without the trial, a redirect.';
comment on column pathmend.searches.clicked_rank is 'The best rank that was clicked within seven days, by live keys; null: none.';

create table pathmend.judgements (
  project_id uuid not null,
  path_key   bytea not null,
  url_hash   bytea not null,
  path       text not null,
  path_hash  bytea,
  url        text not null,
  score      double precision not null,
  is_right   boolean,
  judged_by  text not null,
  judged_at  timestamp with time zone not null default now(),
  constraint judgements__pkey PRIMARY KEY (project_id, path_key, url_hash),
  constraint judgements__path CHECK (((char_length(path) >= 1) AND (char_length(path) <= 2048))),
  constraint judgements__score CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision))),
  constraint judgements__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX judgements__path_hash ON pathmend.judgements USING btree (project_id, path_hash);
comment on table pathmend.judgements is 'Redirects that people of the site looked at: whether the page is the right one for the path. With the score 1 a rule led there.';
comment on column pathmend.judgements.path_key is 'As pages.path_key, of the dead path with its query string.';
comment on column pathmend.judgements.url_hash is 'SHA-256 of the url.';
comment on column pathmend.judgements.path is 'As it was searched for.';
comment on column pathmend.judgements.path_hash is 'As missing_paths.path_hash. Null: the query string says which page is meant, and sums do not have it.';
comment on column pathmend.judgements.url is 'Of the page that was guessed.';
comment on column pathmend.judgements.score is 'Of the search that was judged.';
comment on column pathmend.judgements.is_right is 'Null: skipped.';
comment on column pathmend.judgements.judged_by is 'E-mail address.';

create table pathmend.wrong_guesses (
  project_id uuid not null,
  path_key   bytea not null,
  url_hash   bytea not null,
  url        text not null,
  constraint wrong_guesses__pkey PRIMARY KEY (project_id, path_key, url_hash),
  constraint wrong_guesses__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.wrong_guesses is 'Judgements that a page is wrong for a path: its score is bounded, so that it redirects nobody, unless a rule leads there.';
comment on column pathmend.wrong_guesses.path_key is 'As judgements.path_key.';
comment on column pathmend.wrong_guesses.url_hash is 'SHA-256 of the url.';

create table pathmend.clicks (
  project_id   uuid not null,
  event_id     uuid not null,
  received_at  timestamp with time zone not null,
  occurred_at  timestamp with time zone not null,
  search_id    uuid not null,
  clicked_url  text not null,
  clicked_rank bigint not null,
  raw_path     text not null,
  origin       text,
  is_test      boolean not null
) partition by RANGE ((((received_at AT TIME ZONE 'UTC'::text))::date));
CREATE INDEX clicks__day ON pathmend.clicks USING brin ((((received_at AT TIME ZONE 'UTC'::text))::date)) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX clicks__search ON pathmend.clicks USING btree (project_id, search_id);
comment on column pathmend.clicks.search_id is 'Links to searches of the same project; one that is unknown stays unlinked.';

create table pathmend.not_founds (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamp with time zone not null,
  key_id      uuid,
  is_test     boolean not null,
  raw_path    text not null,
  origin      text,
  host        text,
  referrer    text,
  user_agent  text,
  visitor     text not null default 'unknown'::text,
  visitor_ip  inet,
  search_id   uuid,
  outcome     text not null default 'unlinked'::text
) partition by RANGE ((((received_at AT TIME ZONE 'UTC'::text))::date));
CREATE INDEX not_founds__day ON pathmend.not_founds USING brin ((((received_at AT TIME ZONE 'UTC'::text))::date)) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX not_founds__search ON pathmend.not_founds USING btree (project_id, search_id) WHERE (search_id IS NOT NULL);
comment on column pathmend.not_founds.received_at is 'Its own time, where it carried one (timestamp, an access log); else its arrival.';
comment on column pathmend.not_founds.key_id is 'The key that reported it; null: an imported log.';
comment on column pathmend.not_founds.host is 'Of X-Original-Host, where origin is null.';
comment on column pathmend.not_founds.visitor is 'person, assistant, search_engine, scanner, robot or unknown (no user agent).';
comment on column pathmend.not_founds.visitor_ip is 'As EVENT_IP_MODE leaves it: whole, truncated to /24 or /48, or null.';
comment on column pathmend.not_founds.search_id is 'The search of the answer; a click on a suggestion names it, too.';
comment on column pathmend.not_founds.outcome is 'redirected, clicked, suggested (shown, none clicked), nothing (to show), gone (410), robot (of robots and scanners, whatever was answered) or unlinked (the event names no search that is known).';

create table pathmend.history_days (
  project_id uuid not null,
  day        date not null,
  what       text not null,
  bytes      bigint not null,
  stored     bigint not null,
  not_kept   bigint not null,
  constraint history_days__pkey PRIMARY KEY (project_id, day, what),
  constraint history_days__what CHECK ((what = ANY (ARRAY['searches'::text, 'events'::text])))
) with (fillfactor=50);
comment on table pathmend.history_days is 'How much of a project''s searches and events arrived on a UTC day, and what of it was only counted (HISTORY_MB_PER_DAY).';
comment on column pathmend.history_days.bytes is 'Of all that arrived, as JSON.';
comment on column pathmend.history_days.stored is 'Searches or events that were stored.';
comment on column pathmend.history_days.not_kept is 'Searches or events that came beyond the limit, and were counted here and not stored.';

create table pathmend.refused_events (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamp with time zone not null,
  refused_at  timestamp with time zone not null default now(),
  reason      text not null,
  event       jsonb not null,
  constraint refused_events__pkey PRIMARY KEY (project_id, event_id)
);
comment on table pathmend.refused_events is 'Events that were acknowledged and that the database refuses to store, set aside so that others do not wait for them.';
comment on column pathmend.refused_events.event is 'The whole event, as it was queued.';

create table pathmend.rollups (
  project_id uuid not null,
  what       text not null,
  stale      boolean not null default false,
  paths      bigint not null default 0,
  forgotten  bigint not null default 0,
  constraint rollups__pkey PRIMARY KEY (project_id, what),
  constraint rollups__what CHECK ((what = ANY (ARRAY['not_founds'::text, 'searches'::text])))
) with (fillfactor=50);
comment on table pathmend.rollups is 'Whoever changes a project''s sums locks its row here first: one at a time.';
comment on column pathmend.rollups.stale is 'The sums of older rows have to be made: maintenance does it.';
comment on column pathmend.rollups.paths is 'Rows of missing_paths.';
comment on column pathmend.rollups.forgotten is 'The most 404s of people, forgotten ones included, of a path that made room for others.';

create table pathmend.waiting_links (
  project_id uuid not null,
  search_id  uuid not null,
  near       timestamp with time zone not null,
  added_at   timestamp with time zone not null default now(),
  constraint waiting_links__pkey PRIMARY KEY (project_id, search_id)
);
comment on table pathmend.waiting_links is 'Searches that a click or a 404 names, until it is linked to them: a search is stored a moment after its answer.';
comment on column pathmend.waiting_links.near is 'The time of the event: says which weeks have the search.';

create table pathmend.not_found_days (
  project_id uuid not null,
  day        date not null,
  origin     text collate "C" not null,
  visitor    text not null,
  outcome    text not null,
  hits       bigint not null,
  constraint not_found_days__pkey PRIMARY KEY (project_id, day, origin, visitor, outcome),
  constraint not_found_days__origin CHECK ((octet_length(origin) <= 1000))
) with (fillfactor=50);
comment on table pathmend.not_found_days is '404s by day, origin, visitor and outcome: complete.';
comment on column pathmend.not_found_days.origin is 'Scheme and host; empty: none was told; (other): beyond twenty origins a day.';

create table pathmend.not_found_hours (
  project_id uuid not null,
  hour       timestamp with time zone not null,
  hits       bigint not null,
  constraint not_found_hours__pkey PRIMARY KEY (project_id, hour)
) with (fillfactor=50);
comment on table pathmend.not_found_hours is '404s of people and unknown visitors by hour.';

create table pathmend.missing_paths (
  project_id     uuid not null,
  path_hash      bytea not null,
  path           text not null,
  plain_hash     bytea,
  people         bigint not null,
  unknown        bigint not null,
  assistants     bigint not null,
  search_engines bigint not null,
  robots         bigint not null,
  scanners       bigint not null,
  redirected     bigint not null,
  clicked        bigint not null,
  suggested      bigint not null,
  nothing        bigint not null,
  gone           bigint not null,
  unlinked       bigint not null,
  first_seen     timestamp with time zone not null,
  last_seen      timestamp with time zone not null,
  last_human     timestamp with time zone,
  best_page_id   text collate "C",
  best_url       text,
  best_score     double precision,
  best_at        timestamp with time zone,
  forgotten      bigint not null default 0,
  constraint missing_paths__pkey PRIMARY KEY (project_id, path_hash)
) with (fillfactor=70);
CREATE INDEX missing_paths__human ON pathmend.missing_paths USING btree (project_id, ((people + unknown)) DESC, path_hash);
CREATE INDEX missing_paths__inbox ON pathmend.missing_paths USING btree (project_id, ((((people + unknown))::double precision * ((1)::double precision - COALESCE(best_score, (0)::double precision)))) DESC, path_hash DESC) WHERE ((people + unknown) > 0);
CREATE INDEX missing_paths__plain ON pathmend.missing_paths USING btree (project_id, plain_hash);
comment on table pathmend.missing_paths is 'Dead paths with all of their 404s that are kept: 100,000 a project, those beyond are (other).';
comment on column pathmend.missing_paths.path_hash is 'SHA-256 of the path; empty: of (other).';
comment on column pathmend.missing_paths.path is 'Without query string and fragment.';
comment on column pathmend.missing_paths.plain_hash is 'As rules.rule_key of this path without query string.';
comment on column pathmend.missing_paths.people is 'Hits by people; the next columns: by other visitors. unknown: without a user agent.';
comment on column pathmend.missing_paths.redirected is 'Outcomes of hits by people and unknown visitors; so to unlinked.';
comment on column pathmend.missing_paths.last_human is 'The latest hit by a person or an unknown visitor.';
comment on column pathmend.missing_paths.best_url is 'The first suggestion of the latest search that a 404 of this path was linked to.';
comment on column pathmend.missing_paths.forgotten is 'How many 404s of people it may have had before it was kept apart: as many as the commonest path that had made room by then. They are in (other), if there are any.';

create table pathmend.path_days (
  project_id uuid not null,
  day        date not null,
  path_hash  bytea not null,
  visitor    text not null,
  hits       bigint not null,
  redirected bigint not null,
  clicked    bigint not null,
  suggested  bigint not null,
  nothing    bigint not null,
  gone       bigint not null,
  unlinked   bigint not null,
  first_seen timestamp with time zone not null,
  last_seen  timestamp with time zone not null,
  constraint path_days__pkey PRIMARY KEY (project_id, day, path_hash, visitor)
) with (fillfactor=70);
CREATE INDEX path_days__path ON pathmend.path_days USING btree (project_id, path_hash, day);
comment on table pathmend.path_days is 'The same by day and visitor: 5,000 paths a day, 1,000 where robots alone ask for more.';
comment on column pathmend.path_days.redirected is 'Outcomes of hits; those of robots and scanners are in hits alone.';

create table pathmend.referrer_weeks (
  project_id    uuid not null,
  week          date not null,
  path_hash     bytea not null,
  referrer_hash bytea not null,
  referrer      text not null,
  own           boolean,
  human         bigint not null,
  others        bigint not null,
  first_seen    timestamp with time zone not null,
  last_seen     timestamp with time zone not null,
  constraint referrer_weeks__pkey PRIMARY KEY (project_id, week, path_hash, referrer_hash)
) with (fillfactor=70);
CREATE INDEX referrer_weeks__path ON pathmend.referrer_weeks USING btree (project_id, path_hash);
comment on table pathmend.referrer_weeks is 'Pages that link to dead paths, by week: twenty a path, 5,000 a project; the referrer of those beyond is (other).';
comment on column pathmend.referrer_weeks.week is 'Its Monday.';
comment on column pathmend.referrer_weeks.referrer is 'Without query string and fragment, 1,000 characters at most.';
comment on column pathmend.referrer_weeks.own is 'Whether its host is that of the event''s origin, or of one of the project''s pages; null: no origin was told, and no page is on its host.';
comment on column pathmend.referrer_weeks.human is 'Hits by people and unknown visitors; others: by assistants, search engines, robots and scanners.';

create table pathmend.search_days (
  project_id        uuid not null,
  day               date not null,
  kind              text not null,
  band              smallint not null,
  searches          bigint not null,
  clicked           bigint not null,
  filtered          bigint not null,
  redirected        bigint not null default 0,
  others            bigint not null default 0,
  others_clicked    bigint not null default 0,
  others_redirected bigint not null default 0,
  constraint search_days__pkey PRIMARY KEY (project_id, day, kind, band)
) with (fillfactor=50);
comment on table pathmend.search_days is 'Searches by day, kind and band of their best score.';
comment on column pathmend.search_days.band is 'Tenths: 7 is 0.7 to 0.8, 9 is 0.9 to 1.0; -1: no result.';
comment on column pathmend.search_days.clicked is 'Of these, the ones with a click within seven days. filtered: the ones with filters.';
comment on column pathmend.search_days.redirected is 'Of these, the ones whose visitor was redirected.';
comment on column pathmend.search_days.others is 'Of searches, those of others than people (searches.of_others); the next two: of clicked and redirected.';

create table pathmend.position_days (
  project_id     uuid not null,
  day            date not null,
  kind           text not null,
  "position"     smallint not null,
  band           smallint not null,
  shown          bigint not null,
  clicked        bigint not null,
  others_shown   bigint not null default 0,
  others_clicked bigint not null default 0,
  constraint position_days__pkey PRIMARY KEY (project_id, day, kind, "position", band)
) with (fillfactor=50);
comment on table pathmend.position_days is 'Suggestions by day, kind of search, position and band of their score.';
comment on column pathmend.position_days."position" is 'From 1 on; 10: the tenth and all behind it.';
comment on column pathmend.position_days.band is 'As search_days.band; -1: a click on a position that the search did not have.';
comment on column pathmend.position_days.shown is 'Searches that had a suggestion there and did not redirect.';
comment on column pathmend.position_days.clicked is 'Searches whose best clicked rank this is.';
comment on column pathmend.position_days.others_shown is 'Of shown, those of others than people; others_clicked: of clicked.';

create table pathmend.empty_search_days (
  project_id    uuid not null,
  day           date not null,
  kind          text not null,
  query_hash    bytea not null,
  understood    text not null,
  example_input text not null,
  searches      bigint not null,
  last_searched timestamp with time zone not null,
  others        bigint not null default 0,
  constraint empty_search_days__pkey PRIMARY KEY (project_id, day, kind, query_hash)
) with (fillfactor=70);
comment on table pathmend.empty_search_days is 'Unfiltered searches without a result, by what was understood: 1,000 a day; those beyond are (other), with an empty hash.';
comment on column pathmend.empty_search_days.others is 'Of searches, those of others than people.';

create table pathmend.latency_days (
  project_id uuid not null,
  day        date not null,
  kind       text not null,
  bucket     smallint not null,
  searches   bigint not null,
  others     bigint not null default 0,
  constraint latency_days__pkey PRIMARY KEY (project_id, day, kind, bucket)
) with (fillfactor=50);
comment on table pathmend.latency_days is 'Searches by how long they took.';
comment on column pathmend.latency_days.bucket is 'From 10^(bucket/20) to 10^((bucket+1)/20) milliseconds, -40 to 100: the bounds are an eighth apart.';
comment on column pathmend.latency_days.others is 'Of searches, those of others than people.';

create table pathmend.users (
  user_id        uuid not null default gen_random_uuid(),
  email          text not null,
  role           text,
  password_hash  text,
  password_login boolean,
  failed_logins  integer not null default 0,
  locked_until   timestamp with time zone not null default '-infinity'::timestamp with time zone,
  created_at     timestamp with time zone not null default now(),
  last_login_at  timestamp with time zone,
  disabled_at    timestamp with time zone,
  constraint users__pkey PRIMARY KEY (user_id),
  constraint users__email UNIQUE (email),
  constraint users__email_length CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
  constraint users__role CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text])))
);
comment on column pathmend.users.email is 'In lower case.';
comment on column pathmend.users.role is 'Over all projects; null: only what memberships say.';
comment on column pathmend.users.password_hash is 'scrypt with its parameters and salt.';
comment on column pathmend.users.password_login is 'True: his password works even where CONSOLE_PASSWORD_LOGIN is off.';
comment on column pathmend.users.disabled_at is 'Since when he may not log in; null: he may.';

create table pathmend.memberships (
  project_id uuid not null,
  user_id    uuid not null,
  role       text not null,
  constraint memberships__pkey PRIMARY KEY (project_id, user_id),
  constraint memberships__role CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text]))),
  constraint memberships__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE,
  constraint memberships__user FOREIGN KEY (user_id) REFERENCES pathmend.users(user_id) ON DELETE CASCADE
);
CREATE INDEX memberships__user_id ON pathmend.memberships USING btree (user_id);
comment on table pathmend.memberships is 'What a user may do in one project; the higher of this and users.role counts.';

create table pathmend.sessions (
  token_hash   bytea not null,
  user_id      uuid not null,
  method       text not null default 'password'::text,
  group_roles  jsonb not null default '{}'::jsonb,
  created_at   timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  constraint sessions__pkey PRIMARY KEY (token_hash),
  constraint sessions__method CHECK ((method = ANY (ARRAY['password'::text, 'oidc'::text, 'proxy'::text]))),
  constraint sessions__user FOREIGN KEY (user_id) REFERENCES pathmend.users(user_id) ON DELETE CASCADE
);
CREATE INDEX sessions__user_id ON pathmend.sessions USING btree (user_id, created_at);
comment on column pathmend.sessions.token_hash is 'SHA-256 of what the cookie holds.';
comment on column pathmend.sessions.group_roles is 'What groups at the provider give for this session: roles by project id, `*` for all projects.';

create table pathmend.invitations (
  token_hash  bytea not null,
  email       text not null,
  role        text not null,
  for_project uuid,
  invited_by  uuid,
  expires_at  timestamp with time zone not null,
  constraint invitations__pkey PRIMARY KEY (token_hash),
  constraint invitations__role CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text]))),
  constraint invitations__invited_by FOREIGN KEY (invited_by) REFERENCES pathmend.users(user_id) ON DELETE CASCADE,
  constraint invitations__project FOREIGN KEY (for_project) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX invitations__for_project ON pathmend.invitations USING btree (for_project);
CREATE INDEX invitations__invited_by ON pathmend.invitations USING btree (invited_by);
comment on column pathmend.invitations.for_project is 'Null: all projects.';
comment on column pathmend.invitations.invited_by is 'Null: the operator, on the command line, who may give a new password to a user, too.';

create table pathmend.identities (
  issuer    text not null,
  subject   text not null,
  user_id   uuid not null,
  linked_at timestamp with time zone not null default now(),
  constraint identities__pkey PRIMARY KEY (issuer, subject),
  constraint identities__user_issuer UNIQUE (user_id, issuer),
  constraint identities__issuer_length CHECK (((octet_length(issuer) >= 1) AND (octet_length(issuer) <= 500))),
  constraint identities__subject_length CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 1000))),
  constraint identities__user FOREIGN KEY (user_id) REFERENCES pathmend.users(user_id) ON DELETE CASCADE
);
comment on table pathmend.identities is 'Which user a provider''s subject is. One subject of each provider for a user.';
comment on column pathmend.identities.issuer is 'The url of the OpenID provider; proxy: the header of a trusted proxy, whose subject is an e-mail address.';

create table pathmend.audit_log (
  entry_id      bigint not null generated always as identity,
  changed_at    timestamp with time zone not null default now(),
  user_id       uuid,
  who           text not null,
  method        text,
  address       text,
  about_project uuid,
  project_name  text,
  action        text not null,
  subject       text not null,
  constraint audit_log__pkey PRIMARY KEY (entry_id),
  constraint audit_log__address CHECK ((char_length(address) <= 100)),
  constraint audit_log__method CHECK ((method = ANY (ARRAY['password'::text, 'oidc'::text, 'proxy'::text])))
);
CREATE INDEX audit_log__about_project ON pathmend.audit_log USING btree (about_project, entry_id);
CREATE INDEX audit_log__user_id ON pathmend.audit_log USING btree (user_id, entry_id);
comment on table pathmend.audit_log is 'What people changed in the console. It outlives projects and users: no foreign keys.';
comment on column pathmend.audit_log.who is 'The user''s e-mail address at that time.';
comment on column pathmend.audit_log.method is 'How the user had logged in; null: not known.';
comment on column pathmend.audit_log.address is 'The caller''s; null: not known.';

create table pathmend.project_sources (
  project_id    uuid not null,
  kind          text not null,
  source        text not null,
  base          text,
  include       text[] not null default '{}'::text[],
  exclude       text[] not null default '{}'::text[],
  follows_links boolean,
  guarded       boolean not null,
  prune         boolean not null,
  every_seconds integer,
  next_at       timestamp with time zone,
  set_by        text not null,
  set_at        timestamp with time zone not null,
  constraint project_sources__pkey PRIMARY KEY (project_id),
  constraint project_sources__base CHECK ((char_length(base) <= 2048)),
  constraint project_sources__every CHECK ((every_seconds > 0)),
  constraint project_sources__kind CHECK ((kind = ANY (ARRAY['url'::text, 'path'::text, 'upload'::text]))),
  constraint project_sources__source CHECK ((char_length(source) <= 2048)),
  constraint project_sources__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX project_sources__next_at ON pathmend.project_sources USING btree (next_at) WHERE (next_at IS NOT NULL);
comment on table pathmend.project_sources is 'What the worker makes the pages of a project equal to.';
comment on column pathmend.project_sources.source is 'A url, a path of the worker''s machine, or the name of the uploaded file.';
comment on column pathmend.project_sources.base is 'The url of the site''s root, where the source does not say it.';
comment on column pathmend.project_sources.include is 'Patterns of paths that are read alone, with * for any text; empty: all.';
comment on column pathmend.project_sources.exclude is 'Patterns of paths that are left out.';
comment on column pathmend.project_sources.follows_links is 'True: the site has no sitemap. Null: nobody knows yet. Once known it stays, so that a sitemap that is missing once makes no page seem gone.';
comment on column pathmend.project_sources.guarded is 'A person named the url in the console: no private address is asked.';
comment on column pathmend.project_sources.every_seconds is 'Null: only when somebody asks for it.';
comment on column pathmend.project_sources.next_at is 'Null: never.';

create table pathmend.uploads (
  project_id uuid not null,
  upload_id  uuid not null default gen_random_uuid(),
  name       text not null,
  bytes      integer,
  begun_at   timestamp with time zone not null,
  constraint uploads__pkey PRIMARY KEY (project_id, upload_id),
  constraint uploads__name CHECK ((char_length(name) <= 255)),
  constraint uploads__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uploads__one_each ON pathmend.uploads USING btree (project_id, ((bytes IS NULL)));
comment on table pathmend.uploads is 'The file that a project is synced from, where somebody uploaded one.';
comment on column pathmend.uploads.bytes is 'Null: it is on its way.';

create table pathmend.upload_chunks (
  project_id uuid not null,
  upload_id  uuid not null,
  place      integer not null,
  bytes      bytea not null,
  constraint upload_chunks__pkey PRIMARY KEY (project_id, upload_id, place),
  constraint upload_chunks__bytes CHECK ((octet_length(bytes) <= 1048576)),
  constraint upload_chunks__place CHECK (((place >= 0) AND (place <= 255))),
  constraint upload_chunks__upload FOREIGN KEY (project_id, upload_id) REFERENCES pathmend.uploads(project_id, upload_id) ON DELETE CASCADE
);
comment on table pathmend.upload_chunks is 'What is in them, in pieces.';

create table pathmend.sync_runs (
  project_id uuid not null,
  run_id     uuid not null default gen_random_uuid(),
  source     text not null,
  prune      boolean not null,
  dry_run    boolean not null,
  preview    boolean not null default false,
  asked_by   text not null,
  tries      integer not null default 0,
  began_at   timestamp with time zone not null,
  heard_at   timestamp with time zone,
  ended_at   timestamp with time zone,
  outcome    text,
  report     jsonb not null default '{}'::jsonb,
  problem    text,
  refusals   jsonb not null default '[]'::jsonb,
  left_out   jsonb not null default '{}'::jsonb,
  seen       jsonb,
  constraint sync_runs__pkey PRIMARY KEY (project_id, run_id),
  constraint sync_runs__ended CHECK (((ended_at IS NULL) = (outcome IS NULL))),
  constraint sync_runs__outcome CHECK ((outcome = ANY (ARRAY['done'::text, 'incomplete'::text, 'failed'::text]))),
  constraint sync_runs__problem CHECK ((char_length(problem) <= 2048)),
  constraint sync_runs__source CHECK ((char_length(source) <= 2048)),
  constraint sync_runs__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX sync_runs__began_at ON pathmend.sync_runs USING btree (project_id, began_at, run_id);
CREATE INDEX sync_runs__open ON pathmend.sync_runs USING btree (project_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX sync_runs__running ON pathmend.sync_runs USING btree (project_id) WHERE ((ended_at IS NULL) AND (heard_at IS NOT NULL) AND (NOT dry_run) AND (NOT preview));
CREATE UNIQUE INDEX sync_runs__waiting ON pathmend.sync_runs USING btree (project_id, preview) WHERE ((ended_at IS NULL) AND (heard_at IS NULL));
comment on table pathmend.sync_runs is 'Syncs with their reports: the latest hundred of each project.';
comment on column pathmend.sync_runs.source is 'What was read, without credentials and query string.';
comment on column pathmend.sync_runs.preview is 'A first look at the source, which stores no page.';
comment on column pathmend.sync_runs.asked_by is 'Who requested it: a person''s address, the schedule, or the command line.';
comment on column pathmend.sync_runs.tries is 'How often a worker took it. 0: it waits, or the command line runs it.';
comment on column pathmend.sync_runs.heard_at is 'When it last said how far it is. Null: it waits for a worker.';
comment on column pathmend.sync_runs.outcome is 'incomplete: something was refused, or not deleted although it was to be. Null: it runs, or was cut off.';
comment on column pathmend.sync_runs.report is 'Counts: created, updated_content, updated_metadata, unchanged, gone, refused, redirects.';
comment on column pathmend.sync_runs.problem is 'Why it failed, or why nothing was deleted.';
comment on column pathmend.sync_runs.refusals is 'The first that were refused: where, and the reason.';
comment on column pathmend.sync_runs.left_out is 'Urls of a site that were not read, by reason.';
comment on column pathmend.sync_runs.seen is 'What a preview found.';

create table pathmend.page_validators (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  etag          text,
  last_modified text,
  lastmod       text,
  links         bytea,
  stored_at     timestamp with time zone not null default now(),
  constraint page_validators__pkey PRIMARY KEY (project_id, page_id),
  constraint page_validators__links CHECK ((octet_length(links) <= 8000)),
  constraint page_validators__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
comment on table pathmend.page_validators is 'Of pages that were read from their site. A row counts while the page has not been changed since stored_at.';
comment on column pathmend.page_validators.lastmod is 'The word of the sitemap.';
comment on column pathmend.page_validators.links is 'Of each link to the site that the page has, the first eight bytes of the SHA-256 of its url. Null: it was not crawled.';

create table pathmend.held_pages (
  project_id uuid not null,
  page_id    text collate "C" not null,
  constraint held_pages__pkey PRIMARY KEY (project_id, page_id),
  constraint held_pages__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
comment on table pathmend.held_pages is 'Pages that their source does not have, and that `pages sync --prune` did not delete because they were too many.';

create table pathmend.broken_links (
  project_id uuid not null,
  place      integer not null,
  url        text not null,
  path       text not null,
  path_hash  bytea not null,
  plain_hash bytea not null,
  status     smallint,
  answer     text not null,
  pages      text[] not null,
  page_count integer not null,
  checked_at timestamp with time zone not null,
  constraint broken_links__pkey PRIMARY KEY (project_id, place),
  constraint broken_links__answer CHECK ((char_length(answer) <= 500)),
  constraint broken_links__pages CHECK ((cardinality(pages) <= 20)),
  constraint broken_links__place CHECK (((place >= 1) AND (place <= 10000))),
  constraint broken_links__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX broken_links__path ON pathmend.broken_links USING btree (project_id, path_hash);
comment on table pathmend.broken_links is 'Links of the site that led to no page when its latest crawl asked for them: the ten thousand that most pages have, by place.';
comment on column pathmend.broken_links.path is 'Of the url, without query string: as missing_paths.path.';
comment on column pathmend.broken_links.path_hash is 'As missing_paths.path_hash.';
comment on column pathmend.broken_links.plain_hash is 'As missing_paths.plain_hash.';
comment on column pathmend.broken_links.status is 'Null: there was no answer, or none that ends.';
comment on column pathmend.broken_links.answer is 'In words.';
comment on column pathmend.broken_links.pages is 'Urls of the first pages that have the link.';
comment on column pathmend.broken_links.page_count is 'How many pages have it.';

create table pathmend.watches (
  project_id     uuid not null,
  emails         text[] not null default '{}'::text[],
  webhook_url    text,
  webhook_secret bytea,
  alerts         text[] not null,
  digest         boolean not null,
  digest_week    date,
  changed_at     timestamp with time zone not null,
  constraint watches__pkey PRIMARY KEY (project_id),
  constraint watches__emails CHECK ((cardinality(emails) <= 10)),
  constraint watches__webhook_secret CHECK (((webhook_url IS NULL) = (webhook_secret IS NULL))),
  constraint watches__webhook_url CHECK ((char_length(webhook_url) <= 2048)),
  constraint watches__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.watches is 'What a project is watched for, and who is told.';
comment on column pathmend.watches.webhook_secret is 'The key of its signatures. It is shown to whoever sets it, once.';
comment on column pathmend.watches.alerts is 'Kinds of alerts.kind.';
comment on column pathmend.watches.digest_week is 'The Monday before which the latest digest''s week ended.';

create table pathmend.alerts (
  project_id uuid not null,
  alert_id   uuid not null default gen_random_uuid(),
  kind       text not null,
  cause_hash bytea not null,
  cause      jsonb not null,
  began_at   timestamp with time zone not null,
  ended_at   timestamp with time zone,
  constraint alerts__pkey PRIMARY KEY (project_id, alert_id),
  constraint alerts__kind CHECK ((kind = ANY (ARRAY['not_found_spike'::text, 'dead_target'::text, 'refused_prune'::text, 'sync_failed'::text, 'page_error'::text]))),
  constraint alerts__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX alerts__ended_at ON pathmend.alerts USING btree (ended_at);
CREATE UNIQUE INDEX alerts__open ON pathmend.alerts USING btree (project_id, kind, cause_hash) WHERE (ended_at IS NULL);
comment on table pathmend.alerts is 'What is wrong, and what was: one row from the moment when a cause was seen until it is gone.';
comment on column pathmend.alerts.cause_hash is 'SHA-256 of what the alert is about: a path, a url, or nothing.';
comment on column pathmend.alerts.cause is 'The cause as messages tell it.';

create table pathmend.deliveries (
  project_id  uuid not null,
  delivery_id uuid not null,
  channel     text not null,
  message     jsonb not null,
  state       text not null,
  attempts    integer not null,
  error       text,
  made_at     timestamp with time zone not null,
  tried_at    timestamp with time zone,
  constraint deliveries__pkey PRIMARY KEY (project_id, delivery_id),
  constraint deliveries__channel CHECK ((channel = ANY (ARRAY['email'::text, 'webhook'::text]))),
  constraint deliveries__error CHECK ((char_length(error) <= 500)),
  constraint deliveries__state CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text]))),
  constraint deliveries__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX deliveries__made_at ON pathmend.deliveries USING btree (made_at);
CREATE INDEX deliveries__project_made_at ON pathmend.deliveries USING btree (project_id, made_at);
comment on table pathmend.deliveries is 'Messages to one channel, with what became of them; kept for 30 days.';
comment on column pathmend.deliveries.error is 'Why the latest attempt failed.';

create table pathmend.clicked_questions (
  project_id      uuid not null,
  question_hash   bytea not null,
  page_id         text collate "C" not null,
  question        text not null,
  clicks          bigint not null,
  last_clicked_at timestamp with time zone not null,
  model_id        integer,
  embedding       halfvec,
  constraint clicked_questions__pkey PRIMARY KEY (project_id, question_hash, page_id),
  constraint clicked_questions__clicks CHECK ((clicks > 0)),
  constraint clicked_questions__vector CHECK (((model_id IS NULL) = (embedding IS NULL))),
  constraint clicked_questions__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint clicked_questions__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX clicked_questions__latest ON pathmend.clicked_questions USING btree (project_id, last_clicked_at DESC, question_hash) WHERE (clicks >= 3);
CREATE INDEX clicked_questions__page_of_project ON pathmend.clicked_questions USING btree (project_id, page_id);
CREATE INDEX clicked_questions__searched ON pathmend.clicked_questions USING btree (project_id, model_id) WHERE (embedding IS NOT NULL);
comment on table pathmend.clicked_questions is 'Questions and the pages that visitors chose for them.';
comment on column pathmend.clicked_questions.question_hash is 'SHA-256 of the question.';
comment on column pathmend.clicked_questions.question is 'In lower case, with single spaces.';
comment on column pathmend.clicked_questions.clicks is 'Searches with this question that were followed by a click on this page.';
comment on column pathmend.clicked_questions.embedding is 'The vector of the question by the model; null: it is no evidence (yet).';

CREATE OR REPLACE FUNCTION pathmend.admit(p_key_hash bytea, p_scope text, p_bucket text, p_waiting integer DEFAULT 1, p_ahead integer DEFAULT 0, p_returned integer DEFAULT 0, p_returned_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_process uuid DEFAULT NULL::uuid)
 RETURNS TABLE(outcome text, reason text, project_id uuid, key_id uuid, is_test boolean, model_id integer, index_version bigint, burst double precision, tokens double precision, rate double precision, granted integer, granted_at timestamp with time zone, expires_in double precision)
 LANGUAGE plpgsql
AS $function$
declare
  k record;
  b record;
  v_now timestamptz := clock_timestamp();
  v_settled constant interval := '100 ms';
  v_batch integer;
begin
  select a.project_id, a.key_id, a.mode, a.scopes, a.last_used_at, a.expires_at, p.plan, p.access,
         case when p_bucket = 'write' then p.write_rate else p.read_rate end as rate,
         case when p_bucket = 'write' then p.write_burst else p.read_burst end as burst
    into k
    from pathmend.api_keys a
    join pathmend.projects p on p.project_id = a.project_id
   where a.key_hash = p_key_hash
     and a.revoked_at is null
     and (a.expires_at is null or a.expires_at > v_now);
  if not found then
    outcome := 'unknown';
    return next;
    return;
  end if;

  project_id := k.project_id;
  key_id := k.key_id;
  is_test := k.mode = 'test';
  rate := k.rate;
  burst := k.burst;
  granted := 0;
  expires_in := extract(epoch from k.expires_at - v_now);
  reason := case
    when k.plan is null then 'plan'
    when k.access <> 'open' then 'access'
    when not (p_scope = any (k.scopes)) then 'scope'
  end;

  -- At most one write in five minutes for each key: it only shows whether the key is still in use.
  if (k.last_used_at between v_now - interval '5 minutes' and v_now + interval '5 minutes') is not true then
    update pathmend.api_keys a set last_used_at = v_now where a.project_id = k.project_id and a.key_id = k.key_id;
  end if;

  if reason is not null then
    outcome := 'forbidden';
    select least(k.burst, r.tokens + k.rate * greatest(0, extract(epoch from v_now - r.updated_at)))
      into tokens
      from pathmend.rate_buckets r where r.project_id = k.project_id and r.bucket = p_bucket;
    tokens := coalesce(tokens, k.burst);
    return next;
    return;
  end if;

  loop
    select r.tokens, r.updated_at into b
      from pathmend.rate_buckets r where r.project_id = k.project_id and r.bucket = p_bucket for update;
    exit when found;
    insert into pathmend.rate_buckets (project_id, bucket, tokens, updated_at)
    values (k.project_id, p_bucket, k.burst, v_now)
    on conflict on constraint rate_buckets__pkey do nothing;
  end loop;
  -- The clock again: this call may have waited for the row.
  granted_at := clock_timestamp();
  tokens := b.tokens + k.rate * greatest(0, extract(epoch from granted_at - b.updated_at));
  if p_returned_from > granted_at - v_settled then tokens := tokens + p_returned; end if;
  tokens := least(k.burst, tokens);

  granted := least(p_waiting, floor(greatest(0, tokens)));
  if granted = p_waiting and p_ahead > 0 then
    v_batch := least(p_waiting + p_ahead,
                     floor(greatest(0, least(tokens, k.burst - k.rate * extract(epoch from v_settled))) / 4));
    if v_batch > granted then
      granted := v_batch;
      tokens := least(tokens, k.burst - k.rate * extract(epoch from v_settled));
    end if;
  end if;
  tokens := tokens - granted;
  outcome := case when granted > 0 or p_waiting = 0 then 'ok' else 'limited' end;
  update pathmend.rate_buckets r
     set tokens = admit.tokens, updated_at = admit.granted_at, leased_to = p_process,
         others_until = case when r.leased_to is distinct from p_process then least(r.updated_at, admit.granted_at) + interval '30 ms'
                             else r.others_until end
   where r.project_id = k.project_id and r.bucket = p_bucket;
  select p.model_id, coalesce(v.version, 1)
    into model_id, index_version
    from pathmend.projects p left join pathmend.index_versions v on v.project_id = p.project_id
   where p.project_id = k.project_id;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.caller_project()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select nullif(current_setting('pathmend.project', true), '')::uuid
$function$;

CREATE OR REPLACE FUNCTION pathmend.check_project(p_project uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  perform set_config('citus.allow_nested_distributed_execution', 'on', true);
  if p_project is distinct from coalesce(pathmend.caller_project(), p_project) then
    raise insufficient_privilege using message = 'this session works for another project';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.count_not_founds(p_facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_full jsonb;
begin
  perform pathmend.lock_rollups('not_founds', array(select distinct (f ->> 'project_id')::uuid from jsonb_array_elements(p_facts) as f));

  with f as materialized (
    select i.project_id, i.at, i.n, i.plain,
           (i.at at time zone 'UTC')::date as day,
           date_trunc('week', i.at at time zone 'UTC')::date as week,
           split_part(split_part(i.raw_path, '?', 1), '#', 1) as path,
           sha256(convert_to(split_part(split_part(i.raw_path, '?', 1), '#', 1), 'UTF8')) as hash,
           -- At most 240 characters of a host. A bound in the expression itself ({1,240}) takes 36 us for each event, not 3.
           coalesce(left(substring(lower(i.origin) from '^https?://[^/?#]+'), position('://' in i.origin) + 242), '') as origin,
           nullif(left(split_part(split_part(i.referrer, '?', 1), '#', 1), 1000), '') as referrer,
           i.visitor, i.outcome, i.visitor in ('person', 'unknown') as human
      from jsonb_to_recordset(p_facts) as i
           (project_id uuid, at timestamptz, raw_path text, origin text, referrer text, visitor text, outcome text, plain text, n int)),

  -- Decides which paths have their own row.
  seen as materialized (
    select g.*,
           exists (select from pathmend.path_days d
                    where d.project_id = g.project_id and d.day = g.day and d.path_hash = g.hash) as today,
           exists (select from pathmend.missing_paths m where m.project_id = g.project_id and m.path_hash = g.hash) as ever
      from (select project_id, day, hash, bool_or(human) as human, sum(n) as hits from f group by 1, 2, 3) as g),
  days as materialized (
    select s.project_id, s.day,
           (select count(*) from (select distinct d.path_hash from pathmend.path_days d
                                   where d.project_id = s.project_id and d.day = s.day and d.path_hash <> ''::bytea) as known) as paths
      from (select project_id, day from seen where not today group by 1, 2) as s),
  placed as materialized (
    select s.project_id, s.day, s.hash, s.human and s.hits > 0 as missed,
           s.today
           or (s.hits > 0
               and d.paths + row_number() over (partition by s.project_id, s.day, s.today order by s.human desc, s.hits desc, s.hash)
                 <= case when s.human then 5000 else 1000 end
               and (s.ever
                    or r.paths + row_number() over (partition by s.project_id, s.ever order by s.human desc, s.hits desc, s.hash)
                       <= case when s.human then 100000 else 20000 end)) as own
      from seen s
      join pathmend.rollups r on r.project_id = s.project_id and r.what = 'not_founds'
      left join days d on d.project_id = s.project_id and d.day = s.day),
  p as materialized (
    select f.*, case when l.own then f.hash else ''::bytea end as path_hash
      from f join placed l on l.project_id = f.project_id and l.day = f.day and l.hash = f.hash),

  path_days as (
    insert into pathmend.path_days as d
           (project_id, day, path_hash, visitor, hits, redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen)
    select project_id, day, path_hash, visitor, sum(n),
           coalesce(sum(n) filter (where outcome = 'redirected'), 0), coalesce(sum(n) filter (where outcome = 'clicked'), 0),
           coalesce(sum(n) filter (where outcome = 'suggested'), 0), coalesce(sum(n) filter (where outcome = 'nothing'), 0),
           coalesce(sum(n) filter (where outcome = 'gone'), 0), coalesce(sum(n) filter (where outcome = 'unlinked'), 0),
           min(at), max(at)
      from p group by 1, 2, 3, 4
    on conflict (project_id, day, path_hash, visitor) do update set
      hits = d.hits + excluded.hits,
      redirected = d.redirected + excluded.redirected, clicked = d.clicked + excluded.clicked,
      suggested = d.suggested + excluded.suggested, nothing = d.nothing + excluded.nothing,
      gone = d.gone + excluded.gone, unlinked = d.unlinked + excluded.unlinked,
      first_seen = least(d.first_seen, excluded.first_seen), last_seen = greatest(d.last_seen, excluded.last_seen)),

  paths as (
    insert into pathmend.missing_paths as m
           (project_id, path_hash, path, plain_hash, people, unknown, assistants, search_engines, robots, scanners,
            redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen, last_human, forgotten)
    select p.project_id, path_hash, case when path_hash = ''::bytea then '(other)' else min(path) end,
           case when path_hash <> ''::bytea then decode(min(plain), 'hex') end,
           coalesce(sum(n) filter (where visitor = 'person'), 0), coalesce(sum(n) filter (where visitor = 'unknown'), 0),
           coalesce(sum(n) filter (where visitor = 'assistant'), 0), coalesce(sum(n) filter (where visitor = 'search_engine'), 0),
           coalesce(sum(n) filter (where visitor = 'robot'), 0), coalesce(sum(n) filter (where visitor = 'scanner'), 0),
           coalesce(sum(n) filter (where human and outcome = 'redirected'), 0), coalesce(sum(n) filter (where human and outcome = 'clicked'), 0),
           coalesce(sum(n) filter (where human and outcome = 'suggested'), 0), coalesce(sum(n) filter (where human and outcome = 'nothing'), 0),
           coalesce(sum(n) filter (where human and outcome = 'gone'), 0), coalesce(sum(n) filter (where human and outcome = 'unlinked'), 0),
           min(at), max(at), max(at) filter (where human), case when path_hash <> ''::bytea then min(r.forgotten) else 0 end
      from p join pathmend.rollups r on r.project_id = p.project_id and r.what = 'not_founds' group by 1, 2
    on conflict (project_id, path_hash) do update set
      plain_hash = coalesce(m.plain_hash, excluded.plain_hash),
      people = m.people + excluded.people, unknown = m.unknown + excluded.unknown,
      assistants = m.assistants + excluded.assistants, search_engines = m.search_engines + excluded.search_engines,
      robots = m.robots + excluded.robots, scanners = m.scanners + excluded.scanners,
      redirected = m.redirected + excluded.redirected, clicked = m.clicked + excluded.clicked,
      suggested = m.suggested + excluded.suggested, nothing = m.nothing + excluded.nothing,
      gone = m.gone + excluded.gone, unlinked = m.unlinked + excluded.unlinked,
      first_seen = least(m.first_seen, excluded.first_seen), last_seen = greatest(m.last_seen, excluded.last_seen),
      last_human = greatest(m.last_human, excluded.last_human)
    returning m.project_id, xmax = 0 as is_new),
  counted as (
    update pathmend.rollups r set paths = r.paths + a.added
      from (select project_id, count(*) as added from paths where is_new group by 1) as a
     where r.project_id = a.project_id and r.what = 'not_founds'),

  origins as (
    select o.project_id, o.day, o.origin,
           o.is_known or o.known + row_number() over (partition by o.project_id, o.day, o.is_known order by o.origin) <= 20 as own
      from (select g.*,
                   g.origin = '' or exists (select from pathmend.not_found_days d
                     where d.project_id = g.project_id and d.day = g.day and d.origin = g.origin) as is_known,
                   (select count(distinct d.origin) from pathmend.not_found_days d
                     where d.project_id = g.project_id and d.day = g.day and d.origin not in ('', '(other)')) as known
              from (select distinct project_id, day, origin from f) as g) as o),
  days_of_origins as (
    insert into pathmend.not_found_days as d (project_id, day, origin, visitor, outcome, hits)
    select f.project_id, f.day, case when o.own then f.origin else '(other)' end, f.visitor, f.outcome, sum(f.n)
      from f join origins o on o.project_id = f.project_id and o.day = f.day and o.origin = f.origin
     group by 1, 2, 3, 4, 5
    on conflict (project_id, day, origin, visitor, outcome) do update set hits = d.hits + excluded.hits),

  hours as (
    insert into pathmend.not_found_hours as h (project_id, hour, hits)
    select project_id, date_trunc('hour', at, 'UTC'), sum(n) from f where human group by 1, 2
    on conflict (project_id, hour) do update set hits = h.hits + excluded.hits),

  sites as materialized (
    select s.project_id, pathmend.hosts_of(s.project_id) as hosts
      from (select distinct project_id from p where referrer is not null) as s),
  links as (
    select p.project_id, week, path_hash, sha256(convert_to(referrer, 'UTF8')) as referrer_hash, min(referrer) as referrer,
           bool_or(case when referrer like '/%' or pathmend.host_of(referrer) = any (s.hosts) then true
                        when origin <> '' then coalesce(pathmend.host_of(referrer) = pathmend.host_of(origin), false) end) as own,
           bool_or(human) as by_human,
           coalesce(sum(n) filter (where human), 0) as human, coalesce(sum(n) filter (where not human), 0) as others,
           min(at) as first_seen, max(at) as last_seen
      from p join sites s on s.project_id = p.project_id where referrer is not null
     group by 1, 2, 3, 4
    having sum(n) <> 0),
  known_links as (
    select l.*,
           exists (select from pathmend.referrer_weeks w where w.project_id = l.project_id and w.week = l.week
                      and w.path_hash = l.path_hash and w.referrer_hash = l.referrer_hash) as is_known,
           (select count(*) from pathmend.referrer_weeks w
             where w.project_id = l.project_id and w.week = l.week and w.path_hash = l.path_hash) as of_path,
           case when row_number() over (partition by l.project_id, l.week) = 1 then
             (select count(*) from pathmend.referrer_weeks w where w.project_id = l.project_id and w.week = l.week) end as of_week
      from links l),
  ranked_links as (
    select k.*,
           k.of_path + row_number() over (partition by k.project_id, k.week, k.path_hash, k.is_known order by k.by_human desc, k.referrer_hash) as in_path,
           max(k.of_week) over (partition by k.project_id, k.week)
             + row_number() over (partition by k.project_id, k.week, k.is_known order by k.by_human desc, k.referrer_hash) as in_week
      from known_links k),
  placed_links as (
    select r.*, r.is_known or (r.in_path <= 20 and r.in_week <= case when r.by_human then 5000 else 1000 end) as is_own,
           r.in_week <= 5000 as fits
      from ranked_links r),
  weeks as (
    insert into pathmend.referrer_weeks as w
           (project_id, week, path_hash, referrer_hash, referrer, own, human, others, first_seen, last_seen)
    select project_id, week, case when is_own or fits then path_hash else ''::bytea end,
           case when is_own then referrer_hash else ''::bytea end,
           case when is_own then min(referrer) else '(other)' end,
           case when is_own then bool_or(own) end,
           sum(human), sum(others), min(first_seen), max(last_seen)
      from placed_links group by 1, 2, 3, 4, is_own
    on conflict (project_id, week, path_hash, referrer_hash) do update set
      own = coalesce(w.own or excluded.own, w.own, excluded.own),
      human = w.human + excluded.human, others = w.others + excluded.others,
      first_seen = least(w.first_seen, excluded.first_seen), last_seen = greatest(w.last_seen, excluded.last_seen))
  select jsonb_agg(distinct jsonb_build_object('project_id', l.project_id, 'day', l.day)) into v_full
    from placed l where l.missed and not l.own;
  if v_full is not null then
    perform pathmend.make_room(v_full);
  end if;

  if jsonb_path_exists(p_facts, '$[*] ? (@.n < 0)') then
    delete from pathmend.not_found_days d
     using (select distinct (f ->> 'project_id')::uuid as project_id, ((f ->> 'at')::timestamptz at time zone 'UTC')::date as day
              from jsonb_array_elements(p_facts) as f) as t
     where d.project_id = t.project_id and d.day = t.day and d.hits = 0;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.count_searches(p_facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pathmend.lock_rollups('searches', array(select distinct (f ->> 'project_id')::uuid from jsonb_array_elements(p_facts) as f));

  with f as materialized (
    select i.project_id, i.at, i.kind, i.input, i.understood, i.filtered, i.best_score, i.scores, i.took_ms, i.clicked_rank, i.n,
           i.of_others, i.redirected,
           (i.at at time zone 'UTC')::date as day, jsonb_array_length(i.scores) = 0 as is_empty,
           case when i.best_score is null then -1 else least(9, floor(i.best_score * 10)) end::smallint as band
      from jsonb_to_recordset(p_facts) as i
           (project_id uuid, at timestamptz, kind text, input text, understood text, filtered boolean,
            best_score double precision, scores jsonb, took_ms double precision, clicked_rank bigint, of_others boolean, redirected boolean, n int)),
  search_days as (
    insert into pathmend.search_days as d (project_id, day, kind, band, searches, clicked, filtered, redirected,
                                           others, others_clicked, others_redirected)
    select project_id, day, kind, band, sum(n), coalesce(sum(n) filter (where clicked_rank is not null), 0),
           coalesce(sum(n) filter (where filtered), 0), coalesce(sum(n) filter (where redirected), 0),
           coalesce(sum(n) filter (where of_others), 0), coalesce(sum(n) filter (where of_others and clicked_rank is not null), 0),
           coalesce(sum(n) filter (where of_others and redirected), 0)
      from f group by 1, 2, 3, 4
    on conflict (project_id, day, kind, band) do update set
      searches = d.searches + excluded.searches, clicked = d.clicked + excluded.clicked, filtered = d.filtered + excluded.filtered,
      redirected = d.redirected + excluded.redirected, others = d.others + excluded.others,
      others_clicked = d.others_clicked + excluded.others_clicked,
      others_redirected = d.others_redirected + excluded.others_redirected),

  positions as (
    select f.project_id, f.day, f.kind, f.of_others, least(s.place, 10)::smallint as position, least(9, floor(s.score::float8 * 10))::smallint as band,
           f.n as shown, case when f.clicked_rank = s.place then f.n else 0 end as clicked
      from f cross join jsonb_array_elements_text(f.scores) with ordinality as s (score, place)
     -- A redirected visitor sees no suggestions.
     where not f.redirected
     union all
    select f.project_id, f.day, f.kind, f.of_others, least(f.clicked_rank, 10)::smallint, -1, 0, f.n
      from f where f.clicked_rank > jsonb_array_length(f.scores) and not f.redirected),
  position_days as (
    insert into pathmend.position_days as d (project_id, day, kind, position, band, shown, clicked, others_shown, others_clicked)
    select project_id, day, kind, position, band, sum(shown), sum(clicked),
           coalesce(sum(shown) filter (where of_others), 0), coalesce(sum(clicked) filter (where of_others), 0)
      from positions group by 1, 2, 3, 4, 5
    having sum(shown) <> 0 or sum(clicked) <> 0 or coalesce(sum(shown) filter (where of_others), 0) <> 0
        or coalesce(sum(clicked) filter (where of_others), 0) <> 0
    on conflict (project_id, day, kind, position, band) do update set
      shown = d.shown + excluded.shown, clicked = d.clicked + excluded.clicked,
      others_shown = d.others_shown + excluded.others_shown, others_clicked = d.others_clicked + excluded.others_clicked),

  latency_days as (
    insert into pathmend.latency_days as d (project_id, day, kind, bucket, searches, others)
    select project_id, day, kind, least(100, greatest(-40, floor(20 * log(greatest(took_ms, 1e-3)))))::smallint, sum(n),
           coalesce(sum(n) filter (where of_others), 0)
      from f group by 1, 2, 3, 4 having sum(n) <> 0 or coalesce(sum(n) filter (where of_others), 0) <> 0
    on conflict (project_id, day, kind, bucket) do update set
      searches = d.searches + excluded.searches, others = d.others + excluded.others),

  empty as (
    select project_id, day, kind, sha256(convert_to(understood, 'UTF8')) as hash, min(understood) as understood, min(input) as input,
           sum(n) as searches, coalesce(sum(n) filter (where of_others), 0) as others, max(at) as last_searched
      from f where is_empty and not filtered group by 1, 2, 3, 4
    having sum(n) <> 0 or coalesce(sum(n) filter (where of_others), 0) <> 0),
  placed as (
    select e.*,
           e.is_known or e.known + row_number() over (partition by e.project_id, e.day, e.is_known order by e.hash) <= 1000 as own
      from (select m.*,
                   exists (select from pathmend.empty_search_days d where d.project_id = m.project_id and d.day = m.day
                              and d.kind = m.kind and d.query_hash = m.hash) as is_known,
                   max(case when m.of_day = 1 then
                     (select count(*) from pathmend.empty_search_days d where d.project_id = m.project_id and d.day = m.day) end)
                     over (partition by m.project_id, m.day) as known
              from (select x.*, row_number() over (partition by x.project_id, x.day) as of_day from empty x) as m) as e)
  insert into pathmend.empty_search_days as d
         (project_id, day, kind, query_hash, understood, example_input, searches, others, last_searched)
  select project_id, day, kind, case when own then hash else ''::bytea end,
         case when own then min(understood) else '(other)' end, min(input), sum(searches), sum(others), max(last_searched)
    from placed group by 1, 2, 3, 4, own
  on conflict (project_id, day, kind, query_hash) do update set
    searches = d.searches + excluded.searches, others = d.others + excluded.others, example_input = least(d.example_input, excluded.example_input),
    last_searched = greatest(d.last_searched, excluded.last_searched);

  if jsonb_path_exists(p_facts, '$[*] ? (@.n < 0)') then
    delete from pathmend.position_days d
     using (select distinct (f ->> 'project_id')::uuid as project_id, ((f ->> 'at')::timestamptz at time zone 'UTC')::date as day
              from jsonb_array_elements(p_facts) as f) as t
     where d.project_id = t.project_id and d.day = t.day and d.shown = 0 and d.clicked = 0;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.drop_old_rollups(p_project uuid, p_before date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_hashes bytea[];
begin
  perform pathmend.lock_rollups('not_founds', array[p_project]);
  perform pathmend.lock_rollups('searches', array[p_project]);
  delete from pathmend.not_found_days where project_id = p_project and day < p_before;
  delete from pathmend.not_found_hours where project_id = p_project and hour < p_before::timestamp at time zone 'UTC';
  delete from pathmend.referrer_weeks where project_id = p_project and week < p_before;
  delete from pathmend.search_days where project_id = p_project and day < p_before;
  delete from pathmend.position_days where project_id = p_project and day < p_before;
  delete from pathmend.empty_search_days where project_id = p_project and day < p_before;
  delete from pathmend.latency_days where project_id = p_project and day < p_before;
  update pathmend.missing_paths set best_page_id = null, best_url = null, best_score = null, best_at = null
   where project_id = p_project and (best_at at time zone 'UTC')::date < p_before;
  -- Also paths whose days made room for others (make_room.sql).
  with old as (delete from pathmend.path_days where project_id = p_project and day < p_before returning path_hash)
  select array_agg(path_hash) into v_hashes
    from (select path_hash from old
          union select path_hash from pathmend.missing_paths
                 where project_id = p_project and last_seen < p_before::timestamp at time zone 'UTC') as o;
  if v_hashes is not null then
    perform pathmend.refresh_missing_paths(p_project, v_hashes);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.drop_old_weeks(p_before timestamp with time zone)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
declare
  v_partition record;
begin
  for v_partition in
    select c.relname as name,
           (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamp at time zone 'UTC' as ends
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('pathmend.searches'::regclass, 'pathmend.clicks'::regclass, 'pathmend.not_founds'::regclass)
     order by c.relname
  loop
    if v_partition.ends <= p_before then
      begin
        execute format('drop table pathmend.%I', v_partition.name);
        return next v_partition.name;
      exception when lock_not_available then
        return;
      end;
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.ensure_weeks(p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  v_week timestamptz := date_trunc('week', p_from, 'UTC');
  v_table text;
  v_partition text;
  v_my_turn boolean := false;
begin
  while v_week <= p_to loop
    foreach v_table in array array['searches', 'clicks', 'not_founds'] loop
      v_partition := v_table || '_' || to_char(v_week at time zone 'UTC', 'IYYY"w"IW');
      continue when to_regclass('pathmend.' || v_partition) is not null;
      if not v_my_turn then
        -- The lock that attaching takes, on the first table for all three. It does not block readers and writers.
        lock table pathmend.searches in share update exclusive mode;
        v_my_turn := true;
        continue when to_regclass('pathmend.' || v_partition) is not null;
      end if;
      execute format('create table pathmend.%I (like pathmend.%I including defaults including constraints including storage including compression,
                                                primary key (project_id, %s))',
                     v_partition, v_table, case v_table when 'searches' then 'search_id, searched_at' else 'event_id, received_at' end);
      execute format('alter table pathmend.%I attach partition pathmend.%I for values from (%L) to (%L)',
                     v_table, v_partition, (v_week at time zone 'UTC')::date, (v_week at time zone 'UTC')::date + 7);
    end loop;
    v_week := v_week + interval '7 days';
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.host_of(p_url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when not (starts_with(p_url, 'https://') or starts_with(p_url, 'http://') or p_url ~* '^https?://')
                   or split_part(p_url, '/', 3) = '' then null
              when strpos(p_url, '@') = 0 then lower(split_part(split_part(split_part(p_url, '/', 3), '?', 1), ':', 1))
              else substring(lower(p_url) from '^https?://(?:[^/?#@]*@)?([^/?#:]+)') end
$function$;

CREATE OR REPLACE FUNCTION pathmend.hosts_of(p_project uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER COST 10000
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  v_last text := '';
  v_hosts text[] := '{}';
begin
  perform pathmend.check_project(p_project);
  while cardinality(v_hosts) < 1000 loop
    select min(left(split_part(g.url, '/', 3), 255)) into v_last
      from pathmend.pages g where g.project_id = p_project and left(split_part(g.url, '/', 3), 255) > v_last;
    exit when v_last is null;
    v_hosts := v_hosts || pathmend.host_of('http://' || v_last || '/');
  end loop;
  return v_hosts;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.language_of(p_path text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  v_path text := trim(both '/' from p_path);
  v_name text;
begin
  for v_place in 1..2 loop
    v_name := split_part(v_path, '/', v_place);
    if v_name ~* (
         '^(?:a[fmrz]|b[egns]|c[asy]|d[ae]|e[lnstu]|f[air]|g[alu]|h[eiruy]|i[dst]|ja|k[akmnoy]|l[otv]'
         '|m[klnrsty]|n[belno]|p[alst]|r[ou]|s[ikloqrvw]|t[aehlr]|u[krz]|vi|z[hu]|fil)(?:[-_](?:hans|hant|latn|cyrl|arab))?'
         '(?:[-_](?:a[eflmrtuz]|b[adeghory]|c[ahlnoryz]|d[ekoz]|e[cegs]|f[ir]|g[bert]|h[knru]|i[delnqrst]'
         '|j[op]|k[ehrwz]|l[abktuvy]|m[adekmtxy]|n[gilopz]|om|p[aehklrty]|qa|r[osu]|s[aegikvy]|t[hnrw]'
         '|u[agksyz]|v[en]|ye|z[aw]|419))?$')
       and lower(v_name) not in ('am', 'be', 'hr', 'id', 'is', 'lo', 'ms', 'my', 'no', 'pa', 'so')
       and (v_place = 1 or split_part(v_path, '/', 3) <> '') then
      return lower(substring(v_name from '^[A-Za-z]+'));
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.leased_elsewhere(p_project uuid, p_process uuid)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
declare
  b record;
begin
  loop
    select r.leased_to, r.updated_at + interval '30 ms' as leased_until, r.others_until into b
      from pathmend.rate_buckets r where r.project_id = p_project and r.bucket = 'read' for key share;
    exit when found;
    insert into pathmend.rate_buckets (project_id, bucket, tokens, updated_at)
    select p.project_id, 'read', coalesce(p.read_burst, 0), 'epoch' from pathmend.projects p where p.project_id = p_project
    on conflict on constraint rate_buckets__pkey do nothing;
    -- Either the project does not exist, and no key can be admitted; or another process made the bucket, and it is found now.
    if not found and not exists (select from pathmend.projects p where p.project_id = p_project) then return 0; end if;
  end loop;
  return least(30, greatest(0, 1000 * extract(epoch from
    case when b.leased_to = p_process then b.others_until else b.leased_until end - clock_timestamp())));
end $function$;

CREATE OR REPLACE FUNCTION pathmend.link_searches(INOUT p_project uuid, INOUT p_search uuid, p_limit integer, p_patience interval, OUT p_waiting bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  v_projects uuid[];
  v_searches uuid[];
  v_found uuid[];
  v_from date;
  v_to date;
  v_facts jsonb;
begin
  with w as (select * from pathmend.waiting_links w
              where (w.project_id, w.search_id) > (p_project, p_search)
              order by w.project_id, w.search_id limit p_limit for update skip locked)
  select array_agg(w.project_id order by w.project_id, w.search_id), array_agg(w.search_id order by w.project_id, w.search_id),
         (min(w.near) at time zone 'UTC')::date - 8, (max(w.near) at time zone 'UTC')::date + 8
    into v_projects, v_searches, v_from, v_to from w;
  p_waiting := 0;
  if v_projects is null then
    p_project := null;
    p_search := null;
    return;
  end if;
  p_project := v_projects[cardinality(v_projects)];
  p_search := v_searches[cardinality(v_searches)];
  perform pathmend.lock_rollups('not_founds', v_projects);
  perform pathmend.lock_rollups('searches', v_projects);

  with s as materialized (
    select s.* from unnest(v_projects, v_searches) as l (project_id, search_id)
      join pathmend.searches s on s.project_id = l.project_id and s.search_id = l.search_id
       and (s.searched_at at time zone 'UTC')::date between v_from and v_to),
  c as materialized (
    select s.project_id, s.search_id, min(c.clicked_rank) as rank
      from s join pathmend.clicks c on c.project_id = s.project_id and c.search_id = s.search_id
       and (c.received_at at time zone 'UTC')::date between v_from and v_to + 8
       and (c.received_at at time zone 'UTC')::date between (s.searched_at at time zone 'UTC')::date
                                                        and (s.searched_at at time zone 'UTC')::date + 7
     where not c.is_test and not s.is_test
     group by 1, 2),
  n as materialized (
    select s.project_id, s.search_id, bool_or(n.visitor not in ('person', 'unknown')) as of_others,
           bool_or(n.outcome = 'redirected') as redirected
      from s join pathmend.not_founds n on n.project_id = s.project_id and n.search_id = s.search_id
       and (n.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8
     where not n.is_test and not s.is_test
     group by 1, 2),
  known as (
    select s.*, coalesce(c.rank, s.clicked_rank) as new_rank, coalesce(n.of_others, s.of_others) as new_others,
           s.redirected or coalesce(n.redirected, false) as new_redirected
      from s
      left join c on c.project_id = s.project_id and c.search_id = s.search_id
      left join n on n.project_id = s.project_id and n.search_id = s.search_id),
  changed as (
    update pathmend.searches x set clicked_rank = k.new_rank, of_others = k.new_others, redirected = k.new_redirected
      from known k
     where x.project_id = k.project_id and x.search_id = k.search_id and x.searched_at = k.searched_at
       and (x.searched_at at time zone 'UTC')::date between v_from and v_to
       and (x.clicked_rank, x.of_others, x.redirected) is distinct from (k.new_rank, k.new_others, k.new_redirected)
    returning k.project_id, k.search_id, k.new_rank, k.new_others, k.new_redirected)
  select (select array_agg(s.search_id) from s),
         (select jsonb_agg(jsonb_build_object(
                   'project_id', s.project_id, 'at', s.searched_at, 'kind', s.kind, 'input', s.input, 'understood', s.understood,
                   'filtered', s.filtered, 'best_score', s.best_score, 'took_ms', s.took_ms,
                   'scores', (select coalesce(jsonb_agg(r -> 'score'), '[]') from jsonb_array_elements(s.results) as r),
                   'clicked_rank', case n when 1 then t.new_rank else s.clicked_rank end,
                   'of_others', case n when 1 then t.new_others else s.of_others end,
                   'redirected', case n when 1 then t.new_redirected else s.redirected end, 'n', n))
            from changed t join s on s.project_id = t.project_id and s.search_id = t.search_id
           cross join unnest(array[-1, 1]) as n
           where not s.is_test)
    into v_found, v_facts;
  if v_facts is not null then
    perform pathmend.count_searches(v_facts);
  end if;

  with linked as materialized (
    select n.project_id, n.event_id, n.received_at, n.raw_path, n.origin, n.referrer, n.visitor, n.outcome, n.is_test,
           s.searched_at, s.results,
           case when n.visitor in ('robot', 'scanner') then 'robot'
                when n.outcome in ('redirected', 'nothing', 'gone') then n.outcome
                when s.clicked_rank is not null then 'clicked'
                when n.outcome = 'suggested' then n.outcome
                when s.redirected then 'redirected'
                when jsonb_array_length(s.results) > 0 then 'suggested'
                else 'nothing' end as new
      from unnest(v_projects, v_searches) as l (project_id, search_id)
      join pathmend.searches s on s.project_id = l.project_id and s.search_id = l.search_id
       and (s.searched_at at time zone 'UTC')::date between v_from and v_to
      join pathmend.not_founds n on n.project_id = l.project_id and n.search_id = l.search_id
       and (n.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8),
  changed as (
    update pathmend.not_founds x set outcome = l.new
      from linked l
     where x.project_id = l.project_id and x.event_id = l.event_id and x.received_at = l.received_at
       and (x.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8
       and x.outcome is distinct from l.new),
  best as (
    update pathmend.missing_paths m
       set best_page_id = b.best ->> 'page_id', best_url = b.best ->> 'url', best_score = (b.best ->> 'score')::float8, best_at = b.searched_at
      from (select distinct on (l.project_id, path) l.project_id, sha256(convert_to(path, 'UTF8')) as hash, l.searched_at, l.results -> 0 as best
              from linked l cross join lateral (select split_part(split_part(l.raw_path, '?', 1), '#', 1) as path) as p
             where not l.is_test and jsonb_array_length(l.results) > 0
             order by l.project_id, path, l.searched_at desc) as b
     where m.project_id = b.project_id and m.path_hash = b.hash and (m.best_at is null or m.best_at < b.searched_at))
  select jsonb_agg(jsonb_build_object(
           'project_id', l.project_id, 'at', l.received_at, 'raw_path', l.raw_path, 'origin', l.origin, 'referrer', l.referrer,
           'visitor', l.visitor, 'outcome', case n when 1 then l.new else l.outcome end, 'n', n))
    into v_facts
    from linked l cross join unnest(array[-1, 1]) as n
   where not l.is_test and l.outcome is distinct from l.new;
  if v_facts is not null then
    perform pathmend.count_not_founds(v_facts);
  end if;

  delete from pathmend.waiting_links w
   using unnest(v_projects, v_searches) as l (project_id, search_id)
   where w.project_id = l.project_id and w.search_id = l.search_id
     and (w.search_id = any (v_found) or w.added_at < now() - p_patience);
  p_waiting := (select count(*) from unnest(v_projects, v_searches) as l (project_id, search_id)
                  join pathmend.waiting_links w using (project_id, search_id));
end $function$;

CREATE OR REPLACE FUNCTION pathmend.lock_rollups(p_what text, p_projects uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into pathmend.rollups (project_id, what)
  select distinct project_id, p_what from unnest(p_projects) as project_id order by 1
      on conflict do nothing;
  perform from pathmend.rollups r where r.project_id = any (p_projects) and r.what = p_what order by r.project_id for no key update;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.make_analyst(p_login text, p_project uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_password text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  v_group text := case when p_project is null then 'pathmend_analyst' else 'pathmend_project_analyst' end;
begin
  if p_login !~ '^[a-z_][a-z0-9_]{0,62}$' or p_login ~ '^pg_' then
    raise invalid_name using message = 'The name of an analyst must be 1 to 63 small letters, digits and underscores, and begin with none of pg_ and digits.';
  elsif exists (select from pg_roles where rolname = p_login) then
    raise duplicate_object using message = format('There is a login or role %s already.', p_login);
  elsif to_regnamespace(p_login) is not null then
    raise duplicate_schema using message = format('There is a schema %s already.', p_login);
  elsif to_regrole(v_group) is null then
    raise undefined_object using message = format('The role %s is missing: docs/operate/database.md, Database roles.', v_group);
  end if;
  begin
    execute format('create role %I login password %L', p_login, v_password);
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to current_user', p_login);
    end if;
    execute format('create schema %I authorization %I', p_login, p_login);
    execute format('grant %I to %I', v_group, p_login);
  exception when insufficient_privilege then
    raise insufficient_privilege using message =
      format('The role %s may not make analysts (%s): set DATABASE_URL to an administrator of the database for this command.', current_user, sqlerrm);
  end;
  insert into pathmend.analyst_projects (project_id, login) select p_project, p_login where p_project is not null;
  return v_password;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.make_room(p_full jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v record;
  v_hashes bytea[];
  v_most bigint;
begin
  for v in
    select distinct r.project_id
      from jsonb_array_elements(p_full) as f
      join pathmend.rollups r on r.project_id = (f ->> 'project_id')::uuid and r.what = 'not_founds' and r.paths > 99000
  loop
    with gone as (
      delete from pathmend.missing_paths m
       where m.project_id = v.project_id
         and m.path_hash in (select r.path_hash from pathmend.missing_paths r
                              where r.project_id = v.project_id and r.path_hash <> ''::bytea
                              order by r.people + r.unknown + r.forgotten, r.last_seen
                              limit (select 1 + count(*) / 20 from pathmend.missing_paths a where a.project_id = v.project_id))
      returning m.*),
    others as (
      update pathmend.missing_paths m
         set people = m.people + g.people, unknown = m.unknown + g.unknown, assistants = m.assistants + g.assistants,
             search_engines = m.search_engines + g.search_engines, robots = m.robots + g.robots, scanners = m.scanners + g.scanners,
             redirected = m.redirected + g.redirected, clicked = m.clicked + g.clicked, suggested = m.suggested + g.suggested,
             nothing = m.nothing + g.nothing, gone = m.gone + g.gone, unlinked = m.unlinked + g.unlinked,
             first_seen = least(m.first_seen, g.first_seen), last_seen = greatest(m.last_seen, g.last_seen),
             last_human = greatest(m.last_human, g.last_human)
        from (select sum(people) as people, sum(unknown) as unknown, sum(assistants) as assistants, sum(search_engines) as search_engines,
                     sum(robots) as robots, sum(scanners) as scanners, sum(redirected) as redirected, sum(clicked) as clicked,
                     sum(suggested) as suggested, sum(nothing) as nothing, sum(gone) as gone, sum(unlinked) as unlinked,
                     min(first_seen) as first_seen, max(last_seen) as last_seen, max(last_human) as last_human from gone) as g
       where m.project_id = v.project_id and m.path_hash = ''::bytea and g.people is not null)
    select array_agg(path_hash), max(people + unknown + forgotten) into v_hashes, v_most from gone;
    update pathmend.rollups r set paths = r.paths - coalesce(cardinality(v_hashes), 0), forgotten = greatest(r.forgotten, v_most)
     where r.project_id = v.project_id and r.what = 'not_founds';
    perform pathmend.move_to_other_paths(v.project_id, null, v_hashes);
    with gone as (delete from pathmend.referrer_weeks w where w.project_id = v.project_id and w.path_hash = any (v_hashes) returning w.*)
    insert into pathmend.referrer_weeks as w
           (project_id, week, path_hash, referrer_hash, referrer, own, human, others, first_seen, last_seen)
    select v.project_id, week, ''::bytea, ''::bytea, '(other)', null, sum(human), sum(others), min(first_seen), max(last_seen)
      from gone group by week
    on conflict (project_id, week, path_hash, referrer_hash) do update set
      human = w.human + excluded.human, others = w.others + excluded.others,
      first_seen = least(w.first_seen, excluded.first_seen), last_seen = greatest(w.last_seen, excluded.last_seen);
  end loop;

  for v in select distinct (f ->> 'project_id')::uuid as project_id, (f ->> 'day')::date as day from jsonb_array_elements(p_full) as f loop
    with known as (select distinct d.path_hash from pathmend.path_days d
                    where d.project_id = v.project_id and d.day = v.day and d.path_hash <> ''::bytea)
    select array(select k.path_hash from known k
                   left join pathmend.missing_paths m on m.project_id = v.project_id and m.path_hash = k.path_hash
                  order by m.people + m.unknown + m.forgotten nulls first, m.last_seen limit 500)
      into v_hashes where (select count(*) from known) > 4900;
    perform pathmend.move_to_other_paths(v.project_id, v.day, v_hashes);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.matching_pages(p_project uuid, p_equal jsonb[], p_contained jsonb[])
 RETURNS TABLE(page_id text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pathmend.check_project(p_project);
  return query execute
    'select p.page_id from pathmend.pages p where p.project_id = $1'
    || coalesce((select string_agg(format(' and (p.metadata @> $2[%1$s] or p.metadata @> $3[%1$s])', place), '')
                   from generate_subscripts(p_equal, 1) as place), '')
    using p_project, p_equal, p_contained;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.may_become_tenant()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(pg_has_role(to_regrole('pathmend_tenant'), case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end), false)
$function$;

CREATE OR REPLACE FUNCTION pathmend.move_to_other_paths(p_project uuid, p_day date, p_hashes bytea[])
 RETURNS void
 LANGUAGE sql
AS $function$
  with gone as (
    delete from pathmend.path_days d
     where d.project_id = p_project and d.path_hash = any (p_hashes) and (p_day is null or d.day = p_day)
    returning d.*)
  insert into pathmend.path_days as d
         (project_id, day, path_hash, visitor, hits, redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen)
  select p_project, g.day, ''::bytea, g.visitor, sum(g.hits), sum(g.redirected), sum(g.clicked), sum(g.suggested), sum(g.nothing),
         sum(g.gone), sum(g.unlinked), min(g.first_seen), max(g.last_seen)
    from gone g group by g.day, g.visitor
  on conflict (project_id, day, path_hash, visitor) do update set
    hits = d.hits + excluded.hits, redirected = d.redirected + excluded.redirected, clicked = d.clicked + excluded.clicked,
    suggested = d.suggested + excluded.suggested, nothing = d.nothing + excluded.nothing, gone = d.gone + excluded.gone,
    unlinked = d.unlinked + excluded.unlinked,
    first_seen = least(d.first_seen, excluded.first_seen), last_seen = greatest(d.last_seen, excluded.last_seen)
$function$;

CREATE OR REPLACE FUNCTION pathmend.near_words(p_project uuid, p_word text)
 RETURNS TABLE(word text, pages integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_length constant integer := length(p_word);
  -- Like maxEdits() in src/search/ranking/spelling/word-readings.ts.
  v_slips constant integer := case when v_length <= 8 then 1 else 2 end;
begin
  perform pathmend.check_project(p_project);
  if v_length > 40 then return; end if;
  return query
    select n.word, n.pages
      from (select distinct c.word, c.pages, levenshtein_less_equal(p_word, c.word, 2) as distance
              from (select k.word, k.pages
                      from unnest(array[0, -1, 1, -2, 2]) as difference
                     cross join lateral (
                       (select v.word, v.pages from pathmend.vocabulary v
                         where v.project_id = p_project
                           and uuid_hash_extended(v.project_id, hashtextextended(left(v.word, 2), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(left(p_word, 2) collate "C", v_length + difference))
                         limit 500)
                       union all
                       (select v.word, v.pages from pathmend.vocabulary v
                         where v.project_id = p_project
                           and uuid_hash_extended(v.project_id, hashtextextended(right(v.word, 3), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(right(p_word, 3) collate "C", v_length + difference))
                         limit 500)) as k
                     where abs(difference) <= v_slips and octet_length(k.word) <= 255
                     limit 2500) as c) as n
     -- Two swapped letters also have distance 2. In a short word, other typos of that distance are too many.
     where n.distance <= 1
        or n.distance = 2 and (v_slips = 2 or (length(n.word) = v_length and translate(n.word, p_word, '') = '' and translate(p_word, n.word, '') = ''))
     order by n.distance, n.pages desc, n.word
     limit 50;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.page_exists(p_page_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (select 1 from pathmend.pages p where p.page_id = p_page_id)
$function$;

CREATE OR REPLACE FUNCTION pathmend.pages_in_reach(p_project uuid, p_model integer, p_covered bigint, p_vector halfvec, p_questions sparsevec[], p_lookups jsonb, p_path bit, p_slug bit)
 RETURNS TABLE(page_id text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  -- For each segment: the `from` and `where` of each kind, and the distance of its vectors.
  v_vectors text[];
  v_terms text[];
  v_paths text[];
  v_distances text[];
  v_shares double precision[];
  v_largest double precision;
  v_chunks integer;
  v_pages integer;
  v_distance text;
  v_branches text;
begin
  perform pathmend.check_project(p_project);
  for v_try in 1..3 loop
    begin
      select array_agg(case when s.own then format('%s r where true', s.vectors)
                            else format('pathmend.chunks r where %s and r.model_id = %s', s.place, p_model) end),
             array_agg(case when s.own then format('%s r where true', s.terms) else format('pathmend.page_terms r where %s', s.place) end),
             array_agg(case when s.own then format('%s r where true', s.paths) else format('pathmend.indexed_pages r where %s', s.place) end),
             array_agg(case when s.own then 'r.embedding <#> $1' else format('r.embedding::halfvec(%1$s) <#> $1::halfvec(%1$s)', vector_dims(p_vector)) end),
             array_agg(s.share), max(s.share)
        into v_vectors, v_terms, v_paths, v_distances, v_shares, v_largest
        from pathmend.segments_of(p_project, p_model, p_covered) as s;
      v_chunks := greatest(80, ceil(250 * v_largest));
      -- Many pages of a large site have the same words in their paths, such as one page for each version: a hundred of a
      -- million chunks had. Of the 60 nearest, the best three were .93 of a scan's; of the 120 nearest, .98.
      v_pages := greatest(50, ceil(120 * v_largest));

      -- Not a `set` of the function: while pgvector is not loaded, only a superuser may restore a function with it. So it
      -- lasts until the end of the transaction, which reads no other such index.
      perform set_config('hnsw.ef_search', v_chunks::text, true);
      select string_agg(format('(select r.page_id, %1$s as far from %2$s order by %1$s limit %3$s)', distance, rows_of, v_chunks), ' union all ')
        into v_branches
        from unnest(v_vectors, v_distances) as s (rows_of, distance);
      return query execute format('select v.page_id from (%s) as v order by v.far limit 250', v_branches) using p_vector;

      -- For each lookup, up to 2,500 pages with all keys of one of its sets, because common words occur together more often
      -- than the caller can know. At most 4,000 of all lookups, the first lookups first: with a million chunks, this saves a
      -- sixth of the slowest questions' time, and finds .991 of a scan's ten best pages instead of .992.
      select string_agg(found.branches, ' union all ')
        into v_branches
        from jsonb_array_elements(p_lookups) as lookup
       cross join lateral (
         select string_agg(format('pathmend.term_keys(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(keys))::text), ' or ') as condition
           from jsonb_array_elements(lookup) as keys) as held
       cross join lateral (
         select string_agg(format(
                  '(select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
                      from %s and (%s) limit %s)', rows_of, held.condition, greatest(300, ceil(2500 * share))), ' union all ') as branches
           from unnest(v_terms, v_shares) as s (rows_of, share)) as found;
      if v_branches is not null then
        -- The best pages for both questions, from the same set of pages.
        return query execute format(
          'with asked as materialized (select v.page_id, max(v.one) as one, max(v.other) as other
                                          from (select * from (%s) as u limit 4000) as v group by v.page_id)
           (select page_id from asked order by one desc, page_id limit 250)
           union all
           (select page_id from asked order by other desc, page_id limit 100)', v_branches) using p_questions;
      end if;

      if p_path is not null then
        perform set_config('hnsw.ef_search', (v_pages * 5 / 4)::text, true);
        for v_distance in select unnest(array['r.path_trigrams <%> $1', 'r.slug_trigrams <%> $2']) loop
          select string_agg(format('(select r.page_id, %1$s as far from %2$s order by %1$s limit %3$s)', v_distance, rows_of, v_pages), ' union all ')
            into v_branches
            from unnest(v_paths) as rows_of;
          return query execute format('select v.page_id from (%s) as v order by v.far limit 120', v_branches) using p_path, p_slug;
        end loop;
      end if;
      return;
    exception when undefined_table then
      -- A merge dropped the tables meanwhile: try again. Pages found before may be returned twice.
      if v_try = 3 then
        raise;
      end if;
    end;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.parameter_of(p_path text, p_name text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  v_text text := replace(substring(split_part(p_path, '#', 1) from '[?&]' || p_name || '=([^&]*)'), '+', ' ');
begin
  if v_text like '%\%%' and v_text ~* (
       '^(?:[^%]|%0[1-9a-f]|%[1-7][0-9a-f]|%c[2-9a-f]%[89ab][0-9a-f]|%d[0-9a-f]%[89ab][0-9a-f]'
       '|%e0%[ab][0-9a-f]%[89ab][0-9a-f]|%e[1-9a-cef]%[89ab][0-9a-f]%[89ab][0-9a-f]|%ed%[89][0-9a-f]%[89ab][0-9a-f]'
       '|%f0%[9ab][0-9a-f](?:%[89ab][0-9a-f]){2}|%f[1-3](?:%[89ab][0-9a-f]){3}|%f4%8[0-9a-f](?:%[89ab][0-9a-f]){2})*$') then
    v_text := (
      select convert_from(string_agg(case when m[1] like '\%%' then decode(substr(m[1], 2), 'hex') else convert_to(m[1], 'UTF8') end, ''
                                     order by place), 'UTF8')
        from regexp_matches(v_text, '%[0-9a-f]{2}|[^%]+', 'gi') with ordinality as r (m, place));
  end if;
  return nullif(v_text, '');
end $function$;

CREATE OR REPLACE FUNCTION pathmend.percentile_ms(p_share double precision, p_bounds double precision[], p_searches bigint[])
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select min(b.bound)
    from (select h.bound, sum(h.searches) over (order by h.bound) as so_far, sum(h.searches) over () as total
            from unnest(p_bounds, p_searches) as h (bound, searches)) as b
   where b.total > 0 and b.so_far >= p_share * b.total
$function$;

CREATE OR REPLACE FUNCTION pathmend.rebuild_not_founds(p_project uuid, p_week date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_hashes bytea[];
  v_facts jsonb;
begin
  perform pathmend.lock_rollups('not_founds', array[p_project]);
  delete from pathmend.not_found_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.not_found_hours
   where project_id = p_project and hour >= p_week::timestamp at time zone 'UTC' and hour < (p_week + 7)::timestamp at time zone 'UTC';
  delete from pathmend.referrer_weeks where project_id = p_project and week = p_week;
  with old as (delete from pathmend.path_days where project_id = p_project and day between p_week and p_week + 6 returning path_hash)
  select array_agg(distinct path_hash) into v_hashes from old;
  if v_hashes is not null then
    perform pathmend.refresh_missing_paths(p_project, v_hashes);
  end if;
  for v_facts in
    select jsonb_agg(jsonb_build_object('project_id', p_project, 'at', f.at, 'raw_path', f.path, 'origin', f.origin,
                                        'referrer', f.referrer, 'visitor', f.visitor, 'outcome', f.outcome, 'n', f.n) order by f.place)
      from (select g.*, t.at, t.n, row_number() over (order by g.first, g.path, t.at) as place
              from (select split_part(split_part(r.raw_path, '?', 1), '#', 1) as path, r.origin,
                           split_part(split_part(r.referrer, '?', 1), '#', 1) as referrer, r.visitor, r.outcome,
                           count(*) as hits, min(r.received_at) as first, max(r.received_at) as last
                      from pathmend.not_founds r
                     where r.project_id = p_project and not r.is_test
                       and (r.received_at at time zone 'UTC')::date between p_week and p_week + 6
                     group by date_trunc('hour', r.received_at, 'UTC'), 1, 2, 3, 4, 5) as g
             cross join lateral (values (g.first, greatest(g.hits - 1, 1)), (g.last, case when g.hits > 1 then 1 end)) as t (at, n)
             where t.n is not null) as f
     group by (f.place - 1) / 5000 order by (f.place - 1) / 5000
  loop
    perform pathmend.count_not_founds(v_facts);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.rebuild_searches(p_project uuid, p_week date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_facts jsonb;
begin
  perform pathmend.lock_rollups('searches', array[p_project]);
  delete from pathmend.search_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.position_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.empty_search_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.latency_days where project_id = p_project and day between p_week and p_week + 6;
  for v_facts in
    select jsonb_agg(jsonb_build_object('project_id', s.project_id, 'at', s.searched_at, 'kind', s.kind, 'input', s.input,
                                        'understood', s.understood, 'filtered', s.filtered, 'best_score', s.best_score, 'took_ms', s.took_ms,
                                        'scores', (select coalesce(jsonb_agg(r -> 'score'), '[]') from jsonb_array_elements(s.results) as r),
                                        'clicked_rank', s.clicked_rank, 'of_others', s.of_others, 'redirected', s.redirected, 'n', 1))
      from (select r.*, row_number() over (order by r.searched_at, r.search_id) / 2000 as chunk
              from pathmend.searches r
             where r.project_id = p_project and not r.is_test
               and (r.searched_at at time zone 'UTC')::date between p_week and p_week + 6) as s
     group by s.chunk order by s.chunk
  loop
    perform pathmend.count_searches(v_facts);
  end loop;

  insert into pathmend.waiting_links (project_id, search_id, near)
  select p_project, e.search_id, min(e.at)
    from (select n.search_id, n.received_at as at from pathmend.not_founds n
           where n.project_id = p_project and n.search_id is not null
             and (n.received_at at time zone 'UTC')::date between p_week and p_week + 6
          union all
          select c.search_id, c.received_at from pathmend.clicks c
           where c.project_id = p_project and not c.is_test
             and (c.received_at at time zone 'UTC')::date between p_week and p_week + 6) as e
   group by e.search_id
      on conflict do nothing;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.referrer_kind(p_host text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
    when split_part(p_host, '.', -2) not in (
      'google', 'bing', 'yahoo', 'yandex', 'duckduckgo', 'baidu', 'qwant', 'startpage', 'kagi', 'naver', 'sogou', 'so', 'ask', 'aol', 'mojeek',
      'swisscows', 'presearch', 'brave', 'ecosia', 'metager', 'seznam', 'ya', 'daum', 'facebook', 'fb', 'instagram', 'threads', 'twitter', 'x', 't',
      'linkedin', 'lnkd', 'reddit', 'redd', 'pinterest', 'pin', 'youtube', 'youtu', 'tiktok', 'bsky', 'mastodon', 'vk', 'ok', 'weibo', 'tumblr',
      'quora', 'whatsapp', 'wa', 'telegram', 'discord', 'snapchat', 'xing', 'ycombinator', 'lobste')
      and split_part(p_host, '.', -3) not in ('google', 'bing', 'yahoo', 'yandex', 'pinterest') then 'other'
    when p_host ~ ('^(?:(?:www|m|search|[a-z]{2}|[a-z]{2}\.search|news|images)\.)?(?:(?:google|bing|yahoo|yandex)(?:\.[a-z]{2,3}){1,2}'
                   '|(?:duckduckgo|baidu|qwant|startpage|kagi|naver|sogou|so|ask|aol|mojeek|swisscows|presearch)\.com|search\.brave\.com'
                   '|ecosia\.org|metager\.(?:de|org)|seznam\.cz|ya\.ru|daum\.net)$') then 'search_engine'
    when p_host ~ ('(?:^|\.)(?:facebook\.com|fb\.(?:com|me)|instagram\.com|threads\.(?:net|com)|twitter\.com|x\.com|t\.co|linkedin\.com|lnkd\.in'
                   '|reddit\.com|redd\.it|pinterest(?:\.[a-z]{2,3}){1,2}|pin\.it|youtube\.com|youtu\.be|tiktok\.com|bsky\.app|mastodon\.[a-z]+|vk\.com|ok\.ru'
                   '|weibo\.c(?:om|n)|tumblr\.com|quora\.com|whatsapp\.com|wa\.me|telegram\.org|t\.me|discord\.com|snapchat\.com|xing\.com'
                   '|news\.ycombinator\.com|lobste\.rs)$') then 'social'
    else 'other' end
$function$;

CREATE OR REPLACE FUNCTION pathmend.refresh_missing_paths(p_project uuid, p_hashes bytea[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_gone bigint;
begin
  update pathmend.missing_paths m
     set people = d.people, unknown = d.unknown, assistants = d.assistants, search_engines = d.search_engines, robots = d.robots,
         scanners = d.scanners, redirected = d.redirected, clicked = d.clicked, suggested = d.suggested, nothing = d.nothing,
         gone = d.gone, unlinked = d.unlinked, first_seen = d.first_seen, last_seen = d.last_seen, last_human = d.last_human
    from (select path_hash,
                 coalesce(sum(hits) filter (where visitor = 'person'), 0) as people, coalesce(sum(hits) filter (where visitor = 'unknown'), 0) as unknown,
                 coalesce(sum(hits) filter (where visitor = 'assistant'), 0) as assistants,
                 coalesce(sum(hits) filter (where visitor = 'search_engine'), 0) as search_engines,
                 coalesce(sum(hits) filter (where visitor = 'robot'), 0) as robots, coalesce(sum(hits) filter (where visitor = 'scanner'), 0) as scanners,
                 coalesce(sum(redirected) filter (where human), 0) as redirected, coalesce(sum(clicked) filter (where human), 0) as clicked,
                 coalesce(sum(suggested) filter (where human), 0) as suggested, coalesce(sum(nothing) filter (where human), 0) as nothing,
                 coalesce(sum(gone) filter (where human), 0) as gone, coalesce(sum(unlinked) filter (where human), 0) as unlinked,
                 min(first_seen) as first_seen, max(last_seen) as last_seen, max(last_seen) filter (where human) as last_human
            from pathmend.path_days cross join lateral (select visitor in ('person', 'unknown') as human) as v
           where project_id = p_project and path_hash = any (p_hashes)
           group by path_hash) as d
   where m.project_id = p_project and m.path_hash = d.path_hash;
  with gone as (
    delete from pathmend.missing_paths m
     where m.project_id = p_project and m.path_hash = any (p_hashes)
       and not exists (select from pathmend.path_days d where d.project_id = p_project and d.path_hash = m.path_hash)
    returning 1)
  select count(*) into v_gone from gone;
  update pathmend.rollups set paths = paths - v_gone where project_id = p_project and what = 'not_founds' and v_gone > 0;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.section_of(p_path text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select substring(p_path from '/([^/]*[^0-9/._-]{3}[^/]*)/')
$function$;

CREATE OR REPLACE FUNCTION pathmend.segments_of(p_project uuid, p_model integer, p_covered bigint)
 RETURNS TABLE(vectors text, terms text, paths text, own boolean, place text, share double precision)
 LANGUAGE sql
AS $function$
  with kept as (
    select format('%s_%s', replace(o.project_id::text, '-', ''), o.segment) as name, o.after, o.covered,
           o.chunks / greatest(1, sum(o.chunks) over ())::double precision as share
      from pathmend.index_segments o
     where o.project_id = p_project and o.model_id = p_model),
  used as (
    select * from kept
    union all
    select null, -1, p_covered, 1 where not exists (select from kept))
  select 'pathmend_segments.vectors_' || u.name, 'pathmend_segments.terms_' || u.name, 'pathmend_segments.paths_' || u.name,
         to_regclass('pathmend_segments.paths_' || u.name) is not null,
         format('r.project_id = %L and r.arrival + 0 > %s and r.arrival + 0 <= %s', p_project, u.after, u.covered), u.share
    from used u
   order by u.covered
$function$;

CREATE OR REPLACE FUNCTION pathmend.share_queue()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_roles constant regrole[] := array[to_regrole('pathmend_service'), to_regrole('pathmend_tenant')];
  -- The columns that pg-boss names in an insert.
  v_inserted constant text[] := array[
    'id', 'name', 'data', 'priority', 'start_after', 'created_on', 'singleton_key', 'singleton_on', 'group_id', 'group_tier',
    'expire_seconds', 'deletion_seconds', 'keep_until', 'retry_limit', 'retry_delay', 'retry_backoff', 'retry_delay_max',
    'policy', 'dead_letter', 'heartbeat_seconds', 'blocked', 'blocking', 'pending_dependencies'];
  -- The rights of each role on each table; null: on all columns.
  v_wanted constant jsonb := jsonb_build_array(
    jsonb_build_array('pathmend_service', 'select', 'version', array['version']),
    jsonb_build_array('pathmend_service', 'select', 'queue', null),
    jsonb_build_array('pathmend_service', 'insert', 'job_common', v_inserted),
    jsonb_build_array('pathmend_service', 'select', 'job_common', array['id', 'start_after']),
    jsonb_build_array('pathmend_tenant', 'select', 'queue', null),
    jsonb_build_array('pathmend_tenant', 'insert', 'job_common', v_inserted),
    jsonb_build_array('pathmend_tenant', 'select', 'job_common', null),
    jsonb_build_array('pathmend_tenant', 'delete', 'job_common', null));
  v_table text;
  v_grant jsonb;
begin
  if to_regclass('pgboss.job_common') is null or array_position(v_roles, null) is not null then
    return;
  end if;
  -- Processes that start at the same time take turns by a row that only they can lock.
  perform from pathmend.migrations where number = 1 for update;

  if array(
       select format('%s %s %s %s', x.grantee::regrole, lower(x.privilege_type), c.name, c.part) as one
         from (select r.relname as name, null as part, r.relacl as acl from pg_class r where r.relnamespace = 'pgboss'::regnamespace
               union all
               select r.relname, a.attname, a.attacl from pg_class r join pg_attribute a on a.attrelid = r.oid
                where r.relnamespace = 'pgboss'::regnamespace and a.attacl is not null) as c
        cross join aclexplode(c.acl) as x
        where x.grantee = any (v_roles)
        order by one)
     is distinct from array(
       select format('%s %s %s %s', w ->> 0, w ->> 1, w ->> 2, part) as one
         from jsonb_array_elements(v_wanted) as w
         left join jsonb_array_elements_text(nullif(w -> 3, 'null')) as part on true
        order by one)
  then
    revoke all on all tables in schema pgboss from pathmend_service, pathmend_tenant;
    revoke all on all sequences in schema pgboss from pathmend_service, pathmend_tenant;
    for v_grant in select * from jsonb_array_elements(v_wanted) loop
      execute format('grant %s %s on pgboss.%I to %I', v_grant ->> 1,
                     (select '(' || string_agg(quote_ident(part), ', ') || ')' from jsonb_array_elements_text(nullif(v_grant -> 3, 'null')) as part),
                     v_grant ->> 2, v_grant ->> 0);
    end loop;
  end if;
  if exists (select from pg_proc p where p.pronamespace = 'pgboss'::regnamespace and has_function_privilege('public', p.oid, 'execute'))
     or not has_schema_privilege('pathmend_service', 'pgboss', 'usage') or not has_schema_privilege('pathmend_tenant', 'pgboss', 'usage') then
    grant usage on schema pgboss to pathmend_tenant, pathmend_service;
    revoke execute on all functions in schema pgboss from public;
    grant execute on function pgboss.job_now() to pathmend_tenant, pathmend_service;
  end if;

  foreach v_table in array array['job', 'job_common'] loop
    continue when exists (select from pg_policies where schemaname = 'pgboss' and tablename = v_table and policyname = 'tenant');
    execute format('alter table pgboss.%I enable row level security', v_table);
    execute format('create policy service on pgboss.%I to pathmend_service using (true)', v_table);
    execute format('create policy tenant on pgboss.%I to pathmend_tenant
                      using (data ->> ''projectId'' = (select current_setting(''pathmend.project'', true)))', v_table);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.shown_score(p_score double precision)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select (floor(p_score * 10000 + 1e-9) / 10000)::numeric(5, 4)
$function$;

CREATE OR REPLACE FUNCTION pathmend.term_keys(terms sparsevec)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT COST 10000
AS $function$
  select array(
    select unnest(
             array[number]
             || case when weight >= 0.33 then array[number + 1000000000] end
             || case when weight >= 0.5 then array[-number] end
             || case when weight >= 0.7 then array[-number - 1000000000] end)
      from unnest(string_to_array(trim(both '{}' from split_part(terms::text, '/', 1)), ',')) as entry
     cross join lateral (select split_part(entry, ':', 1)::integer as number, split_part(entry, ':', 2)::real as weight) as e
     where entry <> '')
$function$;

CREATE OR REPLACE FUNCTION analytics.comparable_project(project text, max_pages integer, called text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  v_project uuid := (select a.project_id from analytics.accessible_projects a
                      where a.project = $1 or a.project_id::text = lower($1) order by a.project = $1 desc limit 1);
begin
  if (select count(*) from (select from analytics.pages g where g.project_id = v_project limit $2 + 1) as c) > $2 then
    raise program_limit_exceeded using message = format('%s compares up to %s pages, and this project has more', $3, $2);
  end if;
  return v_project;
end $function$;
comment on function analytics.comparable_project(pg_catalog.text,integer,pg_catalog.text) is 'For near_duplicates and similar_pages: the id of a project (name or id) that has at most max_pages pages.';

CREATE OR REPLACE FUNCTION analytics.near_duplicates(project text, at_least double precision DEFAULT 0.95)
 RETURNS TABLE(url text, other_url text, similarity double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET work_mem TO '64MB'
AS $function$
#variable_conflict use_column
declare
  v_project uuid := analytics.comparable_project($1, 5000, 'near_duplicates');
begin
  return query
    with pages as materialized (
      select row_number() over (order by v.url) as place, v.url, v.vector from analytics.page_vectors v where v.project_id = v_project)
    select a.url, b.url, -(a.vector <#> b.vector)
      from pages a join pages b on b.place > a.place
     where a.vector <#> b.vector <= -$2
     order by 3 desc, 1, 2;
end $function$;
comment on function analytics.near_duplicates(pg_catalog.text,double precision) is 'Pairs of pages of a project (name or id) whose vectors have at least this cosine, the most similar first. Refuses projects of more than 5,000 pages.';

CREATE OR REPLACE FUNCTION analytics.similar_pages(project text, page_url text, n integer DEFAULT 10)
 RETURNS TABLE(url text, title text, similarity double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  v_project uuid := analytics.comparable_project($1, 100000, 'similar_pages');
begin
  return query
    select f.url, (select g.title from analytics.pages g where g.project_id = v_project and g.url = f.url), 1 - f.distance
      from (select v.url, v.vector <=> a.vector as distance
              from (select o.vector from analytics.page_vectors o where o.project_id = v_project and o.url = $2) as a
              join analytics.page_vectors v on v.project_id = v_project and v.url <> $2
             order by 2, 1 limit greatest(0, $3)) as f
     order by f.distance, f.url;
end $function$;
comment on function analytics.similar_pages(pg_catalog.text,pg_catalog.text,integer) is 'The n pages of a project (name or id) whose vectors are most like that of the page with this url, the most similar first; none for a page without a vector. similarity: the cosine, 1 for equal texts. Refuses projects of more than 100,000 pages.';

create view analytics.accessible_projects with (security_barrier=true) as
 SELECT project_id,
    name AS project
   FROM pathmend.projects p
  WHERE
        CASE
            WHEN CURRENT_USER = 'pathmend_tenant'::name THEN project_id = NULLIF(current_setting('pathmend.project'::text, true), ''::text)::uuid
            ELSE pg_has_role(CURRENT_USER, to_regrole('pathmend_project_analyst'::text)::oid, 'usage'::text) IS NOT TRUE OR pg_has_role(CURRENT_USER, to_regrole('pathmend_analyst'::text)::oid, 'usage'::text) OR pg_has_role(CURRENT_USER, ( SELECT c.relowner
               FROM pg_class c
              WHERE c.oid = 'pathmend.projects'::regclass::oid), 'usage'::text) OR (EXISTS ( SELECT
               FROM pathmend.analyst_projects a
              WHERE a.project_id = p.project_id AND a.login = CURRENT_USER))
        END;
comment on view analytics.accessible_projects is 'Projects that this login may see: all, or for a member of pathmend_project_analyst those in pathmend.analyst_projects.';
comment on column analytics.accessible_projects.project_id is 'Id of the project.';
comment on column analytics.accessible_projects.project is 'Name of the project.';

create view analytics.broken_internal_links with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    l.page,
    l.link,
    COALESCE(x.path, m.best_url) AS proposed_target,
        CASE
            WHEN x.path IS NULL THEN m.best_score::numeric(5,4)
            ELSE NULL::numeric
        END AS score,
    l.people,
    l.others,
    l.first_seen,
    l.last_seen,
    l.status,
    l.checked_at,
    NOT ((EXISTS ( SELECT
           FROM pathmend.path_rules c
             JOIN pathmend.rules r ON r.project_id = c.project_id AND r.rule_key = c.rule_key
          WHERE c.project_id = p.project_id AND c.path_hash = l.path_hash AND (r.valid_from <= now()) IS NOT FALSE AND (r.valid_until > now()) IS NOT FALSE AND ((sha256(convert_to(r.prefix, 'UTF8'::name)) = l.plain_hash) IS NOT TRUE OR NOT (EXISTS ( SELECT
                   FROM pathmend.pages f
                     JOIN pathmend.indexed_pages i ON i.project_id = f.project_id AND i.page_id = f.page_id
                  WHERE f.project_id = r.project_id AND f.path_key = l.plain_hash AND i.indexed_at IS NOT NULL)))
         OFFSET 0)) OR (EXISTS ( SELECT
           FROM pathmend.rules r
          WHERE r.project_id = p.project_id AND (r.rule_key = l.plain_hash OR r.plain_key = l.plain_hash) AND (r.valid_from <= now()) IS NOT FALSE AND (r.valid_until > now()) IS NOT FALSE AND l.plain_hash <> sha256('\x'::bytea) AND NOT (EXISTS ( SELECT
                   FROM pathmend.projects t
                  WHERE t.project_id = r.project_id AND ('matters'::text = t.path_case OR 'matters'::text = t.path_slash)))
         OFFSET 0))) AND NOT (EXISTS ( SELECT
           FROM pathmend.pages o
             JOIN pathmend.indexed_pages i ON i.project_id = o.project_id AND i.page_id = o.page_id
          WHERE o.project_id = p.project_id AND o.path_key = l.plain_hash)) AS broken,
    l.answer,
        CASE
            WHEN x.path IS NULL THEN m.best_at
            ELSE NULL::timestamp with time zone
        END AS suggested_at
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT COALESCE(v.page, c.page) AS page,
            COALESCE(v.link, c.link) AS link,
            COALESCE(v.path_hash, c.path_hash) AS path_hash,
            COALESCE(v.plain_hash, c.plain_hash) AS plain_hash,
            COALESCE(v.people, 0::bigint) AS people,
            COALESCE(v.others, 0::bigint) AS others,
            v.first_seen,
            v.last_seen,
            c.status,
            c.checked_at,
            c.answer
           FROM ( SELECT f.path_hash,
                    f.page,
                    f.people,
                    f.others,
                    f.first_seen,
                    f.last_seen,
                    m_1.path AS link,
                    m_1.plain_hash
                   FROM ( SELECT r.path_hash,
                            r.referrer AS page,
                            sum(r.human)::bigint AS people,
                            sum(r.others)::bigint AS others,
                            min(r.first_seen) AS first_seen,
                            max(r.last_seen) AS last_seen
                           FROM pathmend.referrer_weeks r
                          WHERE r.project_id = p.project_id AND r.own AND r.path_hash <> '\x'::bytea AND r.referrer <> '(other)'::text
                          GROUP BY r.path_hash, r.referrer_hash, r.referrer
                          ORDER BY (sum(r.human)) DESC, r.path_hash, r.referrer_hash
                         LIMIT 5000) f
                     JOIN pathmend.missing_paths m_1 ON m_1.project_id = p.project_id AND m_1.path_hash = f.path_hash) v
             FULL JOIN ( SELECT b.path_hash,
                    b.plain_hash,
                    b.path AS link,
                    u.page,
                    min(b.status) AS status,
                    max(b.checked_at) AS checked_at,
                    min(b.answer) AS answer
                   FROM pathmend.broken_links b
                     CROSS JOIN LATERAL ( SELECT DISTINCT split_part(t.url, '?'::text, 1) AS page
                           FROM unnest(b.pages) t(url)) u
                  WHERE b.project_id = p.project_id
                  GROUP BY b.path_hash, b.plain_hash, b.path, u.page) c ON c.path_hash = v.path_hash AND c.page = v.page) l
     LEFT JOIN pathmend.missing_paths m ON m.project_id = p.project_id AND m.path_hash = l.path_hash
     LEFT JOIN LATERAL ( SELECT x_1.path
           FROM pathmend.rules r
             CROSS JOIN LATERAL ( SELECT t.page_id
                   FROM ( SELECT COALESCE(( SELECT o_1.page_id
                                   FROM pathmend.pages o_1
                                  WHERE o_1.project_id = r.project_id AND o_1.url_hash = r.target_hash), ( SELECT p_1.page_id
                                   FROM ( SELECT p_2.page_id,
    p_2.url,
    p_2.path_key
   FROM pathmend.pages p_2
  WHERE p_2.project_id = r.project_id AND (p_2.path_key = ANY (ARRAY[r.target_key, r.target_bare_key]))
 LIMIT 1000) p_1
                                  WHERE r.target_host IS NULL OR split_part(p_1.url, '/'::text, 3) = r.target_host
                                  ORDER BY (substr(p_1.url, length(split_part(p_1.url, '/'::text, 1)) + length(split_part(p_1.url, '/'::text, 3)) + 3) = r.target_path) DESC NULLS LAST, (p_1.path_key = r.target_key) DESC, p_1.page_id
                                 LIMIT 1)) AS page_id
                         OFFSET 0) t
                  WHERE t.page_id IS NOT NULL) o
             JOIN pathmend.indexed_pages x_1 ON x_1.project_id = r.project_id AND x_1.page_id = o.page_id
          WHERE r.project_id = p.project_id AND r.rule_key = l.plain_hash
         LIMIT 1) x ON true;
comment on view analytics.broken_internal_links is 'Links of the site to its own missing paths: the 5,000 that most people followed (from referrers of 404s), and those that the last crawl found. Without test keys.';
comment on column analytics.broken_internal_links.project_id is 'Id of the project.';
comment on column analytics.broken_internal_links.project is 'Name of the project.';
comment on column analytics.broken_internal_links.page is 'Url of the page with the link, without query string.';
comment on column analytics.broken_internal_links.link is 'The missing path.';
comment on column analytics.broken_internal_links.proposed_target is 'Target of your redirect, else the best suggestion; null if there is none.';
comment on column analytics.broken_internal_links.score is 'Score of the latest suggestion; suggest may answer differently now. null: the target is from your redirect.';
comment on column analytics.broken_internal_links.people is '404s of people who followed the link; 0: only the crawl found it.';
comment on column analytics.broken_internal_links.others is '404s of other visitors who followed the link.';
comment on column analytics.broken_internal_links.first_seen is 'The first 404; null: only the crawl found the link.';
comment on column analytics.broken_internal_links.last_seen is 'The latest 404: shows whether the link was fixed since.';
comment on column analytics.broken_internal_links.status is 'HTTP status in the last crawl; null: no answer, or not in the crawl.';
comment on column analytics.broken_internal_links.checked_at is 'End of that crawl; null: the crawl did not find the link.';
comment on column analytics.broken_internal_links.broken is 'True if the path has no rule in force and no page now. A rule that waits for its page counts as a rule.';
comment on column analytics.broken_internal_links.answer is 'What the last crawl was answered, in words; null: the crawl did not find the link.';
comment on column analytics.broken_internal_links.suggested_at is 'When proposed_target was the answer; null: the target is from your redirect, or there is none.';

create view analytics.calibration with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    s.day,
    s.kind,
    (s.band::numeric / 10.0)::numeric(2,1) AS score_from,
    ((s.band + 1)::numeric / 10.0)::numeric(2,1) AS score_to,
    s.searches - s.others AS searches,
    s.clicked - s.others_clicked AS clicked,
    COALESCE(f.clicked - f.others_clicked, 0::bigint) AS clicked_first,
    round(COALESCE(f.clicked - f.others_clicked, 0::bigint)::numeric / NULLIF(s.clicked - s.others_clicked, 0)::numeric, 4) AS first_of_clicked,
    s.searches AS searches_all,
    s.clicked AS clicked_all,
    COALESCE(f.clicked, 0::bigint) AS clicked_first_all
   FROM analytics.accessible_projects p
     JOIN pathmend.search_days s ON s.project_id = p.project_id AND s.band >= 0
     LEFT JOIN pathmend.position_days f ON f.project_id = s.project_id AND f.day = s.day AND f.kind = s.kind AND f."position" = 1 AND f.band = s.band;
comment on view analytics.calibration is 'Score accuracy: the best score of searches and what visitors clicked, by UTC day and kind of search. Add up days before you divide. Without test keys.';
comment on column analytics.calibration.project_id is 'Id of the project.';
comment on column analytics.calibration.project is 'Name of the project.';
comment on column analytics.calibration.day is 'UTC day of the search.';
comment on column analytics.calibration.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.calibration.score_from is 'Lower bound of the best score, included.';
comment on column analytics.calibration.score_to is 'Upper bound, not included (but 1.0 is in the last band).';
comment on column analytics.calibration.searches is 'Searches of people whose best score is in this band.';
comment on column analytics.calibration.clicked is 'Searches among them with a click within seven days.';
comment on column analytics.calibration.clicked_first is 'Searches among clicked whose first suggestion was clicked.';
comment on column analytics.calibration.first_of_clicked is 'clicked_first / clicked, to compare with the score; null: no click.';
comment on column analytics.calibration.searches_all is 'Like searches, but including robots.';
comment on column analytics.calibration.clicked_all is 'Like clicked, but including robots.';
comment on column analytics.calibration.clicked_first_all is 'Like clicked_first, but including robots.';

create view analytics.click_through_daily with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    s.day,
    s.kind,
    s.searches,
    s.answered,
    s.clicked,
    round(s.clicked::numeric / NULLIF(s.answered, 0)::numeric, 4) AS click_through,
    c.average_rank,
    s.redirected,
    s.searches_all,
    s.answered_all,
    s.clicked_all,
    s.redirected_all
   FROM analytics.accessible_projects p
     JOIN ( SELECT d.project_id,
            d.day,
            d.kind,
            sum(d.searches - d.redirected)::bigint AS searches_all,
            COALESCE(sum(d.searches - d.redirected) FILTER (WHERE d.band >= 0), 0::numeric)::bigint AS answered_all,
            sum(d.clicked)::bigint AS clicked_all,
            sum(d.redirected)::bigint AS redirected_all,
            sum(d.searches - d.redirected - d.others + d.others_redirected)::bigint AS searches,
            COALESCE(sum(d.searches - d.redirected - d.others + d.others_redirected) FILTER (WHERE d.band >= 0), 0::numeric)::bigint AS answered,
            sum(d.clicked - d.others_clicked)::bigint AS clicked,
            sum(d.redirected - d.others_redirected)::bigint AS redirected
           FROM pathmend.search_days d
          GROUP BY d.project_id, d.day, d.kind) s ON s.project_id = p.project_id
     LEFT JOIN LATERAL ( SELECT round(sum(d."position" * (d.clicked - d.others_clicked)) / NULLIF(sum(d.clicked - d.others_clicked), 0::numeric), 2) AS average_rank
           FROM pathmend.position_days d
          WHERE d.project_id = s.project_id AND d.day = s.day AND d.kind = s.kind) c ON true;
comment on view analytics.click_through_daily is 'Searches of people, with their answers and clicks; redirects are counted apart. A search counts as a person''s until its 404 or its own user agent shows otherwise. Without test keys.';
comment on column analytics.click_through_daily.project_id is 'Id of the project.';
comment on column analytics.click_through_daily.project is 'Name of the project.';
comment on column analytics.click_through_daily.day is 'UTC day of the search.';
comment on column analytics.click_through_daily.kind is 'suggest, semantic-search, search, proxy or not-found: pathmend''s own 404 page.';
comment on column analytics.click_through_daily.searches is 'Searches of people, without those that ended in a redirect.';
comment on column analytics.click_through_daily.answered is 'Searches among them with a result. It is unknown whether the visitor saw it.';
comment on column analytics.click_through_daily.clicked is 'Searches among answered with a click within seven days.';
comment on column analytics.click_through_daily.click_through is 'clicked / answered.';
comment on column analytics.click_through_daily.average_rank is 'Average of the best clicked rank of each search. Ranks from 10 on count as 10.';
comment on column analytics.click_through_daily.redirected is 'Searches of people that ended in a redirect: by proxy or not-found, or by the site (reported with its 404). No other column counts them, except redirected_all.';
comment on column analytics.click_through_daily.searches_all is 'Like searches, but including robots.';
comment on column analytics.click_through_daily.answered_all is 'Like answered, but including robots.';
comment on column analytics.click_through_daily.clicked_all is 'Like clicked, but including robots.';
comment on column analytics.click_through_daily.redirected_all is 'Like redirected, but including robots.';

create view analytics.click_through_positions with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    d.day,
    d.kind,
    d."position",
    (d.band::numeric / 10.0)::numeric(2,1) AS score_from,
    ((d.band + 1)::numeric / 10.0)::numeric(2,1) AS score_to,
    d.shown - d.others_shown AS shown,
    d.clicked - d.others_clicked AS clicked,
    d.shown AS shown_all,
    d.clicked AS clicked_all
   FROM analytics.accessible_projects p
     JOIN pathmend.position_days d ON d.project_id = p.project_id
  WHERE d.band >= 0;
comment on view analytics.click_through_positions is 'Suggestions to people and their clicks, by UTC day, kind of search, position and score. Without test keys.';
comment on column analytics.click_through_positions.project_id is 'Id of the project.';
comment on column analytics.click_through_positions.project is 'Name of the project.';
comment on column analytics.click_through_positions.day is 'UTC day of the search.';
comment on column analytics.click_through_positions.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.click_through_positions."position" is 'Position in the list, from 1; 10 stands for 10 and above.';
comment on column analytics.click_through_positions.score_from is 'Lower bound of the score, included.';
comment on column analytics.click_through_positions.score_to is 'Upper bound, not included (but 1.0 is in the last band).';
comment on column analytics.click_through_positions.shown is 'Searches of people with a suggestion at this position, without redirects. It is unknown whether the visitor saw it.';
comment on column analytics.click_through_positions.clicked is 'Searches among them whose best clicked position is this one, within seven days.';
comment on column analytics.click_through_positions.shown_all is 'Like shown, but including robots.';
comment on column analytics.click_through_positions.clicked_all is 'Like clicked, but including robots.';

create view analytics.clicks with (security_barrier=true) as
 SELECT c.project_id,
    p.project,
    c.received_at AS at,
    c.search_id,
    split_part(split_part(c.raw_path, '?'::text, 1), '#'::text, 1) AS path,
    c.clicked_rank AS "position",
    c.clicked_url AS url,
    ( SELECT pathmend.shown_score(((s.results -> (LEAST(c.clicked_rank, 1000::bigint) - 1)::integer) ->> 'score'::text)::double precision) AS shown_score
           FROM pathmend.searches s
          WHERE s.project_id = c.project_id AND s.search_id = c.search_id AND NOT s.is_test AND (s.searched_at AT TIME ZONE 'UTC'::text)::date >= ((c.received_at AT TIME ZONE 'UTC'::text)::date - 7) AND (s.searched_at AT TIME ZONE 'UTC'::text)::date <= (c.received_at AT TIME ZONE 'UTC'::text)::date
         LIMIT 1) AS score,
    (c.received_at AT TIME ZONE 'UTC'::text)::date AS day,
    c.occurred_at
   FROM pathmend.clicks c
     JOIN analytics.accessible_projects p ON p.project_id = c.project_id
  WHERE NOT c.is_test;
comment on view analytics.clicks is 'Every stored click on a result, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.clicks.project_id is 'Id of the project.';
comment on column analytics.clicks.project is 'Name of the project.';
comment on column analytics.clicks.at is 'When the click arrived.';
comment on column analytics.clicks.search_id is 'The search whose result was clicked.';
comment on column analytics.clicks.path is 'Path or question that was searched for, without query string and fragment, as the click has it.';
comment on column analytics.clicks."position" is 'Place of the result, from 1 on.';
comment on column analytics.clicks.url is 'The url that was clicked, as the click has it.';
comment on column analytics.clicks.score is 'Score of the result at this position; null: the search is unknown or older than seven days, or has fewer results.';
comment on column analytics.clicks.day is 'UTC day on which the click arrived.';
comment on column analytics.clicks.occurred_at is 'Time of the click as its sender gave it; else of its arrival.';

create view analytics.content_gaps with (security_barrier=true) as
 SELECT project_id,
    project,
    topic,
    count(*) AS paths,
    sum(people)::bigint AS people,
    sum(lost)::bigint AS not_recovered,
    (array_agg(path ORDER BY lost DESC, path))[1:5] AS examples,
    (array_agg(best_url ORDER BY best_score DESC NULLS LAST, best_url))[1] AS nearest_page,
    max(best_score)::numeric(5,4) AS nearest_score,
    min(first_seen) AS first_seen,
    max(last_seen) AS last_seen
   FROM ( SELECT p.project_id,
            p.project,
            m.path,
            m.topic,
            m.people,
            m.lost,
            m.first_seen,
            m.last_seen,
            m.best_url,
            m.best_score
           FROM analytics.accessible_projects p
             CROSS JOIN LATERAL ( SELECT m_1.path,
                    translate(lower("substring"(m_1.path, '/([^/]*[^0-9/._-]{3}[^/]*)/'::text)), '-_+'::text, '   '::text) AS topic,
                    m_1.people + m_1.unknown AS people,
                    m_1.suggested + m_1.nothing AS lost,
                    m_1.first_seen,
                    m_1.last_human AS last_seen,
                    m_1.best_url,
                    m_1.best_score
                   FROM pathmend.missing_paths m_1
                  WHERE m_1.project_id = p.project_id AND (m_1.people + m_1.unknown) > 0 AND m_1.path_hash <> '\x'::bytea
                  ORDER BY (m_1.people + m_1.unknown) DESC, m_1.path_hash
                 LIMIT 2000) m
          WHERE m.lost::numeric > (m.people::numeric * 0.5) AND COALESCE(m.best_score, 0::double precision) < 0.5::double precision) g
  GROUP BY project_id, project, topic;
comment on view analytics.content_gaps is 'Content that people look for and the site does not have, by folder. Of the 2,000 paths with most people: those that are mostly not recovered and whose best suggestion is below 0.5. Without test keys.';
comment on column analytics.content_gaps.project_id is 'Id of the project.';
comment on column analytics.content_gaps.project is 'Name of the project.';
comment on column analytics.content_gaps.topic is 'Words of the first folder that is not a language, year or version; null: paths without such a folder.';
comment on column analytics.content_gaps.paths is 'Missing paths of the topic.';
comment on column analytics.content_gaps.people is '404s of people on these paths.';
comment on column analytics.content_gaps.not_recovered is '404s among them without a redirect or a click.';
comment on column analytics.content_gaps.examples is 'Up to five of the paths, most requested first.';
comment on column analytics.content_gaps.nearest_page is 'The best suggestion for any of these paths; null if there is none.';
comment on column analytics.content_gaps.nearest_score is 'Score of its latest suggestion.';
comment on column analytics.content_gaps.first_seen is 'The first 404 on any of these paths.';
comment on column analytics.content_gaps.last_seen is 'The latest 404 of a person.';

create view analytics.index_health with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    ( SELECT count(*) AS count
           FROM pathmend.pages g
          WHERE g.project_id = p.project_id) AS pages,
    ( SELECT count(*) AS count
           FROM pathmend.pages g
          WHERE g.project_id = p.project_id AND g.status = 'INDEXED'::text) AS indexed,
    ( SELECT count(*) AS count
           FROM pathmend.pages g
          WHERE g.project_id = p.project_id AND (g.status = ANY (ARRAY['PENDING_VECTORIZATION'::text, 'PROCESSING'::text]))) AS waiting,
    ( SELECT count(*) AS count
           FROM pathmend.pages g
          WHERE g.project_id = p.project_id AND g.status = 'ERROR'::text) AS failed,
    ( SELECT min(g.status_at) AS min
           FROM pathmend.pages g
          WHERE g.project_id = p.project_id AND (g.status = ANY (ARRAY['PENDING_VECTORIZATION'::text, 'PROCESSING'::text]))) AS waiting_since,
    ( SELECT x.indexed_at
           FROM pathmend.indexed_pages x
          WHERE x.project_id = p.project_id AND x.indexed_at IS NOT NULL
          ORDER BY x.arrival DESC
         LIMIT 1) AS last_indexed_at,
    v.version AS index_version,
    v.words,
    COALESCE(v.pages, 0::bigint) AS searchable
   FROM analytics.accessible_projects p
     LEFT JOIN pathmend.index_versions v ON v.project_id = p.project_id;
comment on view analytics.index_health is 'Pages of a project by status.';
comment on column analytics.index_health.project_id is 'Id of the project.';
comment on column analytics.index_health.project is 'Name of the project.';
comment on column analytics.index_health.pages is 'All pages.';
comment on column analytics.index_health.indexed is 'Pages whose latest content searches can find.';
comment on column analytics.index_health.waiting is 'Pages that wait or are being indexed. Searches still find their previous content.';
comment on column analytics.index_health.failed is 'Pages in ERROR.';
comment on column analytics.index_health.waiting_since is 'When the oldest of these began to wait; null if there is none.';
comment on column analytics.index_health.last_indexed_at is 'When the newest page was indexed; null if there is none.';
comment on column analytics.index_health.index_version is 'Grows with every change of the index.';
comment on column analytics.index_health.words is 'Distinct words of the pages.';
comment on column analytics.index_health.searchable is 'Pages that searches can find, with their previous content where the latest waits.';

create view analytics.judged_daily with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    d.day,
    d.visitor,
    COALESCE(sum(d.redirected) FILTER (WHERE j.is_right), 0::numeric)::bigint AS redirected_right,
    COALESCE(sum(d.redirected) FILTER (WHERE NOT j.is_right AND d.day <= j.day), 0::numeric)::bigint AS redirected_wrong
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT DISTINCT ON (j_1.path_hash) j_1.path_hash,
            j_1.is_right,
            (j_1.judged_at AT TIME ZONE 'UTC'::text)::date AS day
           FROM pathmend.judgements j_1
          WHERE j_1.project_id = p.project_id AND j_1.is_right IS NOT NULL AND j_1.path_hash IS NOT NULL
          ORDER BY j_1.path_hash, j_1.judged_at DESC) j
     CROSS JOIN LATERAL ( SELECT d_1.day,
            d_1.visitor,
            d_1.redirected
           FROM pathmend.path_days d_1
          WHERE d_1.project_id = p.project_id AND d_1.path_hash = j.path_hash
         OFFSET 0) d
  GROUP BY p.project_id, p.project, d.day, d.visitor;
comment on view analytics.judged_daily is 'Redirects of judged paths, by UTC day and kind of visitor: which are known to be right or wrong. Without test keys.';
comment on column analytics.judged_daily.project_id is 'Id of the project.';
comment on column analytics.judged_daily.project is 'Name of the project.';
comment on column analytics.judged_daily.day is 'UTC day of the 404s.';
comment on column analytics.judged_daily.visitor is 'person, unknown (no user agent), assistant, search_engine, scanner or robot. Add up person and unknown for people.';
comment on column analytics.judged_daily.redirected_right is '404s that were redirected, of paths whose latest judgement is right.';
comment on column analytics.judged_daily.redirected_wrong is '404s that were redirected up to the day on which the latest judgement of the path is wrong.';

create view analytics.latency_buckets with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    d.day,
    d.kind,
    power(10::double precision, (d.bucket + 1)::double precision / 20.0::double precision) AS up_to_ms,
    d.searches - d.others AS searches,
    d.searches AS searches_all
   FROM analytics.accessible_projects p
     JOIN pathmend.latency_days d ON d.project_id = p.project_id;
comment on view analytics.latency_buckets is 'How many searches took how long inside pathmend, by UTC day and kind: for percentiles of several days. Bounds are an eighth apart. Without test keys.';
comment on column analytics.latency_buckets.project_id is 'Id of the project.';
comment on column analytics.latency_buckets.project is 'Name of the project.';
comment on column analytics.latency_buckets.day is 'UTC day of the search.';
comment on column analytics.latency_buckets.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.latency_buckets.up_to_ms is 'Upper bound of the duration, in milliseconds; the lower one is that of the bucket before.';
comment on column analytics.latency_buckets.searches is 'Searches of people, with cached ones.';
comment on column analytics.latency_buckets.searches_all is 'Like searches, but including robots.';

create view analytics.latency_daily with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    l.day,
    l.kind,
    sum(l.searches - l.others)::bigint AS searches,
    round(pathmend.percentile_ms(0.50::double precision, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) AS p50_ms,
    round(pathmend.percentile_ms(0.95::double precision, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) AS p95_ms,
    round(pathmend.percentile_ms(0.99::double precision, array_agg(l.bound), array_agg(l.searches - l.others))::numeric, 2) AS p99_ms,
    sum(l.searches)::bigint AS searches_all,
    round(pathmend.percentile_ms(0.50::double precision, array_agg(l.bound), array_agg(l.searches))::numeric, 2) AS p50_ms_all,
    round(pathmend.percentile_ms(0.95::double precision, array_agg(l.bound), array_agg(l.searches))::numeric, 2) AS p95_ms_all,
    round(pathmend.percentile_ms(0.99::double precision, array_agg(l.bound), array_agg(l.searches))::numeric, 2) AS p99_ms_all
   FROM analytics.accessible_projects p
     JOIN ( SELECT d.project_id,
            d.day,
            d.kind,
            d.bucket,
            d.searches,
            d.others,
            power(10::double precision, (d.bucket + 1)::double precision / 20.0::double precision) AS bound
           FROM pathmend.latency_days d) l ON l.project_id = p.project_id
  GROUP BY p.project_id, p.project, l.day, l.kind;
comment on view analytics.latency_daily is 'Duration of searches inside pathmend, by UTC day and kind. Percentiles are upper bounds, at most an eighth too high. Without test keys.';
comment on column analytics.latency_daily.project_id is 'Id of the project.';
comment on column analytics.latency_daily.project is 'Name of the project.';
comment on column analytics.latency_daily.day is 'UTC day of the search.';
comment on column analytics.latency_daily.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.latency_daily.searches is 'Searches of people, with cached ones.';
comment on column analytics.latency_daily.p50_ms is 'Median duration, in milliseconds.';
comment on column analytics.latency_daily.p95_ms is '95th percentile, in milliseconds.';
comment on column analytics.latency_daily.p99_ms is '99th percentile, in milliseconds.';
comment on column analytics.latency_daily.searches_all is 'Like searches, but including robots.';
comment on column analytics.latency_daily.p50_ms_all is 'Like p50_ms, for the searches of all visitors.';
comment on column analytics.latency_daily.p95_ms_all is 'Like p95_ms, for the searches of all visitors.';
comment on column analytics.latency_daily.p99_ms_all is 'Like p99_ms, for the searches of all visitors.';

create view analytics.missing_paths with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    m.path,
    m.people + m.unknown AS people,
    m.assistants,
    m.search_engines,
    m.robots + m.scanners AS robots,
    m.first_seen,
    m.last_seen,
    m.last_human AS last_seen_by_people,
        CASE GREATEST(m.redirected, m.clicked, m.suggested, m.nothing, m.gone, m.unlinked)
            WHEN 0 THEN 'robot'::text
            WHEN m.redirected THEN 'redirected'::text
            WHEN m.clicked THEN 'clicked'::text
            WHEN m.suggested THEN 'suggested'::text
            WHEN m.nothing THEN 'nothing'::text
            WHEN m.gone THEN 'gone'::text
            ELSE 'unlinked'::text
        END AS outcome,
    m.redirected,
    m.clicked,
    m.suggested,
    m.nothing,
    m.gone,
    m.unlinked,
    m.best_url AS best_suggestion,
    m.best_score::numeric(5,4) AS best_score,
    m.best_at AS best_suggested_at,
    m.redirected + m.clicked AS recovered,
    m.path_hash,
    m.best_page_id
   FROM analytics.accessible_projects p
     JOIN pathmend.missing_paths m ON m.project_id = p.project_id;
comment on view analytics.missing_paths is 'Missing paths with all of their stored 404s. Without test keys.';
comment on column analytics.missing_paths.project_id is 'Id of the project.';
comment on column analytics.missing_paths.project is 'Name of the project.';
comment on column analytics.missing_paths.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.missing_paths.people is '404s of people, and of visitors without a user agent.';
comment on column analytics.missing_paths.assistants is '404s of assistants that fetch a page for a person, such as ChatGPT-User.';
comment on column analytics.missing_paths.search_engines is '404s of search engines.';
comment on column analytics.missing_paths.robots is '404s of other robots and of scanners.';
comment on column analytics.missing_paths.first_seen is 'The first 404, by any visitor.';
comment on column analytics.missing_paths.last_seen is 'The latest 404, by any visitor.';
comment on column analytics.missing_paths.last_seen_by_people is 'The latest 404 that the column people counts; null if there is none.';
comment on column analytics.missing_paths.outcome is 'The most frequent outcome for people: redirected, clicked, suggested (no click), nothing (no suggestion), gone, unlinked (unknown); robot: no person came.';
comment on column analytics.missing_paths.redirected is '404s of people that were redirected.';
comment on column analytics.missing_paths.clicked is '404s of people who clicked a suggestion.';
comment on column analytics.missing_paths.suggested is '404s of people who were shown suggestions and clicked none.';
comment on column analytics.missing_paths.nothing is '404s of people without a suggestion.';
comment on column analytics.missing_paths.gone is '404s of people on a path that is gone for good.';
comment on column analytics.missing_paths.unlinked is '404s of people whose outcome is unknown.';
comment on column analytics.missing_paths.best_suggestion is 'The first suggestion of the latest search with a result.';
comment on column analytics.missing_paths.best_score is 'Its score in that search, 0 to 1; suggest may answer differently now.';
comment on column analytics.missing_paths.best_suggested_at is 'When best_suggestion was the answer; null: there is none.';
comment on column analytics.missing_paths.recovered is '404s of people that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.missing_paths.path_hash is 'SHA-256 of the path, by which other views are joined fastest. Empty: of (other).';
comment on column analytics.missing_paths.best_page_id is 'Id of the page of best_suggestion, which may be deleted by now; null as best_suggestion.';

create view analytics.not_founds with (security_barrier=true) as
 SELECT n.project_id,
    p.project,
    n.received_at AS at,
    COALESCE(pathmend.host_of(n.origin), pathmend.host_of(n.raw_path), split_part(n.host, ':'::text, 1)) AS host,
    x.path,
    pathmend.section_of(x.path) AS section,
        CASE
            WHEN x.path ~* '^/*(?:[^/]*/)?(?:[a-z]{2}|fil)(?:[-_/]|$)'::text THEN pathmend.language_of(x.path)
            ELSE NULL::text
        END AS language,
    NULLIF(n.referrer, ''::text) AS referrer,
        CASE
            WHEN COALESCE(n.referrer, ''::text) = ''::text THEN 'none'::text
            ELSE ( SELECT
                    CASE
                        WHEN n.referrer ~~ '/%'::text OR r.host = pathmend.host_of(n.origin) OR (r.host = ANY (h.hosts)) THEN 'own'::text
                        ELSE COALESCE(pathmend.referrer_kind(r.host), 'other'::text)
                    END AS "coalesce"
               FROM ( SELECT pathmend.host_of(n.referrer) AS host
                     OFFSET 0) r)
        END AS referrer_kind,
        CASE
            WHEN n.raw_path ~~ '%utm\_source=%'::text THEN pathmend.parameter_of(n.raw_path, 'utm_source'::text)
            ELSE NULL::text
        END AS utm_source,
        CASE
            WHEN n.raw_path ~~ '%utm\_medium=%'::text THEN pathmend.parameter_of(n.raw_path, 'utm_medium'::text)
            ELSE NULL::text
        END AS utm_medium,
        CASE
            WHEN n.raw_path ~~ '%utm\_campaign=%'::text THEN pathmend.parameter_of(n.raw_path, 'utm_campaign'::text)
            ELSE NULL::text
        END AS utm_campaign,
    n.visitor <> ALL (ARRAY['person'::text, 'unknown'::text]) AS is_robot,
    n.outcome,
    ( SELECT COALESCE(s.led_to, (s.results -> 0) ->> 'url'::text) AS "coalesce"
           FROM pathmend.searches s
          WHERE s.project_id = n.project_id AND s.search_id = n.search_id AND (s.searched_at AT TIME ZONE 'UTC'::text)::date >= ((n.received_at AT TIME ZONE 'UTC'::text)::date - 8) AND (s.searched_at AT TIME ZONE 'UTC'::text)::date <= ((n.received_at AT TIME ZONE 'UTC'::text)::date + 8)
         LIMIT 1) AS answered_url,
    ( SELECT
                CASE
                    WHEN s.led_to IS NULL THEN pathmend.shown_score(s.best_score)
                    ELSE NULL::numeric
                END AS "case"
           FROM pathmend.searches s
          WHERE s.project_id = n.project_id AND s.search_id = n.search_id AND (s.searched_at AT TIME ZONE 'UTC'::text)::date >= ((n.received_at AT TIME ZONE 'UTC'::text)::date - 8) AND (s.searched_at AT TIME ZONE 'UTC'::text)::date <= ((n.received_at AT TIME ZONE 'UTC'::text)::date + 8)
         LIMIT 1) AS score,
    k.name AS key_name,
    (n.received_at AT TIME ZONE 'UTC'::text)::date AS day,
    n.visitor,
    n.search_id
   FROM analytics.accessible_projects p
     LEFT JOIN LATERAL ( SELECT pathmend.hosts_of(p.project_id) AS hosts
         OFFSET 0) h ON true
     JOIN pathmend.not_founds n ON n.project_id = p.project_id
     LEFT JOIN pathmend.api_keys k ON k.project_id = n.project_id AND k.key_id = n.key_id
     CROSS JOIN LATERAL ( SELECT split_part(split_part(
                CASE
                    WHEN n.raw_path ~~ 'http%'::text THEN regexp_replace(n.raw_path, '^https?://[^/?#]+'::text, ''::text, 'i'::text)
                    ELSE n.raw_path
                END, '?'::text, 1), '#'::text, 1) AS path) x
  WHERE NOT n.is_test;
comment on view analytics.not_founds is 'Every stored 404, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.not_founds.project_id is 'Id of the project.';
comment on column analytics.not_founds.project is 'Name of the project.';
comment on column analytics.not_founds.at is 'Time of the 404; if its sender gave none, of its arrival.';
comment on column analytics.not_founds.host is 'Host that the visitor asked for, without port; null: neither origin nor X-Original-Host named it.';
comment on column analytics.not_founds.path is 'Path without query string and fragment.';
comment on column analytics.not_founds.section is 'First folder of the path that is not a language, year or version; null: it has none.';
comment on column analytics.not_founds.language is 'Language that the first or second folder of the path names, as en of /en-us/; null: neither does.';
comment on column analytics.not_founds.referrer is 'Url of the page that led there, as it was sent; null: none.';
comment on column analytics.not_founds.referrer_kind is 'own (the host of the 404, or of a page of the project), search_engine, social, other, or none.';
comment on column analytics.not_founds.utm_source is 'Parameter utm_source of the dead url, decoded; null: none.';
comment on column analytics.not_founds.utm_medium is 'Parameter utm_medium of the dead url, decoded; null: none.';
comment on column analytics.not_founds.utm_campaign is 'Parameter utm_campaign of the dead url, decoded; null: none.';
comment on column analytics.not_founds.is_robot is 'Whether the visitor is no person: a robot, scanner, search engine or assistant. Unknown visitors count as people.';
comment on column analytics.not_founds.outcome is 'redirected, clicked, suggested (no click), nothing (no suggestion), gone, unlinked (unknown), or robot: of robots and scanners, whatever was answered.';
comment on column analytics.not_founds.answered_url is 'Where the answer of its search leads: the path of the first suggestion, or a full url if it led elsewhere; null: there is no search, or no answer.';
comment on column analytics.not_founds.score is 'Score of answered_url, if it is the first suggestion; else null.';
comment on column analytics.not_founds.key_name is 'Name of the API key that reported it; null: the key has no name, or the row is of a log.';
comment on column analytics.not_founds.day is 'UTC day of the 404.';
comment on column analytics.not_founds.visitor is 'person, assistant, search_engine, scanner, robot, or unknown: no user agent.';
comment on column analytics.not_founds.search_id is 'The search that answered it; null: it names none.';

create view analytics.not_founds_daily with (security_barrier=true) as
 SELECT n.project_id,
    p.project,
    (n.received_at AT TIME ZONE 'UTC'::text)::date AS day,
    split_part(split_part(n.raw_path, '?'::text, 1), '#'::text, 1) AS path,
    count(*) FILTER (WHERE n.visitor = ANY (ARRAY['person'::text, 'unknown'::text])) AS hits,
    count(DISTINCT n.visitor_ip) FILTER (WHERE n.visitor = ANY (ARRAY['person'::text, 'unknown'::text])) AS visitor_ips,
    max(n.received_at) AS last_seen,
    mode() WITHIN GROUP (ORDER BY n.referrer) FILTER (WHERE n.visitor = ANY (ARRAY['person'::text, 'unknown'::text])) AS top_referrer,
    count(*) FILTER (WHERE n.visitor <> ALL (ARRAY['person'::text, 'unknown'::text])) AS robot_hits
   FROM pathmend.not_founds n
     JOIN analytics.accessible_projects p ON p.project_id = n.project_id
  WHERE NOT n.is_test
  GROUP BY n.project_id, p.project, ((n.received_at AT TIME ZONE 'UTC'::text)::date), (split_part(split_part(n.raw_path, '?'::text, 1), '#'::text, 1));
comment on view analytics.not_founds_daily is '404s by project, path (without query string) and UTC day. It reads each 404, so always filter by day. Without test keys.';
comment on column analytics.not_founds_daily.project_id is 'Id of the project.';
comment on column analytics.not_founds_daily.project is 'Name of the project.';
comment on column analytics.not_founds_daily.day is 'UTC day of the 404.';
comment on column analytics.not_founds_daily.path is 'Path without query string and fragment.';
comment on column analytics.not_founds_daily.hits is '404s of people, and of visitors without a user agent.';
comment on column analytics.not_founds_daily.visitor_ips is 'Number of distinct addresses, as EVENT_IP_MODE stores them.';
comment on column analytics.not_founds_daily.last_seen is 'The latest 404, by any visitor.';
comment on column analytics.not_founds_daily.top_referrer is 'The most frequent referrer of people.';
comment on column analytics.not_founds_daily.robot_hits is '404s of all others: robots, scanners, search engines, assistants. Of the other columns, only last_seen includes them.';

create view analytics.not_kept_daily with (security_barrier=true) as
 SELECT h.project_id,
    p.project,
    h.day,
    h.what,
    h.stored,
    h.not_kept
   FROM pathmend.history_days h
     JOIN analytics.accessible_projects p ON p.project_id = h.project_id
  WHERE h.not_kept > 0;
comment on view analytics.not_kept_daily is 'Days on which a project''s searches or events exceeded HISTORY_MB_PER_DAY. The excess was counted, not stored. With test keys.';
comment on column analytics.not_kept_daily.project_id is 'Id of the project.';
comment on column analytics.not_kept_daily.project is 'Name of the project.';
comment on column analytics.not_kept_daily.day is 'UTC day.';
comment on column analytics.not_kept_daily.what is 'searches or events.';
comment on column analytics.not_kept_daily.stored is 'Number stored.';
comment on column analytics.not_kept_daily.not_kept is 'Number counted but not stored.';

create view analytics.page_vectors with (security_barrier=true) as
 SELECT g.project_id,
    p.project,
    g.url,
    m.name AS model,
    v.vector
   FROM pathmend.pages g
     JOIN analytics.accessible_projects p ON p.project_id = g.project_id
     JOIN pathmend.projects t ON t.project_id = g.project_id
     JOIN pathmend.models m ON m.model_id = t.model_id
     CROSS JOIN LATERAL ( SELECT l2_normalize(avg(s.embedding::vector)) AS vector
           FROM pathmend.chunks s
          WHERE s.project_id = g.project_id AND s.page_id = g.page_id AND s.model_id = t.model_id AND s.ordinal >= 0
         HAVING count(*) > 0) v;
comment on view analytics.page_vectors is 'One vector of each page that has vectors, by the model that answers its project. Of pgvector''s type vector: <=> is the cosine distance of two.';
comment on column analytics.page_vectors.project_id is 'Id of the project.';
comment on column analytics.page_vectors.project is 'Name of the project.';
comment on column analytics.page_vectors.url is 'Full url of the page, as in pages.';
comment on column analytics.page_vectors.model is 'Name of the model; vectors of two models cannot be compared.';
comment on column analytics.page_vectors.vector is 'The mean of the vectors of the page''s chunks, of length 1.';

create view analytics.pages with (security_barrier=true) as
 SELECT g.project_id,
    p.project,
    g.url,
    COALESCE("substring"(split_part(g.url, '#'::text, 1), '^[^:]+://[^/?]*(.+)$'::text), '/'::text) AS path,
    pathmend.section_of("substring"(g.url, '^[^:]+://[^/?]*([^?#]*)'::text)) AS section,
    g.title,
    COALESCE(lower("substring"(COALESCE(g.metadata ->> 'lang'::text, g.metadata ->> 'language'::text), '^\s*([A-Za-z]{2,3})(?:[-_]|\s*$)'::text)), pathmend.language_of("substring"(g.url, '^[^:]+://[^/?]*([^?#]*)'::text))) AS language,
    g.status,
        CASE
            WHEN i.understood THEN m.name
            ELSE NULL::text
        END AS model,
    i.indexed_at,
    regexp_count(g.content, '\S+'::text) AS words,
    g.metadata,
    g.created_at AS first_seen,
    g.updated_at
   FROM pathmend.pages g
     JOIN analytics.accessible_projects p ON p.project_id = g.project_id
     JOIN pathmend.projects t ON t.project_id = g.project_id
     LEFT JOIN pathmend.indexed_pages i ON i.project_id = g.project_id AND i.page_id = g.page_id
     LEFT JOIN pathmend.models m ON m.model_id = t.model_id;
comment on view analytics.pages is 'The pages of a project, of every status.';
comment on column analytics.pages.project_id is 'Id of the project.';
comment on column analytics.pages.project is 'Name of the project.';
comment on column analytics.pages.url is 'Full url of the page, normalized.';
comment on column analytics.pages.path is 'Path with query string, as suggestions have it.';
comment on column analytics.pages.section is 'First folder of the path that is not a language, year or version; null: it has none.';
comment on column analytics.pages.title is 'Title; null: none.';
comment on column analytics.pages.language is 'Language in the metadata (lang or language), else in the first or second folder of the path; null: neither names one.';
comment on column analytics.pages.status is 'PENDING_VECTORIZATION, PROCESSING, INDEXED or ERROR.';
comment on column analytics.pages.model is 'Name of the model of its vectors; null: it has none.';
comment on column analytics.pages.indexed_at is 'When its vectors were stored; null: it has none, or of its beginning alone.';
comment on column analytics.pages.words is 'Words of the content: what stands between spaces.';
comment on column analytics.pages.metadata is 'Metadata as they were pushed; null: none.';
comment on column analytics.pages.first_seen is 'When the page came.';
comment on column analytics.pages.updated_at is 'When its content, title or metadata were last pushed with a change.';

create view analytics.plan_usage with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    h.day,
    r.plan,
    r.read_rate,
    COALESCE(sum(h.stored + h.not_kept) FILTER (WHERE h.what = 'searches'::text), 0::numeric)::bigint AS searches,
    COALESCE(sum(h.stored + h.not_kept) FILTER (WHERE h.what = 'events'::text), 0::numeric)::bigint AS events,
    round(sum(h.stored + h.not_kept) / NULLIF(r.read_rate::numeric * 86400::numeric, 0::numeric), 6) AS share_of_plan,
    COALESCE(sum(h.bytes) FILTER (WHERE h.what = 'searches'::text), 0::numeric)::bigint AS search_bytes,
    COALESCE(sum(h.bytes) FILTER (WHERE h.what = 'events'::text), 0::numeric)::bigint AS event_bytes,
    sum(h.not_kept)::bigint AS not_kept
   FROM analytics.accessible_projects p
     JOIN pathmend.projects r ON r.project_id = p.project_id
     JOIN pathmend.history_days h ON h.project_id = p.project_id
  GROUP BY p.project_id, p.project, h.day, r.plan, r.read_rate;
comment on view analytics.plan_usage is 'Searches and events by UTC day, with the limits of the plan. With test keys.';
comment on column analytics.plan_usage.project_id is 'Id of the project.';
comment on column analytics.plan_usage.project is 'Name of the project.';
comment on column analytics.plan_usage.day is 'UTC day.';
comment on column analytics.plan_usage.plan is 'The present plan; null if there is none.';
comment on column analytics.plan_usage.read_rate is 'Reads per second that the present plan allows.';
comment on column analytics.plan_usage.searches is 'Searches received, without retrieves.';
comment on column analytics.plan_usage.events is 'Events received: clicks and 404s.';
comment on column analytics.plan_usage.share_of_plan is 'Searches and events as a share of the reads that the plan allows in a day.';
comment on column analytics.plan_usage.search_bytes is 'Bytes of the searches; HISTORY_MB_PER_DAY limits them.';
comment on column analytics.plan_usage.event_bytes is 'Bytes of the events; HISTORY_MB_PER_DAY limits them.';
comment on column analytics.plan_usage.not_kept is 'Searches and events beyond HISTORY_MB_PER_DAY: counted, not stored.';

create view analytics.recovery_by_path_all with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    x.day,
    x.path,
    x.visitor,
    x.hits,
    x.recovered,
    x.redirected,
    x.clicked,
    x.suggested,
    x.nothing,
    x.gone,
    x.unlinked,
    x.last_seen,
    x.confirmed,
    x.contradicted,
    x.path_hash
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT d.day,
            m.path,
            d.visitor,
            d.hits,
            d.redirected + d.clicked AS recovered,
            d.redirected,
            d.clicked,
            d.suggested,
            d.nothing,
            d.gone,
            d.unlinked,
            d.last_seen,
            d.clicked +
                CASE
                    WHEN j.is_right THEN d.redirected
                    ELSE 0::bigint
                END AS confirmed,
                CASE
                    WHEN NOT j.is_right AND d.day <= j.day THEN d.redirected
                    ELSE 0::bigint
                END AS contradicted,
            d.path_hash
           FROM pathmend.path_days d
             LEFT JOIN pathmend.missing_paths m ON m.project_id = p.project_id AND m.path_hash = d.path_hash
             LEFT JOIN ( SELECT DISTINCT ON (j_1.path_hash) j_1.path_hash,
                    j_1.is_right,
                    (j_1.judged_at AT TIME ZONE 'UTC'::text)::date AS day
                   FROM pathmend.judgements j_1
                  WHERE j_1.project_id = p.project_id AND j_1.is_right IS NOT NULL AND j_1.path_hash IS NOT NULL
                  ORDER BY j_1.path_hash, j_1.judged_at DESC) j ON j.path_hash = d.path_hash
          WHERE d.project_id = p.project_id) x;
comment on view analytics.recovery_by_path_all is 'Outcomes of 404s, by UTC day, path and kind of visitor, with robots. 5,000 paths a day have rows of their own. Without test keys.';
comment on column analytics.recovery_by_path_all.project_id is 'Id of the project.';
comment on column analytics.recovery_by_path_all.project is 'Name of the project.';
comment on column analytics.recovery_by_path_all.day is 'UTC day of the 404.';
comment on column analytics.recovery_by_path_all.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.recovery_by_path_all.visitor is 'Same values as in recovery_daily_all.';
comment on column analytics.recovery_by_path_all.hits is '404s. The outcome columns leave out robots and scanners.';
comment on column analytics.recovery_by_path_all.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path_all.redirected is '404s that were redirected.';
comment on column analytics.recovery_by_path_all.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path_all.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_by_path_all.nothing is '404s without a suggestion.';
comment on column analytics.recovery_by_path_all.gone is '404s on a path that is gone for good.';
comment on column analytics.recovery_by_path_all.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_by_path_all.last_seen is 'The latest 404.';
comment on column analytics.recovery_by_path_all.confirmed is '404s recovered for sure: with a click, or redirected where the latest judgement of the path is right. The other redirects are not known.';
comment on column analytics.recovery_by_path_all.contradicted is '404s that were redirected up to the day on which the latest judgement of the path is wrong.';
comment on column analytics.recovery_by_path_all.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';

create view analytics.recovery_by_path with (security_barrier=true) as
 SELECT project_id,
    project,
    day,
    path,
    visitor,
    hits,
    recovered,
    redirected,
    clicked,
    suggested,
    nothing,
    gone,
    unlinked,
    last_seen,
    confirmed,
    contradicted,
    path_hash
   FROM analytics.recovery_by_path_all a
  WHERE visitor = ANY (ARRAY['person'::text, 'unknown'::text]);
comment on view analytics.recovery_by_path is 'Outcomes of 404s of people, by UTC day and path. recovery_by_path_all has all visitors. 5,000 paths a day have rows of their own. Without test keys.';
comment on column analytics.recovery_by_path.project_id is 'Id of the project.';
comment on column analytics.recovery_by_path.project is 'Name of the project.';
comment on column analytics.recovery_by_path.day is 'UTC day of the 404.';
comment on column analytics.recovery_by_path.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.recovery_by_path.visitor is 'Same values as in recovery_daily.';
comment on column analytics.recovery_by_path.hits is '404s of people.';
comment on column analytics.recovery_by_path.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path.redirected is '404s that were redirected.';
comment on column analytics.recovery_by_path.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_by_path.nothing is '404s without a suggestion.';
comment on column analytics.recovery_by_path.gone is '404s on a path that is gone for good.';
comment on column analytics.recovery_by_path.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_by_path.last_seen is 'The latest 404.';
comment on column analytics.recovery_by_path.confirmed is '404s recovered for sure: with a click, or redirected where the latest judgement of the path is right. The other redirects are not known.';
comment on column analytics.recovery_by_path.contradicted is '404s that were redirected up to the day on which the latest judgement of the path is wrong.';
comment on column analytics.recovery_by_path.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';

create view analytics.recovery_daily_all with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    x.day,
    x.origin,
    x.visitor,
    x.hits,
    x.recovered,
    x.redirected,
    x.clicked,
    x.suggested,
    x.nothing,
    x.gone,
    x.unlinked,
    x.confirmed,
    x.contradicted
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT d.day,
            NULLIF(d.origin, ''::text) AS origin,
            d.visitor,
            sum(d.hits)::bigint AS hits,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = ANY (ARRAY['redirected'::text, 'clicked'::text])), 0::numeric)::bigint AS recovered,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'redirected'::text), 0::numeric)::bigint AS redirected,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'clicked'::text), 0::numeric)::bigint AS clicked,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'suggested'::text), 0::numeric)::bigint AS suggested,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'nothing'::text), 0::numeric)::bigint AS nothing,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'gone'::text), 0::numeric)::bigint AS gone,
            COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'unlinked'::text), 0::numeric)::bigint AS unlinked,
            (COALESCE(sum(d.hits) FILTER (WHERE d.outcome = 'clicked'::text), 0::numeric) +
                CASE
                    WHEN COALESCE(min(j.confirmed), 0::numeric) = 0::numeric OR sum(d.hits) FILTER (WHERE d.outcome = 'redirected'::text) IS NULL THEN 0::numeric
                    WHEN count(sum(d.hits) FILTER (WHERE d.outcome = 'redirected'::text)) OVER origins = 1 THEN min(j.confirmed)
                    ELSE NULL::numeric
                END)::bigint AS confirmed,
                CASE
                    WHEN COALESCE(min(j.contradicted), 0::numeric) = 0::numeric OR sum(d.hits) FILTER (WHERE d.outcome = 'redirected'::text) IS NULL THEN 0::numeric
                    WHEN count(sum(d.hits) FILTER (WHERE d.outcome = 'redirected'::text)) OVER origins = 1 THEN min(j.contradicted)
                    ELSE NULL::numeric
                END::bigint AS contradicted
           FROM pathmend.not_found_days d
             LEFT JOIN ( SELECT g.day,
                    g.visitor,
                    sum(g.redirected_right) AS confirmed,
                    sum(g.redirected_wrong) AS contradicted
                   FROM analytics.judged_daily g
                  WHERE g.project_id = p.project_id
                  GROUP BY g.day, g.visitor) j ON j.day = d.day AND j.visitor = d.visitor
          WHERE d.project_id = p.project_id
          GROUP BY d.day, (NULLIF(d.origin, ''::text)), d.visitor
          WINDOW origins AS (PARTITION BY d.day, d.visitor)) x;
comment on view analytics.recovery_daily_all is 'Outcomes of 404s, by UTC day, origin and kind of visitor, with robots. Without test keys.';
comment on column analytics.recovery_daily_all.project_id is 'Id of the project.';
comment on column analytics.recovery_daily_all.project is 'Name of the project.';
comment on column analytics.recovery_daily_all.day is 'UTC day of the 404.';
comment on column analytics.recovery_daily_all.origin is 'Scheme and host of the site; null if unknown; (other): sum of those beyond twenty origins a day.';
comment on column analytics.recovery_daily_all.visitor is 'person, unknown (no user agent), assistant, search_engine, scanner or robot. Add up person and unknown for people.';
comment on column analytics.recovery_daily_all.hits is '404s. The outcome columns leave out robots and scanners.';
comment on column analytics.recovery_daily_all.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily_all.redirected is '404s that were redirected.';
comment on column analytics.recovery_daily_all.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily_all.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_daily_all.nothing is '404s without a suggestion.';
comment on column analytics.recovery_daily_all.gone is '404s on paths that are gone for good.';
comment on column analytics.recovery_daily_all.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_daily_all.confirmed is '404s recovered for sure: as in recovery_by_path. Null: judged paths were redirected on a day on which several origins redirected.';
comment on column analytics.recovery_daily_all.contradicted is '404s that were redirected, wrongly: as in recovery_by_path. Null as confirmed.';

create view analytics.recovery_daily with (security_barrier=true) as
 SELECT project_id,
    project,
    day,
    origin,
    visitor,
    hits,
    recovered,
    redirected,
    clicked,
    suggested,
    nothing,
    gone,
    unlinked,
    confirmed,
    contradicted
   FROM analytics.recovery_daily_all a
  WHERE visitor = ANY (ARRAY['person'::text, 'unknown'::text]);
comment on view analytics.recovery_daily is 'Outcomes of 404s of people, by UTC day and origin. recovery_daily_all has all visitors. Without test keys.';
comment on column analytics.recovery_daily.project_id is 'Id of the project.';
comment on column analytics.recovery_daily.project is 'Name of the project.';
comment on column analytics.recovery_daily.day is 'UTC day of the 404.';
comment on column analytics.recovery_daily.origin is 'Scheme and host of the site; null if unknown; (other): sum of those beyond twenty origins a day.';
comment on column analytics.recovery_daily.visitor is 'person, or unknown (no user agent). Both count as people.';
comment on column analytics.recovery_daily.hits is '404s of people.';
comment on column analytics.recovery_daily.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily.redirected is '404s that were redirected.';
comment on column analytics.recovery_daily.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_daily.nothing is '404s without a suggestion.';
comment on column analytics.recovery_daily.gone is '404s on paths that are gone for good.';
comment on column analytics.recovery_daily.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_daily.confirmed is '404s recovered for sure: as in recovery_by_path. Null: judged paths were redirected on a day on which several origins redirected.';
comment on column analytics.recovery_daily.contradicted is '404s that were redirected, wrongly: as in recovery_by_path. Null as confirmed.';

create view analytics.redirect_effects with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    r.path,
    r.kind,
    r.target,
    r.added_at,
    COALESCE(r.hits_before, 0::numeric)::bigint AS hits_before,
    COALESCE(r.recovered_before, 0::numeric)::bigint AS recovered_before,
    COALESCE(r.hits_after, 0::numeric)::bigint AS hits_after,
    COALESCE(r.recovered_after, 0::numeric)::bigint AS recovered_after
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT r_1.path,
            'exact'::text AS kind,
            x.path AS target,
            r_1.made_at AS added_at,
            e.hits_before,
            e.recovered_before,
            e.hits_after,
            e.recovered_after
           FROM ( SELECT r_2.project_id,
                    r_2.rule_key,
                    r_2.host,
                    r_2.path,
                    r_2.spellings,
                    r_2.prefix,
                    r_2.pattern_start,
                    r_2.plain_key,
                    r_2.path_order,
                    r_2.folder_hash,
                    r_2.action,
                    r_2.code,
                    r_2.target,
                    r_2.target_key,
                    r_2.target_bare_key,
                    r_2.target_path,
                    r_2.target_host,
                    r_2.target_hash,
                    r_2.new_prefix,
                    r_2.pass_query,
                    r_2.valid_from,
                    r_2.valid_until,
                    r_2.origin,
                    r_2.made_by,
                    r_2.made_at,
                    r_2.confidence
                   FROM pathmend.rules r_2
                  WHERE r_2.project_id = p.project_id AND r_2.action = 'redirect'::text AND r_2.prefix IS NULL AND r_2.pattern_start IS NULL
                  ORDER BY r_2.made_at DESC, r_2.rule_key
                 LIMIT 500) r_1
             CROSS JOIN LATERAL ( SELECT t.page_id
                   FROM ( SELECT COALESCE(( SELECT p_2.page_id
                                   FROM pathmend.pages p_2
                                  WHERE p_2.project_id = r_1.project_id AND p_2.url_hash = r_1.target_hash), ( SELECT p_2.page_id
                                   FROM ( SELECT p_3.page_id,
    p_3.url,
    p_3.path_key
   FROM pathmend.pages p_3
  WHERE p_3.project_id = r_1.project_id AND (p_3.path_key = ANY (ARRAY[r_1.target_key, r_1.target_bare_key]))
 LIMIT 1000) p_2
                                  WHERE r_1.target_host IS NULL OR split_part(p_2.url, '/'::text, 3) = r_1.target_host
                                  ORDER BY (substr(p_2.url, length(split_part(p_2.url, '/'::text, 1)) + length(split_part(p_2.url, '/'::text, 3)) + 3) = r_1.target_path) DESC NULLS LAST, (p_2.path_key = r_1.target_key) DESC, p_2.page_id
                                 LIMIT 1)) AS page_id
                         OFFSET 0) t
                  WHERE t.page_id IS NOT NULL) p_1
             LEFT JOIN pathmend.indexed_pages x ON x.project_id = r_1.project_id AND x.page_id = p_1.page_id
             LEFT JOIN LATERAL ( SELECT sum(d.hits) FILTER (WHERE d.day < t.day) AS hits_before,
                    sum(d.redirected + d.clicked) FILTER (WHERE d.day < t.day) AS recovered_before,
                    sum(d.hits) FILTER (WHERE d.day > t.day) AS hits_after,
                    sum(d.redirected + d.clicked) FILTER (WHERE d.day > t.day) AS recovered_after
                   FROM ( SELECT (r_1.made_at AT TIME ZONE 'UTC'::text)::date AS day) t
                     JOIN pathmend.missing_paths m ON m.project_id = r_1.project_id AND m.plain_hash = COALESCE(r_1.plain_key, r_1.rule_key)
                     JOIN pathmend.path_days d ON d.project_id = m.project_id AND d.path_hash = m.path_hash AND d.day >= (t.day - 28) AND d.day <= (t.day + 28) AND (d.visitor = ANY (ARRAY['person'::text, 'unknown'::text]))) e ON true
        UNION ALL
         SELECT w.path,
                CASE
                    WHEN w.prefix ~~ '%#%'::text OR w.prefix IS NULL THEN 'pattern'::text
                    ELSE 'prefix'::text
                END AS "case",
            w.target,
            w.made_at,
            sum(d.hits) FILTER (WHERE d.day < w.day) AS sum,
            sum(d.redirected + d.clicked) FILTER (WHERE d.day < w.day) AS sum,
            sum(d.hits) FILTER (WHERE d.day > w.day) AS sum,
            sum(d.redirected + d.clicked) FILTER (WHERE d.day > w.day) AS sum
           FROM ( SELECT r_1.project_id,
                    r_1.rule_key,
                    r_1.host,
                    r_1.path,
                    r_1.spellings,
                    r_1.prefix,
                    r_1.pattern_start,
                    r_1.plain_key,
                    r_1.path_order,
                    r_1.folder_hash,
                    r_1.action,
                    r_1.code,
                    r_1.target,
                    r_1.target_key,
                    r_1.target_bare_key,
                    r_1.target_path,
                    r_1.target_host,
                    r_1.target_hash,
                    r_1.new_prefix,
                    r_1.pass_query,
                    r_1.valid_from,
                    r_1.valid_until,
                    r_1.origin,
                    r_1.made_by,
                    r_1.made_at,
                    r_1.confidence,
                    (r_1.made_at AT TIME ZONE 'UTC'::text)::date AS day
                   FROM pathmend.rules r_1
                  WHERE r_1.project_id = p.project_id AND r_1.action = 'redirect'::text AND (r_1.prefix IS NOT NULL OR r_1.pattern_start IS NOT NULL)
                  ORDER BY r_1.made_at DESC, r_1.rule_key
                 LIMIT 100) w
             LEFT JOIN ( SELECT m.path_hash,
                    c.rule_key
                   FROM ( SELECT m_1.path_hash,
                            m_1.plain_hash,
                            m_1.people + m_1.unknown AS people
                           FROM pathmend.missing_paths m_1
                          WHERE m_1.project_id = p.project_id AND (m_1.people + m_1.unknown) > 0 AND m_1.path_hash <> '\x'::bytea
                          ORDER BY (m_1.people + m_1.unknown) DESC, m_1.path_hash
                         LIMIT 5000) m
                     JOIN pathmend.path_rules c ON c.project_id = p.project_id AND c.path_hash = m.path_hash
                  WHERE NOT (EXISTS ( SELECT
                           FROM pathmend.rules v
                          WHERE v.project_id = p.project_id AND v.rule_key = m.plain_hash AND v.action = 'redirect'::text))
                  ORDER BY m.people DESC, m.path_hash
                 LIMIT 500) b ON b.rule_key = w.rule_key
             LEFT JOIN pathmend.path_days d ON d.project_id = w.project_id AND d.path_hash = b.path_hash AND d.day >= (w.day - 28) AND d.day <= (w.day + 28) AND (d.visitor = ANY (ARRAY['person'::text, 'unknown'::text]))
          GROUP BY w.rule_key, w.prefix, w.path, w.target, w.made_at) r;
comment on view analytics.redirect_effects is 'The latest 500 redirects of single paths and the latest 100 wildcards, with 404s of people in the four weeks before and after the day on which each was added. Without test keys.';
comment on column analytics.redirect_effects.project_id is 'Id of the project.';
comment on column analytics.redirect_effects.project is 'Name of the project.';
comment on column analytics.redirect_effects.path is 'The old path, as written in the rule; with a star: all paths below it.';
comment on column analytics.redirect_effects.kind is 'exact: one path; prefix: all paths below one; pattern: all paths below one in which a segment is any number, or of one shape, such as /p-:id.html. For prefix and pattern, the sums cover the 500 paths with most people, without paths that have their own redirect or a rule that comes first.';
comment on column analytics.redirect_effects.target is 'Path of the target page; null: not indexed. For prefix and pattern, the target as written in the rule.';
comment on column analytics.redirect_effects.added_at is 'When the rule got its present form. Importing it again does not change this.';
comment on column analytics.redirect_effects.hits_before is '404s of people on its paths before that day.';
comment on column analytics.redirect_effects.recovered_before is '404s among them that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.redirect_effects.hits_after is '404s of people on its paths after that day. Redirects that your web server answers do not appear here.';
comment on column analytics.redirect_effects.recovered_after is '404s among them that were redirected, or whose visitor clicked a suggestion.';

create view analytics.redirects_without_hits with (security_barrier=true) as
 SELECT a.project_id,
    a.project,
    r.path,
        CASE
            WHEN r.pattern_start IS NOT NULL OR r.prefix ~~ '%#%'::text THEN 'pattern'::text
            WHEN r.prefix IS NULL THEN 'exact'::text
            ELSE 'prefix'::text
        END AS kind,
    r.action,
    COALESCE(( SELECT x.path
           FROM ( SELECT COALESCE(( SELECT p.page_id
                           FROM pathmend.pages p
                          WHERE p.project_id = r.project_id AND p.url_hash = r.target_hash), ( SELECT p.page_id
                           FROM ( SELECT p_1.page_id,
                                    p_1.url,
                                    p_1.path_key
                                   FROM pathmend.pages p_1
                                  WHERE p_1.project_id = r.project_id AND (p_1.path_key = ANY (ARRAY[r.target_key, r.target_bare_key]))
                                 LIMIT 1000) p
                          WHERE r.target_host IS NULL OR split_part(p.url, '/'::text, 3) = r.target_host
                          ORDER BY (substr(p.url, length(split_part(p.url, '/'::text, 1)) + length(split_part(p.url, '/'::text, 3)) + 3) = r.target_path) DESC NULLS LAST, (p.path_key = r.target_key) DESC, p.page_id
                         LIMIT 1)) AS page_id
                 OFFSET 0) t
             JOIN pathmend.indexed_pages x ON x.project_id = r.project_id AND x.page_id = t.page_id
          WHERE r.prefix IS NULL), r.target) AS target,
    r.made_at AS added_at
   FROM analytics.accessible_projects a
     JOIN pathmend.rules r ON r.project_id = a.project_id AND r.action <> 'ignore'::text
  WHERE NOT (EXISTS ( SELECT
           FROM pathmend.rule_hits h
          WHERE h.project_id = r.project_id AND h.rule_key = r.rule_key));
comment on view analytics.redirects_without_hits is 'Redirects and gone paths that answered no search within the retention of events. pathmend does not see what your web server answers itself.';
comment on column analytics.redirects_without_hits.project_id is 'Id of the project.';
comment on column analytics.redirects_without_hits.project is 'Name of the project.';
comment on column analytics.redirects_without_hits.path is 'The old path, as written in the rule.';
comment on column analytics.redirects_without_hits.kind is 'exact: one path; prefix: all paths below one; pattern: all paths below one in which a segment is any number.';
comment on column analytics.redirects_without_hits.action is 'redirect or gone.';
comment on column analytics.redirects_without_hits.target is 'The target; null: gone, or the page is not indexed.';
comment on column analytics.redirects_without_hits.added_at is 'When the rule got its present form. Importing it again does not change this.';

create view analytics.redirects_worth_adding with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    m.path,
    m.best_url AS target,
    m.best_score::numeric(5,4) AS score,
    m.people + m.unknown AS people,
    m.not_redirected,
    round((m.not_redirected::double precision * m.best_score)::numeric, 1) AS gain,
    m.last_human AS last_seen,
    m.best_at AS suggested_at,
    ( SELECT COALESCE(sum(v.clicks), 0::numeric)::bigint AS "coalesce"
           FROM pathmend.learned_redirects v
          WHERE v.project_id = m.project_id AND v.old_path_hash = m.plain_hash AND v.page_id = m.best_page_id) AS clicks,
    ( SELECT COALESCE(sum(v.clicks), 0::numeric)::bigint AS "coalesce"
           FROM pathmend.learned_redirects v
          WHERE v.project_id = m.project_id AND v.old_path_hash = m.plain_hash) AS clicks_all
   FROM analytics.accessible_projects p
     CROSS JOIN LATERAL ( SELECT m_1.project_id,
            m_1.path_hash,
            m_1.path,
            m_1.plain_hash,
            m_1.people,
            m_1.unknown,
            m_1.assistants,
            m_1.search_engines,
            m_1.robots,
            m_1.scanners,
            m_1.redirected,
            m_1.clicked,
            m_1.suggested,
            m_1.nothing,
            m_1.gone,
            m_1.unlinked,
            m_1.first_seen,
            m_1.last_seen,
            m_1.last_human,
            m_1.best_page_id,
            m_1.best_url,
            m_1.best_score,
            m_1.best_at,
            m_1.forgotten,
            m_1.suggested + m_1.nothing + m_1.clicked + m_1.unlinked AS not_redirected
           FROM pathmend.missing_paths m_1
          WHERE m_1.project_id = p.project_id AND (m_1.people + m_1.unknown) > 0 AND m_1.path_hash <> '\x'::bytea
          ORDER BY (m_1.people + m_1.unknown) DESC, m_1.path_hash
         LIMIT 5000) m
  WHERE m.best_url IS NOT NULL AND m.not_redirected > 0 AND NOT ((EXISTS ( SELECT
           FROM pathmend.path_rules c
             JOIN pathmend.rules r ON r.project_id = c.project_id AND r.rule_key = c.rule_key
          WHERE c.project_id = p.project_id AND c.path_hash = m.path_hash AND (r.valid_from <= now()) IS NOT FALSE AND (r.valid_until > now()) IS NOT FALSE AND ((sha256(convert_to(r.prefix, 'UTF8'::name)) = m.plain_hash) IS NOT TRUE OR NOT (EXISTS ( SELECT
                   FROM pathmend.pages f
                     JOIN pathmend.indexed_pages i ON i.project_id = f.project_id AND i.page_id = f.page_id
                  WHERE f.project_id = r.project_id AND f.path_key = m.plain_hash AND i.indexed_at IS NOT NULL)))
         OFFSET 0)) OR (EXISTS ( SELECT
           FROM pathmend.rules r
          WHERE r.project_id = p.project_id AND (r.rule_key = m.plain_hash OR r.plain_key = m.plain_hash) AND (r.valid_from <= now()) IS NOT FALSE AND (r.valid_until > now()) IS NOT FALSE AND m.plain_hash <> sha256('\x'::bytea) AND NOT (EXISTS ( SELECT
                   FROM pathmend.projects t
                  WHERE t.project_id = r.project_id AND ('matters'::text = t.path_case OR 'matters'::text = t.path_slash)))
         OFFSET 0)));
comment on view analytics.redirects_worth_adding is 'Of the 5,000 paths with most people: those that have no rule in force and for which there is a suggestion. Without test keys.';
comment on column analytics.redirects_worth_adding.project_id is 'Id of the project.';
comment on column analytics.redirects_worth_adding.project is 'Name of the project.';
comment on column analytics.redirects_worth_adding.path is 'The missing path, without query string.';
comment on column analytics.redirects_worth_adding.target is 'Path of the best suggestion.';
comment on column analytics.redirects_worth_adding.score is 'Score of its latest suggestion; suggest may answer differently now.';
comment on column analytics.redirects_worth_adding.people is '404s of people on the path.';
comment on column analytics.redirects_worth_adding.not_redirected is '404s among them that were not redirected.';
comment on column analytics.redirects_worth_adding.gain is 'not_redirected × score: about how many of these a redirect would have led to the right page.';
comment on column analytics.redirects_worth_adding.last_seen is 'The latest 404 of a person.';
comment on column analytics.redirects_worth_adding.suggested_at is 'When target was the answer; suggest may answer differently now.';
comment on column analytics.redirects_worth_adding.clicks is 'Clicks of people on target, among the suggestions for the path.';
comment on column analytics.redirects_worth_adding.clicks_all is 'Clicks of people on any suggestion for the path.';

create view analytics.referrers with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    r.week,
    r.referrer,
    "substring"(lower(r.referrer), '^https?://(?:[^/?#@]*@)?([^/?#:]+)'::text) AS host,
    r.own,
    m.path,
    r.human AS people,
    r.others,
    r.first_seen,
    r.last_seen,
    r.path_hash
   FROM analytics.accessible_projects p
     JOIN pathmend.referrer_weeks r ON r.project_id = p.project_id
     LEFT JOIN pathmend.missing_paths m ON m.project_id = r.project_id AND m.path_hash = r.path_hash;
comment on view analytics.referrers is 'Pages that link to missing paths, by week. At most twenty for each path, and 5,000 for each project and week. Without test keys.';
comment on column analytics.referrers.project_id is 'Id of the project.';
comment on column analytics.referrers.project is 'Name of the project.';
comment on column analytics.referrers.week is 'Monday of the UTC week.';
comment on column analytics.referrers.referrer is 'Url without query string; (other): sum of those beyond the limits.';
comment on column analytics.referrers.host is 'Host of the referrer.';
comment on column analytics.referrers.own is 'Whether the referrer is on the host of the 404, or of a page of the project; null: the 404s had no origin, and no page is on its host.';
comment on column analytics.referrers.path is 'The missing path.';
comment on column analytics.referrers.people is '404s of people with this referrer.';
comment on column analytics.referrers.others is '404s of others with this referrer.';
comment on column analytics.referrers.first_seen is 'The first 404.';
comment on column analytics.referrers.last_seen is 'The latest 404.';
comment on column analytics.referrers.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';

create view analytics.searches with (security_barrier=true) as
 SELECT s.project_id,
    p.project,
    s.searched_at AS at,
    s.kind,
    s.input,
    s.understood,
    s.cached,
    s.took_ms,
    pathmend.shown_score(s.best_score) AS best_score,
    s.results,
    k.name AS key_name,
    s.of_others AS is_robot,
    (s.searched_at AT TIME ZONE 'UTC'::text)::date AS day,
    s.search_id,
    s.filtered,
    s.threshold,
    s.clicked_rank AS clicked_position,
    s.redirected
   FROM pathmend.searches s
     JOIN analytics.accessible_projects p ON p.project_id = s.project_id
     LEFT JOIN pathmend.api_keys k ON k.project_id = s.project_id AND k.key_id = s.key_id
  WHERE NOT s.is_test;
comment on view analytics.searches is 'Every stored search, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.searches.project_id is 'Id of the project.';
comment on column analytics.searches.project is 'Name of the project.';
comment on column analytics.searches.at is 'Time of the search.';
comment on column analytics.searches.kind is 'suggest, semantic-search, search, proxy or not-found: pathmend''s own 404 page.';
comment on column analytics.searches.input is 'The path or question, as received.';
comment on column analytics.searches.understood is 'The path after sanitizing and spelling correction; the question itself.';
comment on column analytics.searches.cached is 'Whether the answer came from the cache.';
comment on column analytics.searches.took_ms is 'Milliseconds that the answer took.';
comment on column analytics.searches.best_score is 'Score of the first result; null: none.';
comment on column analytics.searches.results is 'What was answered: a JSON array of {page_id, url, score, by}, best first. by: rule or learned; absent for a guess.';
comment on column analytics.searches.key_name is 'Name of the API key that asked; null: the key has no name.';
comment on column analytics.searches.is_robot is 'Whether a robot, scanner, search engine or assistant searched: by the 404 that names the search, else by its own user agent. Nobody known counts as a person.';
comment on column analytics.searches.day is 'UTC day of the search.';
comment on column analytics.searches.search_id is 'Id of the search, which clicks and 404s name.';
comment on column analytics.searches.filtered is 'Whether it had filters.';
comment on column analytics.searches.threshold is 'Minimum score of its results.';
comment on column analytics.searches.clicked_position is 'Best position that was clicked within seven days; null: none.';
comment on column analytics.searches.redirected is 'Whether the visitor was redirected, by pathmend or by the site.';

create view analytics.searches_without_results with (security_barrier=true) as
 SELECT p.project_id,
    p.project,
    s.day,
    s.kind,
    s.understood,
    s.searches - s.others AS searches,
    s.example_input,
    s.last_searched,
    s.searches AS searches_all
   FROM analytics.accessible_projects p
     JOIN pathmend.empty_search_days s ON s.project_id = p.project_id;
comment on view analytics.searches_without_results is 'Unfiltered searches without a result, by the text as understood. 1,000 texts a day have their own row. Without test keys.';
comment on column analytics.searches_without_results.project_id is 'Id of the project.';
comment on column analytics.searches_without_results.project is 'Name of the project.';
comment on column analytics.searches_without_results.day is 'UTC day of the search.';
comment on column analytics.searches_without_results.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.searches_without_results.understood is 'The question, or the path after sanitizing and spelling correction; (other): sum of the rest.';
comment on column analytics.searches_without_results.searches is 'Searches of people; 0: only robots searched.';
comment on column analytics.searches_without_results.example_input is 'One of the inputs, as received.';
comment on column analytics.searches_without_results.last_searched is 'The latest search.';
comment on column analytics.searches_without_results.searches_all is 'Like searches, but including robots.';

create view analytics.version as
 SELECT 2 AS major,
    5 AS minor;
comment on view analytics.version is 'The version of these views. A minor version adds views or columns; it never renames or removes any.';
comment on column analytics.version.major is 'Grows when a view or column is removed or changes its meaning.';
comment on column analytics.version.minor is 'Grows when a view or column is added.';

alter table pathmend.projects enable row level security;
create policy service on pathmend.projects to pathmend_service using (true);
create policy tenant on pathmend.projects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.turns enable row level security;
create policy service on pathmend.turns to pathmend_service using (true);
create policy tenant on pathmend.turns to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.index_versions enable row level security;
create policy service on pathmend.index_versions to pathmend_service using (true);
create policy tenant on pathmend.index_versions to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.pages enable row level security;
create policy service on pathmend.pages to pathmend_service using (true);
create policy tenant on pathmend.pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.indexed_pages enable row level security;
create policy service on pathmend.indexed_pages to pathmend_service using (true);
create policy tenant on pathmend.indexed_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.wordless_pages enable row level security;
create policy service on pathmend.wordless_pages to pathmend_service using (true);
create policy tenant on pathmend.wordless_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.chunks enable row level security;
create policy service on pathmend.chunks to pathmend_service using (true);
create policy tenant on pathmend.chunks to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.page_terms enable row level security;
create policy service on pathmend.page_terms to pathmend_service using (true);
create policy tenant on pathmend.page_terms to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.vocabulary enable row level security;
create policy service on pathmend.vocabulary to pathmend_service using (true);
create policy tenant on pathmend.vocabulary to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.tombstones enable row level security;
create policy service on pathmend.tombstones to pathmend_service using (true);
create policy tenant on pathmend.tombstones to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.missing_pages enable row level security;
create policy service on pathmend.missing_pages to pathmend_service using (true);
create policy tenant on pathmend.missing_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.rules enable row level security;
create policy service on pathmend.rules to pathmend_service using (true);
create policy tenant on pathmend.rules to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.path_rules enable row level security;
create policy service on pathmend.path_rules to pathmend_service using (true);
create policy tenant on pathmend.path_rules to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.rule_hits enable row level security;
create policy service on pathmend.rule_hits to pathmend_service using (true);
create policy tenant on pathmend.rule_hits to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.rule_changes enable row level security;
create policy service on pathmend.rule_changes to pathmend_service using (true);
create policy tenant on pathmend.rule_changes to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.rule_proposals enable row level security;
create policy service on pathmend.rule_proposals to pathmend_service using (true);
create policy tenant on pathmend.rule_proposals to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.learned_redirects enable row level security;
create policy service on pathmend.learned_redirects to pathmend_service using (true);
create policy tenant on pathmend.learned_redirects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.section_redirects enable row level security;
create policy service on pathmend.section_redirects to pathmend_service using (true);
create policy tenant on pathmend.section_redirects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.judgements enable row level security;
create policy service on pathmend.judgements to pathmend_service using (true);
create policy tenant on pathmend.judgements to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.wrong_guesses enable row level security;
create policy service on pathmend.wrong_guesses to pathmend_service using (true);
create policy tenant on pathmend.wrong_guesses to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.not_found_days enable row level security;
create policy service on pathmend.not_found_days to pathmend_service using (true);
create policy tenant on pathmend.not_found_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.not_found_hours enable row level security;
create policy service on pathmend.not_found_hours to pathmend_service using (true);
create policy tenant on pathmend.not_found_hours to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.missing_paths enable row level security;
create policy service on pathmend.missing_paths to pathmend_service using (true);
create policy tenant on pathmend.missing_paths to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.path_days enable row level security;
create policy service on pathmend.path_days to pathmend_service using (true);
create policy tenant on pathmend.path_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.referrer_weeks enable row level security;
create policy service on pathmend.referrer_weeks to pathmend_service using (true);
create policy tenant on pathmend.referrer_weeks to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.search_days enable row level security;
create policy service on pathmend.search_days to pathmend_service using (true);
create policy tenant on pathmend.search_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.position_days enable row level security;
create policy service on pathmend.position_days to pathmend_service using (true);
create policy tenant on pathmend.position_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.empty_search_days enable row level security;
create policy service on pathmend.empty_search_days to pathmend_service using (true);
create policy tenant on pathmend.empty_search_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.latency_days enable row level security;
create policy service on pathmend.latency_days to pathmend_service using (true);
create policy tenant on pathmend.latency_days to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.project_sources enable row level security;
create policy named on pathmend.project_sources as restrictive for insert to pathmend_service with check (((kind = 'upload'::text) OR ((kind = 'url'::text) AND guarded)));
create policy service on pathmend.project_sources to pathmend_service using (true);
create policy tenant on pathmend.project_sources to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.uploads enable row level security;
create policy service on pathmend.uploads to pathmend_service using (true);
create policy tenant on pathmend.uploads to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.upload_chunks enable row level security;
create policy service on pathmend.upload_chunks to pathmend_service using (true);
create policy tenant on pathmend.upload_chunks to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.sync_runs enable row level security;
create policy service on pathmend.sync_runs to pathmend_service using (true);
create policy tenant on pathmend.sync_runs to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.page_validators enable row level security;
create policy service on pathmend.page_validators to pathmend_service using (true);
create policy tenant on pathmend.page_validators to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.held_pages enable row level security;
create policy service on pathmend.held_pages to pathmend_service using (true);
create policy tenant on pathmend.held_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.broken_links enable row level security;
create policy service on pathmend.broken_links to pathmend_service using (true);
create policy tenant on pathmend.broken_links to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.watches enable row level security;
create policy service on pathmend.watches to pathmend_service using (true);
create policy tenant on pathmend.watches to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.alerts enable row level security;
create policy service on pathmend.alerts to pathmend_service using (true);
create policy tenant on pathmend.alerts to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.deliveries enable row level security;
create policy service on pathmend.deliveries to pathmend_service using (true);
create policy tenant on pathmend.deliveries to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.clicked_questions enable row level security;
create policy service on pathmend.clicked_questions to pathmend_service using (true);
create policy tenant on pathmend.clicked_questions to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));

grant usage on schema analytics to pathmend_analyst;
grant usage on schema analytics to pathmend_project_analyst;
grant usage on schema analytics to pathmend_service;
grant usage on schema analytics to pathmend_tenant;
grant usage on schema pathmend to pathmend_service;
grant usage on schema pathmend to pathmend_tenant;
grant select on analytics.accessible_projects to pathmend_analyst;
grant select on analytics.accessible_projects to pathmend_project_analyst;
grant select on analytics.broken_internal_links to pathmend_analyst;
grant select on analytics.broken_internal_links to pathmend_project_analyst;
grant select on analytics.broken_internal_links to pathmend_service;
grant select on analytics.broken_internal_links to pathmend_tenant;
grant select on analytics.calibration to pathmend_analyst;
grant select on analytics.calibration to pathmend_project_analyst;
grant select on analytics.calibration to pathmend_service;
grant select on analytics.calibration to pathmend_tenant;
grant select on analytics.click_through_daily to pathmend_analyst;
grant select on analytics.click_through_daily to pathmend_project_analyst;
grant select on analytics.click_through_positions to pathmend_analyst;
grant select on analytics.click_through_positions to pathmend_project_analyst;
grant select on analytics.click_through_positions to pathmend_service;
grant select on analytics.click_through_positions to pathmend_tenant;
grant select on analytics.clicks to pathmend_analyst;
grant select on analytics.clicks to pathmend_project_analyst;
grant select on analytics.content_gaps to pathmend_analyst;
grant select on analytics.content_gaps to pathmend_project_analyst;
grant select on analytics.content_gaps to pathmend_service;
grant select on analytics.content_gaps to pathmend_tenant;
grant select on analytics.index_health to pathmend_analyst;
grant select on analytics.index_health to pathmend_project_analyst;
grant select on analytics.index_health to pathmend_service;
grant select on analytics.index_health to pathmend_tenant;
grant select on analytics.judged_daily to pathmend_analyst;
grant select on analytics.judged_daily to pathmend_project_analyst;
grant select on analytics.judged_daily to pathmend_service;
grant select on analytics.judged_daily to pathmend_tenant;
grant select on analytics.latency_buckets to pathmend_analyst;
grant select on analytics.latency_buckets to pathmend_project_analyst;
grant select on analytics.latency_buckets to pathmend_service;
grant select on analytics.latency_buckets to pathmend_tenant;
grant select on analytics.latency_daily to pathmend_analyst;
grant select on analytics.latency_daily to pathmend_project_analyst;
grant select on analytics.missing_paths to pathmend_analyst;
grant select on analytics.missing_paths to pathmend_project_analyst;
grant select on analytics.missing_paths to pathmend_service;
grant select on analytics.missing_paths to pathmend_tenant;
grant select on analytics.not_founds to pathmend_analyst;
grant select on analytics.not_founds to pathmend_project_analyst;
grant select on analytics.not_founds_daily to pathmend_analyst;
grant select on analytics.not_founds_daily to pathmend_project_analyst;
grant select on analytics.not_kept_daily to pathmend_analyst;
grant select on analytics.not_kept_daily to pathmend_project_analyst;
grant select on analytics.not_kept_daily to pathmend_service;
grant select on analytics.not_kept_daily to pathmend_tenant;
grant select on analytics.page_vectors to pathmend_analyst;
grant select on analytics.page_vectors to pathmend_project_analyst;
grant select on analytics.pages to pathmend_analyst;
grant select on analytics.pages to pathmend_project_analyst;
grant select on analytics.plan_usage to pathmend_analyst;
grant select on analytics.plan_usage to pathmend_project_analyst;
grant select on analytics.plan_usage to pathmend_service;
grant select on analytics.plan_usage to pathmend_tenant;
grant select on analytics.recovery_by_path to pathmend_analyst;
grant select on analytics.recovery_by_path to pathmend_project_analyst;
grant select on analytics.recovery_by_path to pathmend_service;
grant select on analytics.recovery_by_path to pathmend_tenant;
grant select on analytics.recovery_by_path_all to pathmend_analyst;
grant select on analytics.recovery_by_path_all to pathmend_project_analyst;
grant select on analytics.recovery_by_path_all to pathmend_service;
grant select on analytics.recovery_by_path_all to pathmend_tenant;
grant select on analytics.recovery_daily to pathmend_analyst;
grant select on analytics.recovery_daily to pathmend_project_analyst;
grant select on analytics.recovery_daily to pathmend_service;
grant select on analytics.recovery_daily to pathmend_tenant;
grant select on analytics.recovery_daily_all to pathmend_analyst;
grant select on analytics.recovery_daily_all to pathmend_project_analyst;
grant select on analytics.recovery_daily_all to pathmend_service;
grant select on analytics.recovery_daily_all to pathmend_tenant;
grant select on analytics.redirect_effects to pathmend_analyst;
grant select on analytics.redirect_effects to pathmend_project_analyst;
grant select on analytics.redirect_effects to pathmend_service;
grant select on analytics.redirect_effects to pathmend_tenant;
grant select on analytics.redirects_without_hits to pathmend_analyst;
grant select on analytics.redirects_without_hits to pathmend_project_analyst;
grant select on analytics.redirects_without_hits to pathmend_service;
grant select on analytics.redirects_without_hits to pathmend_tenant;
grant select on analytics.redirects_worth_adding to pathmend_analyst;
grant select on analytics.redirects_worth_adding to pathmend_project_analyst;
grant select on analytics.redirects_worth_adding to pathmend_service;
grant select on analytics.redirects_worth_adding to pathmend_tenant;
grant select on analytics.referrers to pathmend_analyst;
grant select on analytics.referrers to pathmend_project_analyst;
grant select on analytics.referrers to pathmend_service;
grant select on analytics.referrers to pathmend_tenant;
grant select on analytics.searches to pathmend_analyst;
grant select on analytics.searches to pathmend_project_analyst;
grant select on analytics.searches to pathmend_service;
grant select on analytics.searches_without_results to pathmend_analyst;
grant select on analytics.searches_without_results to pathmend_project_analyst;
grant select on analytics.searches_without_results to pathmend_service;
grant select on analytics.searches_without_results to pathmend_tenant;
grant select on analytics.version to pathmend_analyst;
grant select on analytics.version to pathmend_project_analyst;
grant delete, insert, select, update on pathmend.alerts to pathmend_service;
grant delete, insert, select, update on pathmend.api_keys to pathmend_service;
grant insert, select on pathmend.audit_log to pathmend_service;
grant delete, insert, select, update on pathmend.broken_links to pathmend_service;
grant select on pathmend.broken_links to pathmend_tenant;
grant delete, insert, select, update on pathmend.chunks to pathmend_service;
grant delete, insert, select, update on pathmend.chunks to pathmend_tenant;
grant delete, insert, select, update on pathmend.clicked_questions to pathmend_service;
grant delete, insert, select, update on pathmend.clicked_questions to pathmend_tenant;
grant delete, insert, select, update on pathmend.clicks to pathmend_service;
grant delete, insert, select, update on pathmend.counted_clicks to pathmend_service;
grant delete, insert, select, update on pathmend.deliveries to pathmend_service;
grant delete, insert, select, update on pathmend.empty_search_days to pathmend_service;
grant select on pathmend.empty_search_days to pathmend_tenant;
grant delete, insert, select, update on pathmend.held_pages to pathmend_service;
grant delete, insert, select, update on pathmend.held_pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.history_days to pathmend_service;
grant delete, insert, select, update on pathmend.identities to pathmend_service;
grant delete, insert, select, update on pathmend.index_segments to pathmend_service;
grant delete, insert, select, update on pathmend.index_versions to pathmend_service;
grant delete, insert, select, update on pathmend.index_versions to pathmend_tenant;
grant delete, insert, select, update on pathmend.indexed_pages to pathmend_service;
grant delete, insert, select, update on pathmend.indexed_pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.invitations to pathmend_service;
grant delete, insert, select, update on pathmend.judgements to pathmend_service;
grant select on pathmend.judgements to pathmend_tenant;
grant delete, insert, select, update on pathmend.latency_days to pathmend_service;
grant select on pathmend.latency_days to pathmend_tenant;
grant delete, insert, select, update on pathmend.learned_redirects to pathmend_service;
grant delete, insert, select, update on pathmend.learned_redirects to pathmend_tenant;
grant delete, insert, select, update on pathmend.memberships to pathmend_service;
grant select on pathmend.migrations to pathmend_service;
grant delete, insert, select, update on pathmend.missing_pages to pathmend_service;
grant delete, insert, select, update on pathmend.missing_pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.missing_paths to pathmend_service;
grant select on pathmend.missing_paths to pathmend_tenant;
grant select on pathmend.model_names to pathmend_service;
grant select on pathmend.models to pathmend_service;
grant delete, insert, select, update on pathmend.not_found_days to pathmend_service;
grant select on pathmend.not_found_days to pathmend_tenant;
grant delete, insert, select, update on pathmend.not_found_hours to pathmend_service;
grant delete, insert, select, update on pathmend.not_founds to pathmend_service;
grant delete, insert, select, update on pathmend.page_terms to pathmend_service;
grant delete, insert, select, update on pathmend.page_terms to pathmend_tenant;
grant delete, insert, select, update on pathmend.page_validators to pathmend_service;
grant delete, insert, select, update on pathmend.page_validators to pathmend_tenant;
grant delete, insert, select, update on pathmend.pages to pathmend_service;
grant delete, insert, select, update on pathmend.pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.path_days to pathmend_service;
grant select on pathmend.path_days to pathmend_tenant;
grant delete, insert, select, update on pathmend.path_rules to pathmend_service;
grant delete, insert, select, update on pathmend.path_rules to pathmend_tenant;
grant delete, insert, select, update on pathmend.position_days to pathmend_service;
grant select on pathmend.position_days to pathmend_tenant;
grant delete, insert, select on pathmend.project_sources to pathmend_service;
grant update (every_seconds, next_at, prune) on pathmend.project_sources to pathmend_service;
grant select on pathmend.project_sources to pathmend_tenant;
grant delete, insert, select, update on pathmend.projects to pathmend_service;
grant select (model_id, name, path_case, path_slash, project_id, redirect_above, shown_from, site_search, title_evidence, trial) on pathmend.projects to pathmend_tenant;
grant update (model_id) on pathmend.projects to pathmend_tenant;
grant delete, insert, select, update on pathmend.rate_buckets to pathmend_service;
grant delete, insert, select, update on pathmend.referrer_weeks to pathmend_service;
grant select on pathmend.referrer_weeks to pathmend_tenant;
grant delete, insert, select, update on pathmend.refused_events to pathmend_service;
grant select on pathmend.repeatables to pathmend_service;
grant delete, insert, select, update on pathmend.rollups to pathmend_service;
grant delete, insert, select, update on pathmend.rule_changes to pathmend_service;
grant delete, insert, select, update on pathmend.rule_changes to pathmend_tenant;
grant delete, insert, select, update on pathmend.rule_hits to pathmend_service;
grant delete, insert, select, update on pathmend.rule_hits to pathmend_tenant;
grant delete, insert, select, update on pathmend.rule_proposals to pathmend_service;
grant delete, insert, select, update on pathmend.rule_proposals to pathmend_tenant;
grant delete, insert, select, update on pathmend.rules to pathmend_service;
grant delete, insert, select, update on pathmend.rules to pathmend_tenant;
grant delete, insert, select, update on pathmend.search_days to pathmend_service;
grant select on pathmend.search_days to pathmend_tenant;
grant delete, insert, select, update on pathmend.searches to pathmend_service;
grant delete, insert, select, update on pathmend.section_redirects to pathmend_service;
grant delete, insert, select, update on pathmend.section_redirects to pathmend_tenant;
grant delete, insert, select, update on pathmend.sessions to pathmend_service;
grant delete, insert, select, update on pathmend.sync_runs to pathmend_service;
grant select on pathmend.sync_runs to pathmend_tenant;
grant delete, insert, select, update on pathmend.tombstones to pathmend_service;
grant delete, insert, select, update on pathmend.tombstones to pathmend_tenant;
grant delete, insert, select, update on pathmend.turns to pathmend_service;
grant insert, select, update on pathmend.turns to pathmend_tenant;
grant delete, insert, select, update on pathmend.upload_chunks to pathmend_service;
grant select on pathmend.upload_chunks to pathmend_tenant;
grant delete, insert, select, update on pathmend.uploads to pathmend_service;
grant select on pathmend.uploads to pathmend_tenant;
grant delete, insert, select, update on pathmend.users to pathmend_service;
grant delete, insert, select, update on pathmend.vocabulary to pathmend_service;
grant delete, insert, select, update on pathmend.vocabulary to pathmend_tenant;
grant delete, insert, select, update on pathmend.waiting_links to pathmend_service;
grant delete, insert, select, update on pathmend.watches to pathmend_service;
grant delete, insert, select, update on pathmend.wordless_pages to pathmend_service;
grant delete, insert, select, update on pathmend.wordless_pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.wrong_guesses to pathmend_service;
grant select on pathmend.wrong_guesses to pathmend_tenant;
grant usage on sequence pathmend.arrivals to pathmend_service;
grant usage on sequence pathmend.arrivals to pathmend_tenant;
grant usage on sequence pathmend.audit_log_entry_id_seq to pathmend_service;
grant usage on sequence pathmend.models_model_id_seq to pathmend_service;
revoke all on function pathmend.drop_old_weeks(timestamp with time zone) from public;
revoke all on function pathmend.ensure_weeks(timestamp with time zone,timestamp with time zone) from public;
grant execute on function pathmend.ensure_weeks(timestamp with time zone,timestamp with time zone) to pathmend_service;
revoke all on function pathmend.make_analyst(text,uuid) from public;
revoke all on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) from public;
grant execute on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) to pathmend_service;
grant execute on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) to pathmend_tenant;
revoke all on function pathmend.near_words(uuid,text) from public;
grant execute on function pathmend.near_words(uuid,text) to pathmend_service;
grant execute on function pathmend.near_words(uuid,text) to pathmend_tenant;
revoke all on function pathmend.page_exists(text) from public;
grant execute on function pathmend.page_exists(text) to pathmend_service;
grant execute on function pathmend.page_exists(text) to pathmend_tenant;
revoke all on function pathmend.pages_in_reach(uuid,integer,bigint,halfvec,sparsevec[],jsonb,bit,bit) from public;
grant execute on function pathmend.pages_in_reach(uuid,integer,bigint,halfvec,sparsevec[],jsonb,bit,bit) to pathmend_service;
grant execute on function pathmend.pages_in_reach(uuid,integer,bigint,halfvec,sparsevec[],jsonb,bit,bit) to pathmend_tenant;
