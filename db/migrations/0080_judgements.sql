-- What people said of guesses: whether a page is the right one for a dead path. A guess that somebody judged wrong is bounded.

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
comment on table pathmend.judgements is 'Guesses that people of the site looked at: whether the page is the right one for the path.';
comment on column pathmend.judgements.path_key is 'As pages.path_key, of the dead path with its query string.';
comment on column pathmend.judgements.url_hash is 'SHA-256 of the url.';
comment on column pathmend.judgements.path is 'As it was searched for.';
comment on column pathmend.judgements.path_hash is 'As missing_paths.path_hash. Null: the query string says which page is meant, and sums do not have it.';
comment on column pathmend.judgements.url is 'Of the page that was guessed.';
comment on column pathmend.judgements.score is 'Of the search that was judged.';
comment on column pathmend.judgements.is_right is 'Null: skipped.';
comment on column pathmend.judgements.judged_by is 'E-mail address.';

-- Searches read this one: on Citus it is beside the pages, and judgements are beside the history that views join.
create table pathmend.wrong_guesses (
  project_id uuid not null constraint wrong_guesses__project references pathmend.projects on delete cascade,
  path_key   bytea not null,
  url_hash   bytea not null,
  url        text not null,
  constraint wrong_guesses__pkey primary key (project_id, path_key, url_hash)
);
alter table pathmend.wrong_guesses enable row level security;
comment on table pathmend.wrong_guesses is 'Judgements that a page is wrong for a path: its score is bounded, so that it redirects nobody.';
comment on column pathmend.wrong_guesses.path_key is 'As judgements.path_key.';
comment on column pathmend.wrong_guesses.url_hash is 'SHA-256 of the url.';
