-- What visitors clicked and missed. Partitioned as searches.

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
-- As not_founds__day.
create index clicks__day on pathmend.clicks
  using brin (((received_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
create index clicks__search on pathmend.clicks (project_id, search_id);
comment on column pathmend.clicks.search_id is 'Links to searches of the same project; one that is unknown stays unlinked.';

create table pathmend.not_founds (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  key_id      uuid,
  is_test     boolean not null,
  raw_path    text not null,
  origin      text,
  host        text,
  referrer    text,
  user_agent  text,
  visitor     text not null default 'unknown',
  visitor_ip  inet,
  search_id   uuid,
  outcome     text not null default 'unlinked'
) partition by range (((received_at at time zone 'UTC')::date));
-- With it a day is read and not its week. Rows are stored nearly in the order of their time, so ranges of pages are enough: some
-- 50 KB for 700,000 rows, and nothing to keep up at each insert. Imported logs are out of order: their pages are read as before.
-- Its statistics help, too: without them the planner expects half a percent of the rows in any range of days.
create index not_founds__day on pathmend.not_founds
  using brin (((received_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
create index not_founds__search on pathmend.not_founds (project_id, search_id) where search_id is not null;
comment on column pathmend.not_founds.received_at is 'Its own time, where it carried one (timestamp, an access log); else its arrival.';
comment on column pathmend.not_founds.key_id is 'The key that reported it; null: an imported log.';
comment on column pathmend.not_founds.host is 'Of X-Original-Host, where origin is null.';
comment on column pathmend.not_founds.visitor is 'person, assistant, search_engine, scanner, robot or unknown (no user agent).';
comment on column pathmend.not_founds.visitor_ip is 'As EVENT_IP_MODE leaves it: whole, truncated to /24 or /48, or null.';
comment on column pathmend.not_founds.search_id is 'The search of the answer; a click on a suggestion names it, too.';
comment on column pathmend.not_founds.outcome is 'redirected, clicked, suggested (shown, none clicked), nothing (to show), gone (410), robot (of robots and scanners, whatever was answered) or unlinked (the event names no search that is known).';

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
comment on table pathmend.history_days is 'How much of a project''s searches and events arrived on a UTC day, and what of it was only counted (HISTORY_MB_PER_DAY).';
comment on column pathmend.history_days.bytes is 'Of all that arrived, as JSON.';
comment on column pathmend.history_days.stored is 'Searches or events that were stored.';
comment on column pathmend.history_days.not_kept is 'Searches or events that came beyond the limit, and were counted here and not stored.';

create table pathmend.refused_events (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  refused_at  timestamptz not null default now(),
  reason      text not null,
  event       jsonb not null,
  constraint refused_events__pkey primary key (project_id, event_id)
);
comment on table pathmend.refused_events is 'Events that were acknowledged and that the database refuses to store, set aside so that others do not wait for them.';
comment on column pathmend.refused_events.event is 'The whole event, as it was queued.';
