-- A project's source, which the worker syncs by itself: until now an operator's cron ran `pages sync`. A run of it waits until a
-- worker takes it, says how far it is, and is seen to be cut off when it says nothing more.

create table pathmend.project_sources (
  project_id    uuid not null constraint project_sources__project references pathmend.projects on delete cascade,
  kind          text not null constraint project_sources__kind check (kind in ('url', 'path', 'upload')),
  source        text not null constraint project_sources__source check (char_length(source) <= 2048),
  base          text constraint project_sources__base check (char_length(base) <= 2048),
  every_seconds int constraint project_sources__every check (every_seconds > 0),
  prune         boolean not null,
  guarded       boolean not null,
  follows_links boolean,
  set_by        text not null,
  set_at        timestamptz not null,
  next_at       timestamptz,
  constraint project_sources__pkey primary key (project_id)
);
create index project_sources__next_at on pathmend.project_sources (next_at) where next_at is not null;
alter table pathmend.project_sources enable row level security;
comment on table pathmend.project_sources is 'What the worker makes the pages of a project equal to.';
comment on column pathmend.project_sources.source is 'A url, a path of the worker''s machine, or the name of the uploaded file.';
comment on column pathmend.project_sources.base is 'The url of the site''s root, where the source does not say it.';
comment on column pathmend.project_sources.every_seconds is 'Null: only when somebody asks for it.';
comment on column pathmend.project_sources.guarded is 'A person named the url in the console: no private address is asked.';
comment on column pathmend.project_sources.follows_links is
  'True: the site has no sitemap. Null: nobody knows yet. Once known it stays, so that a sitemap that is missing once makes no page seem gone.';
comment on column pathmend.project_sources.next_at is 'Null: never.';

create table pathmend.uploads (
  project_id uuid not null constraint uploads__project references pathmend.projects on delete cascade,
  upload_id  uuid not null default gen_random_uuid(),
  name       text not null constraint uploads__name check (char_length(name) <= 255),
  bytes      int,
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
  place      int not null constraint upload_chunks__place check (place between 0 and 255),
  bytes      bytea not null constraint upload_chunks__bytes check (octet_length(bytes) <= 1048576),
  constraint upload_chunks__pkey primary key (project_id, upload_id, place),
  constraint upload_chunks__upload foreign key (project_id, upload_id) references pathmend.uploads on delete cascade
);
alter table pathmend.upload_chunks enable row level security;
comment on table pathmend.upload_chunks is 'What is in them, in pieces.';

alter table pathmend.sync_runs
  add column preview  boolean not null default false,
  add column asked_by text,
  add column tries    int not null default 0,
  add column heard_at timestamptz,
  add column seen     jsonb;
comment on table pathmend.sync_runs is 'Syncs with their reports: the latest hundred of each project.';
comment on column pathmend.sync_runs.preview is 'A first look at the source, which stores no page.';
comment on column pathmend.sync_runs.asked_by is 'Null: a release before wrote it.';
comment on column pathmend.sync_runs.tries is 'How often a worker took it. 0: it waits, or the command line runs it.';
comment on column pathmend.sync_runs.heard_at is 'When it last said how far it is. Null: it waits for a worker.';
comment on column pathmend.sync_runs.seen is 'What a preview found.';
-- One at a time makes the pages of a project equal to something.
create unique index sync_runs__running on pathmend.sync_runs (project_id)
  where ended_at is null and heard_at is not null and not dry_run and not preview;
create unique index sync_runs__waiting on pathmend.sync_runs (project_id, preview)
  where ended_at is null and heard_at is null and asked_by is not null;
create index sync_runs__open on pathmend.sync_runs (project_id) where ended_at is null and asked_by is not null;

alter table pathmend.alerts drop constraint alerts__kind;
alter table pathmend.alerts add constraint alerts__kind
  check (kind in ('not_found_spike', 'dead_target', 'refused_prune', 'sync_failed', 'page_error'));
