-- What visitors looked for, clicked and missed.
--
-- Searches and events are partitioned by week, so that retention drops whole partitions, and by their UTC day, as the
-- analysts' views show it: a filter on the views' day reads the weeks that it is about and no others. The weeks, and their
-- primary keys, are made by db/functions/ensure_weeks.sql: a key over all weeks cannot hold an expression.

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
  took_ms     double precision not null
) partition by range (((searched_at at time zone 'UTC')::date));
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
  is_test      boolean not null
) partition by range (((received_at at time zone 'UTC')::date));
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
  is_test     boolean not null
) partition by range (((received_at at time zone 'UTC')::date));
comment on column pathmend.not_founds.visitor_ip is 'As EVENT_IP_MODE leaves it: whole, truncated to /24 or /48, or null.';

-- Neither of the next two has a foreign key, as the history itself: whoever deletes a project deletes them.
create table pathmend.history_days (
  project_id uuid not null,
  day        date not null,
  what       text not null constraint history_days__what check (what in ('searches', 'events')),
  bytes      bigint not null,
  stored     bigint not null,
  not_kept   bigint not null,
  constraint history_days__pkey primary key (project_id, day, what)
) with (fillfactor = 50);
comment on table pathmend.history_days is
  'How much of a project''s searches and events arrived on a UTC day, and what of it was only counted (HISTORY_MB_PER_DAY).';
comment on column pathmend.history_days.bytes is 'Of all that arrived, as JSON.';
comment on column pathmend.history_days.stored is 'Searches or events that were stored.';
comment on column pathmend.history_days.not_kept is
  'Searches or events that came beyond the limit, and were counted here and not stored.';

create table pathmend.refused_events (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  refused_at  timestamptz not null default now(),
  reason      text not null,
  event       jsonb not null,
  constraint refused_events__pkey primary key (project_id, event_id)
);
comment on table pathmend.refused_events is
  'Events that were acknowledged and that the database refuses to store, set aside so that others do not wait for them.';
comment on column pathmend.refused_events.event is 'The whole event, as it was queued.';
