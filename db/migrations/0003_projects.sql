-- Who may call, and at what rate.
--
-- Tables that hold rows of a project carry project_id first in their key, so that they can be partitioned or distributed
-- by project later. projects, models and api_keys are the small catalogue that a request is resolved with, before its
-- project is known; they would be replicated, not distributed.
--
-- Row level security, here and below, is a second wall between tenants. The first is that every statement says
-- `project_id =`; behind it, whatever is done for one project runs as the role pathmend_tenant, which PostgreSQL shows
-- the rows of that project only (db/access/policies.sql). The owner and superusers are not subject to it: migrations,
-- workers and maintenance see all projects.

create table pathmend.projects (
  project_id     uuid not null default gen_random_uuid() constraint projects__pkey primary key,
  name           text not null constraint projects__name unique
                 constraint projects__name_length check (char_length(name) between 1 and 200),
  plan           text constraint projects__plan check (plan in ('hacker', 'solo', 'startup', 'scale', 'enterprise')),
  access         text not null default 'open' constraint projects__access check (access in ('open', 'restricted')),
  read_rate      double precision not null default 0 constraint projects__read_rate check (read_rate >= 0),
  read_burst     double precision not null default 0 constraint projects__read_burst check (read_burst >= 0),
  write_rate     double precision not null default 0 constraint projects__write_rate check (write_rate >= 0),
  write_burst    double precision not null default 0 constraint projects__write_burst check (write_burst >= 0),
  model_id       integer constraint projects__model references pathmend.models,
  model_choice   text,
  model_decided  jsonb,
  title_evidence boolean not null default true,
  redirect_above double precision not null default 0.9
                 constraint projects__redirect_above check (redirect_above between 0.5 and 1),
  shown_from     double precision not null default 0.1
                 constraint projects__shown_from check (shown_from between 0 and 1),
  trial          boolean not null default false,
  path_case      text constraint projects__path_case check (path_case in ('ignored', 'matters')),
  path_slash     text constraint projects__path_slash check (path_slash in ('ignored', 'matters')),
  site_search    text constraint projects__site_search check (char_length(site_search) <= 2048),
  created_at     timestamptz not null default now()
);
alter table pathmend.projects enable row level security;
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
  project_id   uuid not null constraint api_keys__project references pathmend.projects on delete cascade,
  key_id       uuid not null default gen_random_uuid(),
  name         text constraint api_keys__name_length check (char_length(name) between 1 and 100),
  key_hash     bytea not null constraint api_keys__key_hash unique,
  ending       text not null,
  mode         text not null constraint api_keys__mode check (mode in ('live', 'test')),
  scopes       text[] not null
               constraint api_keys__scopes check (scopes <@ array['read', 'write', 'rules'] and scopes <> '{}'),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  constraint api_keys__pkey primary key (project_id, key_id)
);
comment on column pathmend.api_keys.name is 'What its owner calls it; null: nothing.';
comment on column pathmend.api_keys.key_hash is 'SHA-256 of the whole key. The key itself is stored nowhere.';
comment on column pathmend.api_keys.ending is 'The last four characters, to recognize a key by.';

-- Unlogged: it is written by every request, and losing it in a crash only fills the buckets.
create unlogged table pathmend.rate_buckets (
  project_id   uuid not null constraint rate_buckets__project references pathmend.projects on delete cascade,
  bucket       text not null constraint rate_buckets__bucket check (bucket in ('read', 'write')),
  tokens       double precision not null,
  updated_at   timestamptz not null,
  leased_to    uuid,
  others_until timestamptz not null default 'epoch',
  constraint rate_buckets__pkey primary key (project_id, bucket)
) with (fillfactor = 50);
comment on column pathmend.rate_buckets.leased_to is 'The process that was admitted last; its leases are over 30 ms after updated_at.';
comment on column pathmend.rate_buckets.others_until is 'When the leases of all other processes are over.';

-- Work on a project that two must not do at once takes turns by rows, not by advisory locks: these are anybody's who may
-- connect, and an analyst who held one would keep events from being stored.
create table pathmend.turns (
  project_id    uuid not null constraint turns__project references pathmend.projects on delete cascade,
  what          text not null constraint turns__what check (what in ('learned_redirects', 'index_segments')),
  pid           integer,
  session_began timestamptz,
  constraint turns__pkey primary key (project_id, what)
);
alter table pathmend.turns enable row level security;
comment on table pathmend.turns is 'Whose turn it is to do work on a project that only one may do at a time.';
comment on column pathmend.turns.what is 'learned_redirects: who has the row locked writes or learns redirects, until its transaction ends. index_segments: the session named here builds, for as long as it lives.';

create table pathmend.index_versions (
  project_id uuid not null constraint index_versions__pkey primary key
             constraint index_versions__project references pathmend.projects on delete cascade,
  version    bigint not null default 1,
  words      bigint not null default 0,
  pages      bigint not null default 0,
  gone_share real
) with (fillfactor = 50);
alter table pathmend.index_versions enable row level security;
comment on table pathmend.index_versions is 'Bumped last in every transaction that changes an index, so that a cached answer is never older than the last change.';
comment on column pathmend.index_versions.words is 'Distinct words of the vocabulary: counting them takes a tenth of a second. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';
comment on column pathmend.index_versions.pages is 'Searchable pages: rows of indexed_pages. Counting a million of them took a tenth of a second after each change.';
comment on column pathmend.index_versions.gone_share is 'The share of missing paths that are gone, estimated from decisions of people; null: unknown, or as usual, a third.';

-- Analysts who see some projects only.
create table pathmend.analyst_projects (
  project_id uuid not null constraint analyst_projects__project references pathmend.projects on delete cascade,
  login      name not null,
  constraint analyst_projects__pkey primary key (project_id, login)
);
comment on table pathmend.analyst_projects is 'Which projects a member of pathmend_project_analyst sees in the views of analytics. The owner alone reads and writes it.';
comment on column pathmend.analyst_projects.login is 'The name of a database role that logs in.';
