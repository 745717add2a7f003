-- What the worker makes the pages of a project equal to, and what a sync saw.

create table pathmend.project_sources (
  project_id    uuid not null constraint project_sources__pkey primary key
                constraint project_sources__project references pathmend.projects on delete cascade,
  kind          text not null constraint project_sources__kind check (kind in ('url', 'path', 'upload')),
  source        text not null constraint project_sources__source check (char_length(source) <= 2048),
  base          text constraint project_sources__base check (char_length(base) <= 2048),
  include       text[] not null default '{}',
  exclude       text[] not null default '{}',
  follows_links boolean,
  guarded       boolean not null,
  prune         boolean not null,
  every_seconds integer constraint project_sources__every check (every_seconds > 0),
  next_at       timestamptz,
  set_by        text not null,
  set_at        timestamptz not null
);
create index project_sources__next_at on pathmend.project_sources (next_at) where next_at is not null;
alter table pathmend.project_sources enable row level security;
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
  project_id uuid not null constraint uploads__project references pathmend.projects on delete cascade,
  upload_id  uuid not null default gen_random_uuid(),
  name       text not null constraint uploads__name check (char_length(name) <= 255),
  bytes      integer,
  begun_at   timestamptz not null,
  constraint uploads__pkey primary key (project_id, upload_id)
);
-- One file is complete, and one other is on its way.
create unique index uploads__one_each on pathmend.uploads (project_id, (bytes is null));
alter table pathmend.uploads enable row level security;
comment on table pathmend.uploads is 'The file that a project is synced from, where somebody uploaded one.';
comment on column pathmend.uploads.bytes is 'Null: it is on its way.';

create table pathmend.upload_chunks (
  project_id uuid not null,
  upload_id  uuid not null,
  place      integer not null constraint upload_chunks__place check (place between 0 and 255),
  bytes      bytea not null constraint upload_chunks__bytes check (octet_length(bytes) <= 1048576),
  constraint upload_chunks__pkey primary key (project_id, upload_id, place),
  constraint upload_chunks__upload foreign key (project_id, upload_id) references pathmend.uploads on delete cascade
);
alter table pathmend.upload_chunks enable row level security;
comment on table pathmend.upload_chunks is 'What is in them, in pieces.';

-- A run waits until a worker takes it, says how far it is, and is seen to be cut off when it says nothing more.
create table pathmend.sync_runs (
  project_id uuid not null constraint sync_runs__project references pathmend.projects on delete cascade,
  run_id     uuid not null default gen_random_uuid(),
  source     text not null constraint sync_runs__source check (char_length(source) <= 2048),
  prune      boolean not null,
  dry_run    boolean not null,
  preview    boolean not null default false,
  asked_by   text not null,
  tries      integer not null default 0,
  began_at   timestamptz not null,
  heard_at   timestamptz,
  ended_at   timestamptz,
  outcome    text constraint sync_runs__outcome check (outcome in ('done', 'incomplete', 'failed')),
  report     jsonb not null default '{}',
  problem    text constraint sync_runs__problem check (char_length(problem) <= 2048),
  refusals   jsonb not null default '[]',
  left_out   jsonb not null default '{}',
  seen       jsonb,
  constraint sync_runs__pkey primary key (project_id, run_id),
  constraint sync_runs__ended check ((ended_at is null) = (outcome is null))
);
create index sync_runs__began_at on pathmend.sync_runs (project_id, began_at, run_id);
create index sync_runs__open on pathmend.sync_runs (project_id) where ended_at is null;
-- One run at a time makes the pages of a project equal to its source.
create unique index sync_runs__running on pathmend.sync_runs (project_id)
  where ended_at is null and heard_at is not null and not dry_run and not preview;
create unique index sync_runs__waiting on pathmend.sync_runs (project_id, preview)
  where ended_at is null and heard_at is null;
alter table pathmend.sync_runs enable row level security;
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

-- A page that has not changed is not read again: its links are kept with its validators.
create table pathmend.page_validators (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  etag          text,
  last_modified text,
  lastmod       text,
  links         bytea constraint page_validators__links check (octet_length(links) <= 8000),
  stored_at     timestamptz not null default now(),
  constraint page_validators__pkey primary key (project_id, page_id),
  constraint page_validators__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
alter table pathmend.page_validators enable row level security;
comment on table pathmend.page_validators is 'Of pages that were read from their site. A row counts while the page has not been changed since stored_at.';
comment on column pathmend.page_validators.lastmod is 'The word of the sitemap.';
comment on column pathmend.page_validators.links is 'Of each link to the site that the page has, the first eight bytes of the SHA-256 of its url. Null: it was not crawled.';

-- What the guard of `pages sync --prune` once held back stays held until somebody says --force, or the source names it again:
-- with new pages its share would look small in the next run.
create table pathmend.held_pages (
  project_id uuid not null,
  page_id    text collate "C" not null,
  constraint held_pages__pkey primary key (project_id, page_id),
  constraint held_pages__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
alter table pathmend.held_pages enable row level security;
comment on table pathmend.held_pages is 'Pages that their source does not have, and that `pages sync --prune` did not delete because they were too many.';

create table pathmend.broken_links (
  project_id uuid not null constraint broken_links__project references pathmend.projects on delete cascade,
  place      integer not null constraint broken_links__place check (place between 1 and 10000),
  url        text not null,
  path       text not null,
  path_hash  bytea not null,
  plain_hash bytea not null,
  status     smallint,
  answer     text not null constraint broken_links__answer check (char_length(answer) <= 500),
  pages      text[] not null constraint broken_links__pages check (cardinality(pages) <= 20),
  page_count integer not null,
  checked_at timestamptz not null,
  constraint broken_links__pkey primary key (project_id, place)
);
create index broken_links__path on pathmend.broken_links (project_id, path_hash);
alter table pathmend.broken_links enable row level security;
comment on table pathmend.broken_links is 'Links of the site that led to no page when its latest crawl asked for them: the ten thousand that most pages have, by place.';
comment on column pathmend.broken_links.path is 'Of the url, without query string: as missing_paths.path.';
comment on column pathmend.broken_links.path_hash is 'As missing_paths.path_hash.';
comment on column pathmend.broken_links.plain_hash is 'As missing_paths.plain_hash.';
comment on column pathmend.broken_links.status is 'Null: there was no answer, or none that ends.';
comment on column pathmend.broken_links.answer is 'In words.';
comment on column pathmend.broken_links.pages is 'Urls of the first pages that have the link.';
comment on column pathmend.broken_links.page_count is 'How many pages have it.';
