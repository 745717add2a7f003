-- Who may call, at what rate, and which model answers.
--
-- Everything of pathmend lives in the schema `pathmend`; what analysts may read lives in `analytics`.
-- Tables that hold rows of a project carry project_id first in their key, so that they can be partitioned or distributed
-- by project later. projects, models and api_keys are the small catalogue that a request is resolved with, before its
-- project is known; they would be replicated, not distributed.
--
-- Row level security, here and below, is a second wall between tenants. The first is that every statement says
-- `project_id =`; behind it, whatever is done for one project runs as the role pathmend_tenant, which PostgreSQL shows
-- the rows of that project only (db/access/policies.sql). The owner and superusers are not subject to it: migrations,
-- workers and maintenance see all projects.

create schema if not exists analytics;

create table pathmend.models (
  model_id      integer generated always as identity constraint models__pkey primary key,
  fingerprint   text not null constraint models__fingerprint unique,
  name          text not null,
  location      text,
  dimensions    integer not null,
  created_at    timestamptz not null default now(),
  configured_at timestamptz not null default now()
);
comment on table pathmend.models is 'Embedding models that vectors were made with; the fingerprint covers files and settings.';
comment on column pathmend.models.location is 'Folder or hub id to load it from; null is the bundled model.';
comment on column pathmend.models.configured_at is
  'When a worker last started with this model: the latest is what projects change to, whichever worker does the work.';

create table pathmend.projects (
  project_id  uuid not null default gen_random_uuid() constraint projects__pkey primary key,
  name        text not null constraint projects__name unique
              constraint projects__name_length check (char_length(name) between 1 and 200),
  plan        text constraint projects__plan check (plan in ('hacker', 'solo', 'startup', 'scale', 'enterprise')),
  access      text not null default 'open' constraint projects__access check (access in ('open', 'restricted')),
  read_rate   double precision not null default 0 constraint projects__read_rate check (read_rate >= 0),
  read_burst  double precision not null default 0 constraint projects__read_burst check (read_burst >= 0),
  write_rate  double precision not null default 0 constraint projects__write_rate check (write_rate >= 0),
  write_burst double precision not null default 0 constraint projects__write_burst check (write_burst >= 0),
  model_id    integer constraint projects__model references pathmend.models,
  created_at  timestamptz not null default now()
);
alter table pathmend.projects enable row level security;
comment on column pathmend.projects.model_id is
  'The model whose vectors answer searches; another may be re-embedding behind it. Null until the first page is indexed.';
comment on column pathmend.projects.read_rate is 'Tokens a second; bursts are the capacity of the bucket. Copied from the plan.';

create table pathmend.api_keys (
  project_id   uuid not null constraint api_keys__project references pathmend.projects on delete cascade,
  key_id       uuid not null default gen_random_uuid(),
  key_hash     bytea not null constraint api_keys__key_hash unique,
  ending       text not null,
  mode         text not null constraint api_keys__mode check (mode in ('live', 'test')),
  scopes       text[] not null constraint api_keys__scopes check (scopes <@ array['read', 'write'] and scopes <> '{}'),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  constraint api_keys__pkey primary key (project_id, key_id)
);
comment on column pathmend.api_keys.key_hash is 'SHA-256 of the whole key. The key itself is stored nowhere.';
comment on column pathmend.api_keys.ending is 'The last four characters, to recognize a key by.';

-- Unlogged: it is written by every request, and losing it in a crash only fills the buckets.
create unlogged table pathmend.rate_buckets (
  project_id uuid not null constraint rate_buckets__project references pathmend.projects on delete cascade,
  bucket     text not null constraint rate_buckets__bucket check (bucket in ('read', 'write')),
  tokens     double precision not null,
  updated_at timestamptz not null,
  leased_to    uuid,
  others_until timestamptz not null default 'epoch',
  constraint rate_buckets__pkey primary key (project_id, bucket)
) with (fillfactor = 50);
comment on column pathmend.rate_buckets.leased_to is
  'The process that was admitted last; its leases are over 30 ms after updated_at.';
comment on column pathmend.rate_buckets.others_until is 'When the leases of all other processes are over.';

-- Work on a project that two must not do at once takes turns by rows, not by advisory locks: these are anybody's who may
-- connect, and an analyst who held one would keep events from being stored.
create table pathmend.turns (
  project_id    uuid not null constraint turns__project references pathmend.projects on delete cascade,
  what          text not null constraint turns__what check (what in ('moves', 'own_indexes')),
  pid           integer,
  session_began timestamptz,
  constraint turns__pkey primary key (project_id, what)
);
alter table pathmend.turns enable row level security;
comment on table pathmend.turns is 'Whose turn it is to do work on a project that only one may do at a time.';
comment on column pathmend.turns.what is
  'moves: who has the row locked writes or learns moves, until its transaction ends. own_indexes: the session named here builds, for as long as it lives.';
