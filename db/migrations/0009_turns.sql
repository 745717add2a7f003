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
