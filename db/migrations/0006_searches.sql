-- What visitors looked for, and what people judged of the answers.
--
-- Searches and events are partitioned by week, so that retention drops whole partitions, and by their UTC day, as the
-- analysts' views show it: a filter on the views' day reads the weeks that it is about and no others. The weeks, and their
-- primary keys, are made by db/functions/ensure_weeks.sql: a key over all weeks cannot hold an expression.

create table pathmend.searches (
  project_id     uuid not null,
  search_id      uuid not null,
  searched_at    timestamptz not null,
  kind           text not null
                 constraint searches__kind check (kind in ('suggest', 'semantic-search', 'search', 'proxy', 'not-found')),
  key_id         uuid,
  is_test        boolean not null,
  of_others      boolean not null default false,
  input          text not null,
  understood     text not null,
  filtered       boolean not null,
  threshold      double precision not null,
  results        jsonb not null,
  best_score     double precision,
  led_to         text,
  redirected     boolean not null default false,
  would_redirect boolean not null default false,
  clicked_rank   bigint,
  cached         boolean not null,
  took_ms        double precision not null
) partition by range (((searched_at at time zone 'UTC')::date));
-- As not_founds__day.
create index searches__day on pathmend.searches
  using brin (((searched_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
comment on column pathmend.searches.key_id is 'The key of the caller; null: none.';
comment on column pathmend.searches.of_others is 'For a robot, scanner, search engine or assistant: by the 404 that names the search, else by its own user agent and path. Nobody known counts as a person.';
comment on column pathmend.searches.understood is 'The path after sanitizing and spelling; the query itself for other kinds.';
comment on column pathmend.searches.results is 'What was answered: [{page_id, url, score, by}], best first. by: rule, or learned; absent for a guess.';
comment on column pathmend.searches.led_to is 'Where the answer led, or a rule leads, if that is not the first of results; null: it is, or nowhere.';
comment on column pathmend.searches.redirected is 'The visitor was redirected: by proxy or not-found, or by the site, as the 404 that names the search says.';
comment on column pathmend.searches.would_redirect is 'The project was in trial, and the score of the best page was over its threshold: without the trial, a redirect.';
comment on column pathmend.searches.clicked_rank is 'The best rank that was clicked within seven days, by live keys; null: none.';

create table pathmend.judgements (
  project_id uuid not null constraint judgements__project references pathmend.projects on delete cascade,
  path_key   bytea not null,
  url_hash   bytea not null,
  path       text not null constraint judgements__path check (char_length(path) between 1 and 2048),
  path_hash  bytea,
  url        text not null,
  score      double precision not null constraint judgements__score check (score between 0 and 1),
  is_right   boolean,
  judged_by  text not null,
  judged_at  timestamptz not null default now(),
  constraint judgements__pkey primary key (project_id, path_key, url_hash)
);
create index judgements__path_hash on pathmend.judgements (project_id, path_hash);
alter table pathmend.judgements enable row level security;
comment on table pathmend.judgements is 'Redirects that people of the site looked at: whether the page is the right one for the path. With the score 1 a rule led there.';
comment on column pathmend.judgements.path_key is 'As pages.path_key, of the dead path with its query string.';
comment on column pathmend.judgements.url_hash is 'SHA-256 of the url.';
comment on column pathmend.judgements.path is 'As it was searched for.';
comment on column pathmend.judgements.path_hash is 'As missing_paths.path_hash. Null: the query string says which page is meant, and sums do not have it.';
comment on column pathmend.judgements.url is 'Of the page that was guessed.';
comment on column pathmend.judgements.score is 'Of the search that was judged.';
comment on column pathmend.judgements.is_right is 'Null: skipped.';
comment on column pathmend.judgements.judged_by is 'E-mail address.';

-- Searches read this one: on Citus it is with the pages, and judgements are with the history that views join.
create table pathmend.wrong_guesses (
  project_id uuid not null constraint wrong_guesses__project references pathmend.projects on delete cascade,
  path_key   bytea not null,
  url_hash   bytea not null,
  url        text not null,
  constraint wrong_guesses__pkey primary key (project_id, path_key, url_hash)
);
alter table pathmend.wrong_guesses enable row level security;
comment on table pathmend.wrong_guesses is 'Judgements that a page is wrong for a path: its score is bounded, so that it redirects nobody, unless a rule leads there.';
comment on column pathmend.wrong_guesses.path_key is 'As judgements.path_key.';
comment on column pathmend.wrong_guesses.url_hash is 'SHA-256 of the url.';
