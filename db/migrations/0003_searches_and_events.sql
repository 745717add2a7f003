-- What visitors looked for. Partitioned by week of arrival, so that retention drops whole partitions.

create table pathmend.searches (
  project_id  uuid not null,
  search_id   uuid not null,
  searched_at timestamptz not null,
  kind        text not null constraint searches__kind check (kind in ('suggest', 'semantic-search', 'search', 'proxy')),
  is_test     boolean not null,
  input       text not null,
  understood  text not null,
  filtered    boolean not null,
  threshold   double precision not null,
  results     jsonb not null,
  best_score  double precision,
  cached      boolean not null,
  took_ms     double precision not null,
  constraint searches__pkey primary key (project_id, search_id, searched_at)
) partition by range (searched_at);
comment on column pathmend.searches.understood is 'The path after sanitizing and spelling; the query itself for other kinds.';
comment on column pathmend.searches.results is 'What was answered: [{page_id, url, score}], best first.';

create table pathmend.clicks (
  project_id   uuid not null,
  event_id     uuid not null,
  received_at  timestamptz not null,
  occurred_at  timestamptz not null,
  search_id    uuid not null,
  clicked_url  text not null,
  clicked_rank bigint not null,
  raw_path     text not null,
  origin       text,
  is_test      boolean not null,
  constraint clicks__pkey primary key (project_id, event_id, received_at)
) partition by range (received_at);
create index clicks__search on pathmend.clicks (project_id, search_id);
comment on column pathmend.clicks.search_id is 'Links to searches of the same project; one that is unknown stays unlinked.';

create table pathmend.not_founds (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  raw_path    text not null,
  origin      text,
  referrer    text,
  user_agent  text,
  visitor_ip  inet,
  is_test     boolean not null,
  constraint not_founds__pkey primary key (project_id, event_id, received_at)
) partition by range (received_at);
create index not_founds__path on pathmend.not_founds (project_id, raw_path);
comment on column pathmend.not_founds.visitor_ip is 'As EVENT_IP_MODE leaves it: whole, truncated to /24 or /48, or null.';

-- The read-only role of analysts. Roles belong to the whole server: it may exist already, or be the
-- administrator's to make.
do $$
begin
  if not exists (select from pg_roles where rolname = 'pathmend_analyst') then
    create role pathmend_analyst nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pathmend_analyst was not created: ask an administrator to run `create role pathmend_analyst nologin`';
end $$;
