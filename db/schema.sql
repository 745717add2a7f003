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
  location      text,
  dimensions    integer not null,
  created_at    timestamp with time zone not null default now(),
  configured_at timestamp with time zone not null default now(),
  constraint models__pkey PRIMARY KEY (model_id),
  constraint models__fingerprint UNIQUE (fingerprint)
);
comment on table pathmend.models is 'Embedding models that vectors were made with; the fingerprint covers files and settings.';
comment on column pathmend.models.location is 'Folder or hub id to load it from; null is the bundled model.';
comment on column pathmend.models.configured_at is 'When a worker last started with this model: the latest is what projects change to, whichever worker does the work.';

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
  created_at     timestamp with time zone not null default now(),
  title_evidence boolean not null default false,
  constraint projects__pkey PRIMARY KEY (project_id),
  constraint projects__name UNIQUE (name),
  constraint projects__access CHECK ((access = ANY (ARRAY['open'::text, 'restricted'::text]))),
  constraint projects__name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint projects__plan CHECK ((plan = ANY (ARRAY['hacker'::text, 'solo'::text, 'startup'::text, 'scale'::text, 'enterprise'::text]))),
  constraint projects__read_burst CHECK ((read_burst >= (0)::double precision)),
  constraint projects__read_rate CHECK ((read_rate >= (0)::double precision)),
  constraint projects__write_burst CHECK ((write_burst >= (0)::double precision)),
  constraint projects__write_rate CHECK ((write_rate >= (0)::double precision)),
  constraint projects__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id)
);
comment on column pathmend.projects.read_rate is 'Tokens a second; bursts are the capacity of the bucket. Copied from the plan.';
comment on column pathmend.projects.model_id is 'The model whose vectors answer searches; another may be re-embedding behind it. Null until the first page is indexed.';
comment on column pathmend.projects.title_evidence is 'Whether a page is searched by its title too: the title is indexed as the first line of its content.';

create table pathmend.api_keys (
  project_id   uuid not null,
  key_id       uuid not null default gen_random_uuid(),
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
  constraint api_keys__scopes CHECK (((scopes <@ ARRAY['read'::text, 'write'::text]) AND (scopes <> '{}'::text[]))),
  constraint api_keys__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
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
  constraint turns__what CHECK ((what = ANY (ARRAY['moves'::text, 'own_indexes'::text]))),
  constraint turns__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.turns is 'Whose turn it is to do work on a project that only one may do at a time.';
comment on column pathmend.turns.what is 'moves: who has the row locked writes or learns moves, until its transaction ends. own_indexes: the session named here builds, for as long as it lives.';

create table pathmend.pages (
  project_id      uuid not null,
  page_id         text collate "C" not null,
  url             text not null,
  url_hash        bytea not null,
  path_key        bytea not null,
  title           text,
  content         text not null,
  content_hash    bytea not null,
  content_version bigint not null default 1,
  metadata        jsonb,
  status          text not null default 'PENDING_VECTORIZATION'::text,
  error           text,
  created_at      timestamp with time zone not null default now(),
  updated_at      timestamp with time zone not null default now(),
  status_at       timestamp with time zone not null default now(),
  constraint pages__pkey PRIMARY KEY (project_id, page_id),
  constraint pages__url UNIQUE (project_id, url_hash),
  constraint pages__page_id CHECK ((page_id ~ '^[0-9a-f]{24}$'::text)),
  constraint pages__status CHECK ((status = ANY (ARRAY['PENDING_VECTORIZATION'::text, 'PROCESSING'::text, 'INDEXED'::text, 'ERROR'::text]))),
  constraint pages__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX pages__content_hash ON pathmend.pages USING btree (project_id, content_hash);
CREATE INDEX pages__metadata ON pathmend.pages USING gin (project_id, metadata jsonb_path_ops);
CREATE INDEX pages__page_id_anywhere ON pathmend.pages USING btree (page_id);
CREATE INDEX pages__path_key ON pathmend.pages USING btree (project_id, path_key);
CREATE INDEX pages__project_status ON pathmend.pages USING btree (project_id, status, page_id);
CREATE INDEX pages__status_at ON pathmend.pages USING btree (status, status_at) WHERE (status <> 'INDEXED'::text);
comment on column pathmend.pages.url is 'Normalized: WHATWG parsing, no fragment, no default port, lower-case host.';
comment on column pathmend.pages.url_hash is 'SHA-256 of url.';
comment on column pathmend.pages.path_key is 'SHA-256 of the plain path of url with its query string: pages that differ in case, ending or trailing slash share it.';
comment on column pathmend.pages.content_version is 'Grows with every change of content; a job or a vector of an older version is stale.';
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
  counted_words   text[] not null,
  words           text[] not null,
  indexed_at      timestamp with time zone not null default now(),
  constraint indexed_pages__pkey PRIMARY KEY (project_id, page_id),
  constraint indexed_pages__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX indexed_pages__arrival ON pathmend.indexed_pages USING btree (project_id, arrival);
comment on column pathmend.indexed_pages.path is 'Url path with query string, as suggestions carry it.';
comment on column pathmend.indexed_pages.path_words is 'Sanitized words of the path, joined by spaces.';
comment on column pathmend.indexed_pages.slug_words is 'Sanitized words of its last segment, joined by spaces.';
comment on column pathmend.indexed_pages.path_trigrams is 'One bit per trigram of path_words, by hash: Jaccard of two such sets is the likeness of two paths, in nanoseconds.';
comment on column pathmend.indexed_pages.slug_trigrams is 'The same of slug_words.';
comment on column pathmend.indexed_pages.counted_words is 'The words of the path, and the forms of its slug''s, whose counts in the vocabulary weigh a comparison with it.';
comment on column pathmend.indexed_pages.words is 'Distinct words and codes of the content. With path_words, what this page adds to the vocabulary.';

create table pathmend.passages (
  project_id uuid not null,
  model_id   integer not null,
  page_id    text collate "C" not null,
  ordinal    integer not null,
  arrival    bigint not null default nextval('pathmend.arrivals'::regclass),
  start_at   integer not null,
  end_at     integer not null,
  embedding  halfvec not null,
  constraint passages__pkey PRIMARY KEY (project_id, model_id, page_id, ordinal),
  constraint passages__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint passages__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX passages__arrival ON pathmend.passages USING btree (project_id, arrival);
CREATE INDEX passages__page_of_project ON pathmend.passages USING btree (project_id, page_id);
comment on column pathmend.passages.ordinal is 'From 0; -1 is the page''s beginning, once more by itself.';
comment on column pathmend.passages.arrival is 'Order in which rows of the index came.';
comment on column pathmend.passages.start_at is 'Offset into the page''s content in UTF-16 units; end_at is behind the last.';

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

create table pathmend.index_versions (
  project_id uuid not null,
  version    bigint not null default 1,
  words      bigint not null default 0,
  constraint index_versions__pkey PRIMARY KEY (project_id),
  constraint index_versions__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
) with (fillfactor=50);
comment on table pathmend.index_versions is 'Bumped last in every transaction that changes an index, so that a cached answer is never older than the last change.';
comment on column pathmend.index_versions.words is 'Distinct words of the vocabulary. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';

create table pathmend.own_indexes (
  project_id uuid not null,
  model_id   integer not null,
  segment    bigint not null,
  after      bigint not null,
  covered    bigint not null,
  passages   bigint not null,
  built_at   timestamp with time zone not null default now(),
  constraint own_indexes__pkey PRIMARY KEY (project_id, model_id, segment),
  constraint own_indexes__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint own_indexes__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.own_indexes is 'Segments of large projects'' order of arrival that have indexes of their own, named after the project, what is indexed, and `segment`. They join without a gap.';
comment on column pathmend.own_indexes.segment is 'The number in the names of its indexes; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.own_indexes.after is 'Rows that arrived after this are in them; -1: from the first on.';
comment on column pathmend.own_indexes.covered is 'Rows that arrived up to here are in them. What came after the last segment of a project is scanned.';
comment on column pathmend.own_indexes.passages is 'Passages when they were built.';

create table pathmend.moves (
  project_id     uuid not null,
  old_path_hash  bytea not null,
  source         text not null,
  page_id        text collate "C" not null,
  old_path       text not null,
  clicks         bigint,
  last_seen_at   timestamp with time zone not null,
  old_path_order text collate "C" generated always as ("left"(lower(old_path), 200)) stored,
  constraint moves__pkey PRIMARY KEY (project_id, old_path_hash, source, page_id),
  constraint moves__clicks CHECK ((((source = 'click'::text) = (clicks IS NOT NULL)) AND (clicks > 0))),
  constraint moves__source CHECK ((source = ANY (ARRAY['redirect'::text, 'click'::text]))),
  constraint moves__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
CREATE INDEX moves__old_path_order ON pathmend.moves USING btree (project_id, old_path_order) WHERE (source = 'redirect'::text);
CREATE INDEX moves__page_of_project ON pathmend.moves USING btree (project_id, page_id);
CREATE INDEX moves__recent ON pathmend.moves USING btree (project_id, last_seen_at DESC);
comment on table pathmend.moves is 'Old paths and the pages that they became: the customer''s redirects, and what visitors clicked.';
comment on column pathmend.moves.old_path_hash is 'SHA-256 of the plain old path, with its query string where a redirect gives one.';
comment on column pathmend.moves.old_path is 'A redirect''s as the customer wrote it; a click''s as a plain path.';
comment on column pathmend.moves.clicks is 'Searches for this path that were followed by a click on this page; null for a redirect.';
comment on column pathmend.moves.last_seen_at is 'When the redirect was imported, or the latest click arrived.';
comment on column pathmend.moves.old_path_order is 'The order of old paths, in which those of one section stand together.';

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

create table pathmend.section_moves (
  project_id     uuid not null,
  old_prefix     text collate "C" not null,
  new_prefix     text collate "C" not null,
  source         text not null default 'redirect'::text,
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null,
  constraint section_moves__pkey PRIMARY KEY (project_id, old_prefix, new_prefix),
  constraint section_moves__confidence CHECK (((confidence > (0)::double precision) AND (confidence < (1)::double precision))),
  constraint section_moves__new_prefix CHECK ((octet_length(new_prefix) <= 1000)),
  constraint section_moves__old_prefix CHECK ((octet_length(old_prefix) <= 1000)),
  constraint section_moves__source CHECK ((source = ANY (ARRAY['redirect'::text, 'click'::text]))),
  constraint section_moves__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.section_moves is 'Sections that moved: a path below old_prefix is looked for below new_prefix.';
comment on column pathmend.section_moves.old_prefix is 'Beginning of plain paths, whole segments; # stands for any number; empty: every path.';
comment on column pathmend.section_moves.source is 'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_moves.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.section_moves.contradictions is 'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_moves.confidence is 'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';

create table pathmend.waiting_redirects (
  project_id    uuid not null,
  old_path_hash bytea not null,
  old_path      text not null,
  target        text not null,
  target_key    bytea not null,
  target_path   text not null,
  target_host   text,
  target_hash   bytea,
  imported_at   timestamp with time zone not null,
  constraint waiting_redirects__pkey PRIMARY KEY (project_id, old_path_hash),
  constraint waiting_redirects__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX waiting_redirects__target ON pathmend.waiting_redirects USING btree (project_id, target_key);
comment on table pathmend.waiting_redirects is 'Redirects to pages that the project does not have now; they answer nothing until such a page is pushed.';
comment on column pathmend.waiting_redirects.target is 'Where to: the url of the page that was deleted, or what the customer wrote.';
comment on column pathmend.waiting_redirects.target_key is 'As pages.path_key; a page with it is the target, on target_host where that is given, the very one of target_hash first.';

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

create table pathmend.searches (
  project_id  uuid not null,
  search_id   uuid not null,
  searched_at timestamp with time zone not null,
  kind        text not null,
  is_test     boolean not null,
  input       text not null,
  understood  text not null,
  filtered    boolean not null,
  threshold   double precision not null,
  results     jsonb not null,
  best_score  double precision,
  cached      boolean not null,
  took_ms     double precision not null,
  constraint searches__kind CHECK ((kind = ANY (ARRAY['suggest'::text, 'semantic-search'::text, 'search'::text, 'proxy'::text])))
) partition by RANGE ((((searched_at AT TIME ZONE 'UTC'::text))::date));
comment on column pathmend.searches.understood is 'The path after sanitizing and spelling; the query itself for other kinds.';
comment on column pathmend.searches.results is 'What was answered: [{page_id, url, score}], best first.';

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
CREATE INDEX clicks__search ON pathmend.clicks USING btree (project_id, search_id);
comment on column pathmend.clicks.search_id is 'Links to searches of the same project; one that is unknown stays unlinked.';

create table pathmend.not_founds (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamp with time zone not null,
  raw_path    text not null,
  origin      text,
  referrer    text,
  user_agent  text,
  visitor_ip  inet,
  is_test     boolean not null,
  visitor     text,
  outcome     text,
  search_id   uuid
) partition by RANGE ((((received_at AT TIME ZONE 'UTC'::text))::date));
comment on column pathmend.not_founds.visitor_ip is 'As EVENT_IP_MODE leaves it: whole, truncated to /24 or /48, or null.';
comment on column pathmend.not_founds.visitor is 'person or robot, by the user agent; null: it named none, or the event is from before this column.';
comment on column pathmend.not_founds.outcome is 'redirected, suggested, nothing or gone: what GET /v1/not-found answered; null for events of others.';
comment on column pathmend.not_founds.search_id is 'The search of that answer; a click on a suggestion names it, too.';

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

create table pathmend.tombstones (
  project_id   uuid not null,
  url_hash     bytea not null,
  url          text not null,
  path_key     bytea not null,
  title        text,
  content_hash bytea not null,
  content      text,
  model_id     integer,
  beginning    halfvec,
  terms        sparsevec(1000000000),
  deleted_at   timestamp with time zone not null default now(),
  constraint tombstones__pkey PRIMARY KEY (project_id, url_hash),
  constraint tombstones__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint tombstones__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX tombstones__deleted_at ON pathmend.tombstones USING btree (deleted_at);
CREATE INDEX tombstones__path_key ON pathmend.tombstones USING btree (project_id, path_key);
comment on table pathmend.tombstones is 'Deleted pages. Their dead paths lead to pages with the same content; an upsert of the url removes the row.';
comment on column pathmend.tombstones.path_key is 'As in pages.';
comment on column pathmend.tombstones.content is 'Only with TOMBSTONE_CONTENT=on.';
comment on column pathmend.tombstones.beginning is 'The vector of the page''s beginning under model_id; null for a page that was not indexed.';
comment on column pathmend.tombstones.terms is 'As in page_terms, of the first part.';

create table pathmend.gone_paths (
  project_id  uuid not null,
  path_hash   bytea not null,
  folder_hash bytea,
  path        text not null,
  imported_at timestamp with time zone not null,
  constraint gone_paths__pkey PRIMARY KEY (project_id, path_hash),
  constraint gone_paths__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
CREATE INDEX gone_paths__folder ON pathmend.gone_paths USING btree (project_id, folder_hash) WHERE (folder_hash IS NOT NULL);
comment on table pathmend.gone_paths is 'Old paths that are gone for good (410). A page or a redirect of such a path removes the row.';
comment on column pathmend.gone_paths.path_hash is 'As moves.old_path_hash.';
comment on column pathmend.gone_paths.folder_hash is 'SHA-256 of the plain path of its folder; null at the root of the site.';
comment on column pathmend.gone_paths.path is 'As the customer wrote it.';

create table pathmend.own_weights (
  project_id    uuid not null,
  model_id      integer,
  fitted_for    text,
  fitted_at     timestamp with time zone,
  verdict       text,
  weights       jsonb,
  model_weights jsonb,
  none_added    double precision not null default 0,
  figures       jsonb,
  undone        boolean not null default false,
  constraint own_weights__pkey PRIMARY KEY (project_id),
  constraint own_weights__model FOREIGN KEY (model_id) REFERENCES pathmend.models(model_id),
  constraint own_weights__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.own_weights is 'What a fit on the project''s own redirects gave. It is used with verdict accepted, unless undone, for model_id and the weights in fitted_for.';
comment on column pathmend.own_weights.fitted_for is 'SHA-256 of the model''s weights, which the fit started from.';
comment on column pathmend.own_weights.fitted_at is 'Null: a fit was asked for.';
comment on column pathmend.own_weights.model_weights is 'Those that the fit started from, for people.';
comment on column pathmend.own_weights.none_added is 'Added to the weight of "none of them".';
comment on column pathmend.own_weights.figures is 'With the model''s weights and with these, on redirects that the fit did not see.';
comment on column pathmend.own_weights.undone is 'By an operator: not used, and not fitted again until asked for.';

create table pathmend.page_validators (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  etag          text,
  last_modified text,
  lastmod       text,
  stored_at     timestamp with time zone not null default now(),
  constraint page_validators__pkey PRIMARY KEY (project_id, page_id),
  constraint page_validators__page FOREIGN KEY (project_id, page_id) REFERENCES pathmend.pages(project_id, page_id) ON DELETE CASCADE
);
comment on table pathmend.page_validators is 'Of pages that were read from their site. A row counts while the page has not been changed since stored_at.';
comment on column pathmend.page_validators.lastmod is 'The word of the sitemap.';

create table pathmend.wildcard_redirects (
  project_id  uuid not null,
  old_prefix  text collate "C" not null,
  old_path    text not null,
  target      text not null,
  target_host text,
  new_prefix  text,
  target_key  bytea,
  imported_at timestamp with time zone not null,
  constraint wildcard_redirects__pkey PRIMARY KEY (project_id, old_prefix),
  constraint wildcard_redirects__old_prefix CHECK ((octet_length(old_prefix) <= 1000)),
  constraint wildcard_redirects__one_target CHECK (((new_prefix IS NULL) <> (target_key IS NULL))),
  constraint wildcard_redirects__project FOREIGN KEY (project_id) REFERENCES pathmend.projects(project_id) ON DELETE CASCADE
);
comment on table pathmend.wildcard_redirects is 'Redirects of all paths below an old one. A redirect of one path overrules them, and a longer one a shorter one.';
comment on column pathmend.wildcard_redirects.old_prefix is 'Beginning of plain paths, whole segments.';
comment on column pathmend.wildcard_redirects.old_path is 'As the customer wrote it, up to the slash before the star.';
comment on column pathmend.wildcard_redirects.new_prefix is 'Beginning of plain paths, which the rest of the old path follows.';
comment on column pathmend.wildcard_redirects.target_key is 'As pages.path_key, where all lead to one page.';

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

  -- At most one write in five minutes per key: it answers "is this key still in use?", no more.
  if k.last_used_at is null or k.last_used_at < v_now - interval '5 minutes' then
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
  -- The clock again: this call may have waited for the row. It never runs backwards.
  granted_at := greatest(b.updated_at, clock_timestamp());
  tokens := b.tokens + k.rate * extract(epoch from granted_at - b.updated_at);
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
         others_until = case when r.leased_to is distinct from p_process then r.updated_at + interval '30 ms'
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
  if p_project is distinct from coalesce(pathmend.caller_project(), p_project) then
    raise insufficient_privilege using message = 'this session works for another project';
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
        -- The one that attaching takes, of the first table for all three. Readers and writers do not mind it.
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
    -- No project, no key that could be admitted; or it was made by another, and is found now.
    if not found and not exists (select from pathmend.projects p where p.project_id = p_project) then return 0; end if;
  end loop;
  return greatest(0, 1000 * extract(epoch from
    case when b.leased_to = p_process then b.others_until else b.leased_until end - clock_timestamp()));
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
  -- As maxEdits() in src/search/spelling/word-readings.ts.
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
                       (select v.project_id, v.word, v.pages from pathmend.vocabulary v
                         where uuid_hash_extended(v.project_id, hashtextextended(left(v.word, 2), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(left(p_word, 2) collate "C", v_length + difference))
                         limit 500)
                       union all
                       (select v.project_id, v.word, v.pages from pathmend.vocabulary v
                         where uuid_hash_extended(v.project_id, hashtextextended(right(v.word, 3), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(right(p_word, 3) collate "C", v_length + difference))
                         limit 500)) as k
                     where abs(difference) <= v_slips and k.project_id = p_project and octet_length(k.word) <= 255
                     limit 2500) as c) as n
     -- Two letters swapped have distance 2, too; in a short word other slips of that distance are too many.
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
  select exists (select from pathmend.pages p where p.page_id = p_page_id)
$function$;

CREATE OR REPLACE FUNCTION pathmend.pages_in_reach(p_project uuid, p_model integer, p_after bigint[], p_upto bigint[], p_shares double precision[], p_vector halfvec, p_questions sparsevec[], p_lookups jsonb, p_path bit, p_slug bit)
 RETURNS TABLE(page_id text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  -- A row's place, for each segment, as the conditions of its indexes have it (src/database/queries/build-own-indexes.ts).
  v_places text[] := array(
    select format('r.project_id = %L and r.arrival + 0 > %s and r.arrival + 0 <= %s', p_project, s.after, s.upto)
      from unnest(p_after, p_upto) as s (after, upto));
  v_largest double precision := (select max(share) from unnest(p_shares) as share);
  v_passages integer := greatest(80, ceil(250 * v_largest));
  -- Many pages of a large site have the same words in their paths, such as a page for each version: a hundred of a million
  -- passages had, and of the 60 nearest, the best three were .93 of a scan's; of 120 they are .98.
  v_paths integer := greatest(50, ceil(120 * v_largest));
  v_distance text := format('r.embedding::halfvec(%1$s) <#> $1::halfvec(%1$s)', vector_dims(p_vector));
  v_branches text;
begin
  perform pathmend.check_project(p_project);
  -- Not by a `set` of the function: whoever restores a dump may not write that into a function while pgvector is not loaded,
  -- but for a superuser. So it lasts until the end of the transaction, in which nothing else asks such an index.
  perform set_config('hnsw.ef_search', v_passages::text, true);
  select string_agg(format(
           '(select r.page_id, %1$s as far from pathmend.passages r where %2$s and r.model_id = %3$s order by %1$s limit %4$s)',
           v_distance, place, p_model, v_passages), ' union all ')
    into v_branches
    from unnest(v_places) as place;
  return query execute format('select v.page_id from (%s) as v order by v.far limit 250', v_branches) using p_vector;

  -- Of each lookup, pages that have all keys of one of its sets; up to 2,500, since common words go together oftener than
  -- the caller can know, and 4,000 of all, the first lookups' first: of a million passages that takes a sixth off the slowest
  -- questions' time, and finds .991 of a scan's ten best pages in place of .992.
  select string_agg(found.branches, ' union all ')
    into v_branches
    from jsonb_array_elements(p_lookups) as lookup
   cross join lateral (
     select string_agg(format('pathmend.term_keys(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(keys))::text), ' or ') as condition
       from jsonb_array_elements(lookup) as keys) as held
   cross join lateral (
     select string_agg(format(
              '(select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
                  from pathmend.page_terms r where %s and (%s) limit %s)', place, held.condition, greatest(300, ceil(2500 * share))), ' union all ') as branches
       from unnest(v_places, p_shares) as s (place, share)) as found;
  if v_branches is not null then
    -- Both questions' best of one and the same set of pages.
    return query execute format(
      'with asked as materialized (select v.page_id, max(v.one) as one, max(v.other) as other
                                      from (select * from (%s) as u limit 4000) as v group by v.page_id)
       (select page_id from asked order by one desc, page_id limit 250)
       union all
       (select page_id from asked order by other desc, page_id limit 100)', v_branches) using p_questions;
  end if;

  if p_path is not null then
    perform set_config('hnsw.ef_search', (v_paths * 5 / 4)::text, true);
    for v_distance in select unnest(array['r.path_trigrams <%> $1', 'r.slug_trigrams <%> $2']) loop
      select string_agg(format(
               '(select r.page_id, %1$s as far from pathmend.indexed_pages r where %2$s order by %1$s limit %3$s)', v_distance, place, v_paths), ' union all ')
        into v_branches
        from unnest(v_places) as place;
      return query execute format('select v.page_id from (%s) as v order by v.far limit 120', v_branches) using p_path, p_slug;
    end loop;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION pathmend.share_queue()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_roles constant regrole[] := array[to_regrole('pathmend_service'), to_regrole('pathmend_tenant')];
  -- Those that an insert of pg-boss names.
  v_inserted constant text[] := array[
    'id', 'name', 'data', 'priority', 'start_after', 'created_on', 'singleton_key', 'singleton_on', 'group_id', 'group_tier',
    'expire_seconds', 'deletion_seconds', 'keep_until', 'retry_limit', 'retry_delay', 'retry_backoff', 'retry_delay_max',
    'policy', 'dead_letter', 'heartbeat_seconds', 'blocked', 'blocking', 'pending_dependencies'];
  -- Which role may do what with which table; null: with all of its columns.
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
  -- Processes that start together take turns by a row that only they can lock.
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

create view analytics.click_through_daily as
 SELECT s.project_id,
    p.name AS project,
    (s.searched_at AT TIME ZONE 'UTC'::text)::date AS day,
    s.kind,
    count(*) FILTER (WHERE s.kind <> 'proxy'::text) AS searches,
    count(*) FILTER (WHERE s.kind <> 'proxy'::text AND jsonb_array_length(s.results) > 0) AS answered,
    count(c.best_rank) AS clicked,
    round(count(c.best_rank)::numeric / NULLIF(count(*) FILTER (WHERE s.kind <> 'proxy'::text AND jsonb_array_length(s.results) > 0), 0)::numeric, 4) AS click_through,
    round(avg(c.best_rank), 2) AS average_rank,
    count(*) FILTER (WHERE s.kind = 'proxy'::text AND s.best_score > 0.9::double precision) AS redirected
   FROM pathmend.searches s
     JOIN pathmend.projects p ON p.project_id = s.project_id
     LEFT JOIN LATERAL ( SELECT min(c_1.clicked_rank) AS best_rank
           FROM pathmend.clicks c_1
          WHERE c_1.project_id = s.project_id AND c_1.search_id = s.search_id AND NOT c_1.is_test AND (c_1.received_at AT TIME ZONE 'UTC'::text)::date >= (s.searched_at AT TIME ZONE 'UTC'::text)::date AND (c_1.received_at AT TIME ZONE 'UTC'::text)::date <= ((s.searched_at AT TIME ZONE 'UTC'::text)::date + 7) AND s.kind <> 'proxy'::text) c ON true
  WHERE NOT s.is_test
  GROUP BY s.project_id, p.name, ((s.searched_at AT TIME ZONE 'UTC'::text)::date), s.kind;
comment on view analytics.click_through_daily is 'Searches whose answers a site could show, and the rank clicked. Robots are counted where the site asks for them: searches carry no user agent. Test keys left out.';
comment on column analytics.click_through_daily.searches is 'Searches whose answers a site could show: all kinds but proxy.';
comment on column analytics.click_through_daily.answered is 'Of these, the ones with a result. Whether anybody saw it is not known.';
comment on column analytics.click_through_daily.clicked is 'Of these, the ones with a click within seven days.';
comment on column analytics.click_through_daily.redirected is 'Automatic redirects by proxy, in the row of that kind. They are in no other column.';

create view analytics.not_founds_daily as
 SELECT n.project_id,
    p.name AS project,
    (n.received_at AT TIME ZONE 'UTC'::text)::date AS day,
    split_part(split_part(n.raw_path, '?'::text, 1), '#'::text, 1) AS path,
    count(*) FILTER (WHERE n.visitor IS DISTINCT FROM 'robot'::text) AS hits,
    count(DISTINCT n.visitor_ip) FILTER (WHERE n.visitor IS DISTINCT FROM 'robot'::text) AS visitor_ips,
    max(n.received_at) AS last_seen,
    mode() WITHIN GROUP (ORDER BY n.referrer) FILTER (WHERE n.visitor IS DISTINCT FROM 'robot'::text) AS top_referrer,
    count(*) FILTER (WHERE n.visitor = 'robot'::text) AS robot_hits
   FROM pathmend.not_founds n
     JOIN pathmend.projects p ON p.project_id = n.project_id
  WHERE NOT n.is_test
  GROUP BY n.project_id, p.name, ((n.received_at AT TIME ZONE 'UTC'::text)::date), (split_part(split_part(n.raw_path, '?'::text, 1), '#'::text, 1));
comment on view analytics.not_founds_daily is 'Hits of missing pages per project, path (without query string) and UTC day. Test keys left out.';
comment on column analytics.not_founds_daily.hits is 'By people, and by visitors without a user agent.';
comment on column analytics.not_founds_daily.robot_hits is 'By user agents of robots. They are in no other column but last_seen.';

create view analytics.not_kept_daily as
 SELECT h.project_id,
    p.name AS project,
    h.day,
    h.what,
    h.stored,
    h.not_kept
   FROM pathmend.history_days h
     JOIN pathmend.projects p ON p.project_id = h.project_id
  WHERE h.not_kept > 0;
comment on view analytics.not_kept_daily is 'Days on which a project''s searches or events went beyond what it may keep: what is beyond was counted and not stored. Test keys included.';

create view analytics.searches_without_results as
 SELECT s.project_id,
    p.name AS project,
    (s.searched_at AT TIME ZONE 'UTC'::text)::date AS day,
    s.kind,
    s.understood,
    count(*) AS searches,
    min(s.input) AS example_input,
    max(s.searched_at) AS last_searched
   FROM pathmend.searches s
     JOIN pathmend.projects p ON p.project_id = s.project_id
  WHERE NOT s.is_test AND jsonb_array_length(s.results) = 0 AND NOT s.filtered
  GROUP BY s.project_id, p.name, ((s.searched_at AT TIME ZONE 'UTC'::text)::date), s.kind, s.understood;
comment on view analytics.searches_without_results is 'Unfiltered searches without any result, by what was understood. Test keys left out.';

alter table pathmend.projects enable row level security;
create policy service on pathmend.projects to pathmend_service using (true);
create policy tenant on pathmend.projects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.turns enable row level security;
create policy service on pathmend.turns to pathmend_service using (true);
create policy tenant on pathmend.turns to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.pages enable row level security;
create policy service on pathmend.pages to pathmend_service using (true);
create policy tenant on pathmend.pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.indexed_pages enable row level security;
create policy service on pathmend.indexed_pages to pathmend_service using (true);
create policy tenant on pathmend.indexed_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.passages enable row level security;
create policy service on pathmend.passages to pathmend_service using (true);
create policy tenant on pathmend.passages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.page_terms enable row level security;
create policy service on pathmend.page_terms to pathmend_service using (true);
create policy tenant on pathmend.page_terms to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.vocabulary enable row level security;
create policy service on pathmend.vocabulary to pathmend_service using (true);
create policy tenant on pathmend.vocabulary to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.index_versions enable row level security;
create policy service on pathmend.index_versions to pathmend_service using (true);
create policy tenant on pathmend.index_versions to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.moves enable row level security;
create policy service on pathmend.moves to pathmend_service using (true);
create policy tenant on pathmend.moves to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.section_moves enable row level security;
create policy service on pathmend.section_moves to pathmend_service using (true);
create policy tenant on pathmend.section_moves to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.waiting_redirects enable row level security;
create policy service on pathmend.waiting_redirects to pathmend_service using (true);
create policy tenant on pathmend.waiting_redirects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.missing_pages enable row level security;
create policy service on pathmend.missing_pages to pathmend_service using (true);
create policy tenant on pathmend.missing_pages to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.tombstones enable row level security;
create policy service on pathmend.tombstones to pathmend_service using (true);
create policy tenant on pathmend.tombstones to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.gone_paths enable row level security;
create policy service on pathmend.gone_paths to pathmend_service using (true);
create policy tenant on pathmend.gone_paths to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.own_weights enable row level security;
create policy service on pathmend.own_weights to pathmend_service using (true);
create policy tenant on pathmend.own_weights to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.page_validators enable row level security;
create policy service on pathmend.page_validators to pathmend_service using (true);
create policy tenant on pathmend.page_validators to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));
alter table pathmend.wildcard_redirects enable row level security;
create policy service on pathmend.wildcard_redirects to pathmend_service using (true);
create policy tenant on pathmend.wildcard_redirects to pathmend_tenant using ((project_id = (NULLIF(current_setting('pathmend.project'::text, true), ''::text))::uuid));

grant usage on schema analytics to pathmend_analyst;
grant usage on schema pathmend to pathmend_service;
grant usage on schema pathmend to pathmend_tenant;
grant select on analytics.click_through_daily to pathmend_analyst;
grant select on analytics.not_founds_daily to pathmend_analyst;
grant select on analytics.not_kept_daily to pathmend_analyst;
grant select on analytics.searches_without_results to pathmend_analyst;
grant delete, insert, select, update on pathmend.api_keys to pathmend_service;
grant delete, insert, select, update on pathmend.clicks to pathmend_service;
grant delete, insert, select, update on pathmend.counted_clicks to pathmend_service;
grant delete, insert, select, update on pathmend.gone_paths to pathmend_service;
grant delete, insert, select, update on pathmend.gone_paths to pathmend_tenant;
grant delete, insert, select, update on pathmend.history_days to pathmend_service;
grant delete, insert, select, update on pathmend.index_versions to pathmend_service;
grant delete, insert, select, update on pathmend.index_versions to pathmend_tenant;
grant delete, insert, select, update on pathmend.indexed_pages to pathmend_service;
grant delete, insert, select, update on pathmend.indexed_pages to pathmend_tenant;
grant select on pathmend.migrations to pathmend_service;
grant delete, insert, select, update on pathmend.missing_pages to pathmend_service;
grant delete, insert, select, update on pathmend.missing_pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.models to pathmend_service;
grant delete, insert, select, update on pathmend.moves to pathmend_service;
grant delete, insert, select, update on pathmend.moves to pathmend_tenant;
grant delete, insert, select, update on pathmend.not_founds to pathmend_service;
grant delete, insert, select, update on pathmend.own_indexes to pathmend_service;
grant delete, insert, select, update on pathmend.own_weights to pathmend_service;
grant delete, insert, select, update on pathmend.own_weights to pathmend_tenant;
grant delete, insert, select, update on pathmend.page_terms to pathmend_service;
grant delete, insert, select, update on pathmend.page_terms to pathmend_tenant;
grant delete, insert, select, update on pathmend.page_validators to pathmend_service;
grant delete, insert, select, update on pathmend.page_validators to pathmend_tenant;
grant delete, insert, select, update on pathmend.pages to pathmend_service;
grant delete, insert, select, update on pathmend.pages to pathmend_tenant;
grant delete, insert, select, update on pathmend.passages to pathmend_service;
grant delete, insert, select, update on pathmend.passages to pathmend_tenant;
grant delete, insert, select, update on pathmend.projects to pathmend_service;
grant select (model_id, project_id, title_evidence) on pathmend.projects to pathmend_tenant;
grant update (model_id) on pathmend.projects to pathmend_tenant;
grant delete, insert, select, update on pathmend.rate_buckets to pathmend_service;
grant delete, insert, select, update on pathmend.refused_events to pathmend_service;
grant select on pathmend.repeatables to pathmend_service;
grant delete, insert, select, update on pathmend.searches to pathmend_service;
grant delete, insert, select, update on pathmend.section_moves to pathmend_service;
grant delete, insert, select, update on pathmend.section_moves to pathmend_tenant;
grant delete, insert, select, update on pathmend.tombstones to pathmend_service;
grant delete, insert, select, update on pathmend.tombstones to pathmend_tenant;
grant delete, insert, select, update on pathmend.turns to pathmend_service;
grant insert, select, update on pathmend.turns to pathmend_tenant;
grant delete, insert, select, update on pathmend.vocabulary to pathmend_service;
grant delete, insert, select, update on pathmend.vocabulary to pathmend_tenant;
grant delete, insert, select, update on pathmend.waiting_redirects to pathmend_service;
grant delete, insert, select, update on pathmend.waiting_redirects to pathmend_tenant;
grant delete, insert, select, update on pathmend.wildcard_redirects to pathmend_service;
grant delete, insert, select, update on pathmend.wildcard_redirects to pathmend_tenant;
grant usage on sequence pathmend.arrivals to pathmend_service;
grant usage on sequence pathmend.arrivals to pathmend_tenant;
grant usage on sequence pathmend.models_model_id_seq to pathmend_service;
revoke all on function pathmend.drop_old_weeks(timestamp with time zone) from public;
revoke all on function pathmend.ensure_weeks(timestamp with time zone,timestamp with time zone) from public;
grant execute on function pathmend.ensure_weeks(timestamp with time zone,timestamp with time zone) to pathmend_service;
revoke all on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) from public;
grant execute on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) to pathmend_service;
grant execute on function pathmend.matching_pages(uuid,jsonb[],jsonb[]) to pathmend_tenant;
revoke all on function pathmend.near_words(uuid,text) from public;
grant execute on function pathmend.near_words(uuid,text) to pathmend_service;
grant execute on function pathmend.near_words(uuid,text) to pathmend_tenant;
revoke all on function pathmend.page_exists(text) from public;
grant execute on function pathmend.page_exists(text) to pathmend_service;
grant execute on function pathmend.page_exists(text) to pathmend_tenant;
revoke all on function pathmend.pages_in_reach(uuid,integer,bigint[],bigint[],double precision[],halfvec,sparsevec[],jsonb,bit,bit) from public;
grant execute on function pathmend.pages_in_reach(uuid,integer,bigint[],bigint[],double precision[],halfvec,sparsevec[],jsonb,bit,bit) to pathmend_service;
grant execute on function pathmend.pages_in_reach(uuid,integer,bigint[],bigint[],double precision[],halfvec,sparsevec[],jsonb,bit,bit) to pathmend_tenant;
