-- For whom a search was made, and whether it ended in a redirect; the sums tell people from others by it.

-- The 404 page of GET /v1/not-found has a kind of its own. Rows that met the old constraint meet this one: they are not read.
alter table pathmend.searches drop constraint searches__kind;
alter table pathmend.searches add constraint searches__kind
  check (kind in ('suggest', 'semantic-search', 'search', 'proxy', 'not-found')) not valid;

alter table pathmend.searches
  add column of_others boolean not null default false,
  add column redirected boolean not null default false;
comment on column pathmend.searches.of_others is
  'For a robot, scanner, search engine or assistant: by the 404 that names the search, else by its own user agent and path. Nobody known counts as a person.';
comment on column pathmend.searches.redirected is 'The visitor was redirected: by proxy or not-found, or by the site, as the 404 that names the search says.';
-- What the release before did: its threshold was the same for all.
update pathmend.searches set redirected = true where kind = 'proxy' and best_score > 0.9;

alter table pathmend.search_days
  add column redirected bigint not null default 0,
  add column others bigint not null default 0,
  add column others_clicked bigint not null default 0,
  add column others_redirected bigint not null default 0;
comment on column pathmend.search_days.redirected is 'Of these, the ones whose visitor was redirected.';
comment on column pathmend.search_days.others is 'Of searches, those of others than people (searches.of_others); the next two: of clicked and redirected.';
alter table pathmend.position_days
  add column others_shown bigint not null default 0,
  add column others_clicked bigint not null default 0;
comment on column pathmend.position_days.shown is 'Searches that had a suggestion there and did not redirect.';
comment on column pathmend.position_days.others_shown is 'Of shown, those of others than people; others_clicked: of clicked.';
alter table pathmend.empty_search_days add column others bigint not null default 0;
comment on column pathmend.empty_search_days.others is 'Of searches, those of others than people.';
alter table pathmend.latency_days add column others bigint not null default 0;
comment on column pathmend.latency_days.others is 'Of searches, those of others than people.';

-- Maintenance makes the sums of what is there already.
update pathmend.rollups set stale = true where what = 'searches';
