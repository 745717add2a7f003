-- The sums of 404s and searches that the analysts' views read: nobody adds up millions of rows for a picture.
-- db/functions/count_not_founds.sql and count_searches.sql keep them up in the transaction that stores the rows. Days and
-- weeks are UTC's; what came with test keys is in none. No foreign keys, as the history itself.

create table pathmend.rollups (
  project_id uuid not null,
  what       text not null constraint rollups__what check (what in ('not_founds', 'searches')),
  stale      boolean not null default false,
  paths      bigint not null default 0,
  forgotten  bigint not null default 0,
  constraint rollups__pkey primary key (project_id, what)
) with (fillfactor = 50);
comment on table pathmend.rollups is 'Whoever changes a project''s sums locks its row here first: one at a time.';
comment on column pathmend.rollups.stale is 'The sums of older rows have to be made: maintenance does it.';
comment on column pathmend.rollups.paths is 'Rows of missing_paths.';
comment on column pathmend.rollups.forgotten is 'The most 404s of people, forgotten ones included, of a path that made room for others.';

create table pathmend.waiting_links (
  project_id uuid not null,
  search_id  uuid not null,
  near       timestamptz not null,
  added_at   timestamptz not null default now(),
  constraint waiting_links__pkey primary key (project_id, search_id)
);
comment on table pathmend.waiting_links is 'Searches that a click or a 404 names, until it is linked to them: a search is stored a moment after its answer.';
comment on column pathmend.waiting_links.near is 'The time of the event: says which weeks have the search.';

create table pathmend.not_found_days (
  project_id uuid not null,
  day        date not null,
  origin     text collate "C" not null constraint not_found_days__origin check (octet_length(origin) <= 1000),
  visitor    text not null,
  outcome    text not null,
  hits       bigint not null,
  constraint not_found_days__pkey primary key (project_id, day, origin, visitor, outcome)
) with (fillfactor = 50);
alter table pathmend.not_found_days enable row level security;
comment on table pathmend.not_found_days is '404s by day, origin, visitor and outcome: complete.';
comment on column pathmend.not_found_days.origin is 'Scheme and host; empty: none was told; (other): beyond twenty origins a day.';

-- A spike is seen by the hour.
create table pathmend.not_found_hours (
  project_id uuid not null,
  hour       timestamptz not null,
  hits       bigint not null,
  constraint not_found_hours__pkey primary key (project_id, hour)
) with (fillfactor = 50);
alter table pathmend.not_found_hours enable row level security;
comment on table pathmend.not_found_hours is '404s of people and unknown visitors by hour.';

-- Of the paths that people miss, those that many miss are kept apart, whenever they come: the rarest make room for new ones
-- (Space-Saving: Metwally, Agrawal, El Abbadi 2005).
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
  first_seen     timestamptz not null,
  last_seen      timestamptz not null,
  last_human     timestamptz,
  best_page_id   text collate "C",
  best_url       text,
  best_score     double precision,
  best_at        timestamptz,
  forgotten      bigint not null default 0,
  constraint missing_paths__pkey primary key (project_id, path_hash)
) with (fillfactor = 70);
create index missing_paths__human on pathmend.missing_paths (project_id, (people + unknown) desc, path_hash);
-- The console's inbox: missing paths by people's hits times doubt, which is 1 - the best suggestion's score.
create index missing_paths__inbox on pathmend.missing_paths
  (project_id, ((people + unknown) * (1 - coalesce(best_score, 0))) desc, path_hash desc) where people + unknown > 0;
create index missing_paths__plain on pathmend.missing_paths (project_id, plain_hash);
alter table pathmend.missing_paths enable row level security;
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
  first_seen timestamptz not null,
  last_seen  timestamptz not null,
  constraint path_days__pkey primary key (project_id, day, path_hash, visitor)
) with (fillfactor = 70);
create index path_days__path on pathmend.path_days (project_id, path_hash, day);
alter table pathmend.path_days enable row level security;
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
  first_seen    timestamptz not null,
  last_seen     timestamptz not null,
  constraint referrer_weeks__pkey primary key (project_id, week, path_hash, referrer_hash)
) with (fillfactor = 70);
create index referrer_weeks__path on pathmend.referrer_weeks (project_id, path_hash);
alter table pathmend.referrer_weeks enable row level security;
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
  constraint search_days__pkey primary key (project_id, day, kind, band)
) with (fillfactor = 50);
alter table pathmend.search_days enable row level security;
comment on table pathmend.search_days is 'Searches by day, kind and band of their best score.';
comment on column pathmend.search_days.band is 'Tenths: 7 is 0.7 to 0.8, 9 is 0.9 to 1.0; -1: no result.';
comment on column pathmend.search_days.clicked is 'Of these, the ones with a click within seven days. filtered: the ones with filters.';
comment on column pathmend.search_days.redirected is 'Of these, the ones whose visitor was redirected.';
comment on column pathmend.search_days.others is 'Of searches, those of others than people (searches.of_others); the next two: of clicked and redirected.';

create table pathmend.position_days (
  project_id     uuid not null,
  day            date not null,
  kind           text not null,
  position       smallint not null,
  band           smallint not null,
  shown          bigint not null,
  clicked        bigint not null,
  others_shown   bigint not null default 0,
  others_clicked bigint not null default 0,
  constraint position_days__pkey primary key (project_id, day, kind, "position", band)
) with (fillfactor = 50);
alter table pathmend.position_days enable row level security;
comment on table pathmend.position_days is 'Suggestions by day, kind of search, position and band of their score.';
comment on column pathmend.position_days.position is 'From 1 on; 10: the tenth and all behind it.';
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
  last_searched timestamptz not null,
  others        bigint not null default 0,
  constraint empty_search_days__pkey primary key (project_id, day, kind, query_hash)
) with (fillfactor = 70);
alter table pathmend.empty_search_days enable row level security;
comment on table pathmend.empty_search_days is 'Unfiltered searches without a result, by what was understood: 1,000 a day; those beyond are (other), with an empty hash.';
comment on column pathmend.empty_search_days.others is 'Of searches, those of others than people.';

create table pathmend.latency_days (
  project_id uuid not null,
  day        date not null,
  kind       text not null,
  bucket     smallint not null,
  searches   bigint not null,
  others     bigint not null default 0,
  constraint latency_days__pkey primary key (project_id, day, kind, bucket)
) with (fillfactor = 50);
alter table pathmend.latency_days enable row level security;
comment on table pathmend.latency_days is 'Searches by how long they took.';
comment on column pathmend.latency_days.bucket is 'From 10^(bucket/20) to 10^((bucket+1)/20) milliseconds, -40 to 100: the bounds are an eighth apart.';
comment on column pathmend.latency_days.others is 'Of searches, those of others than people.';
