-- What became of each `pages sync`: the console lists the runs of a project with their reports. The command keeps the latest
-- hundred of each project.
create table pathmend.sync_runs (
  project_id uuid not null constraint sync_runs__project references pathmend.projects on delete cascade,
  run_id     uuid not null default gen_random_uuid(),
  source     text not null constraint sync_runs__source check (char_length(source) <= 2048),
  prune      boolean not null,
  dry_run    boolean not null,
  began_at   timestamptz not null,
  ended_at   timestamptz,
  outcome    text constraint sync_runs__outcome check (outcome in ('done', 'incomplete', 'failed')),
  report     jsonb not null default '{}',
  problem    text constraint sync_runs__problem check (char_length(problem) <= 2048),
  refusals   jsonb not null default '[]',
  left_out   jsonb not null default '{}',
  constraint sync_runs__pkey primary key (project_id, run_id),
  constraint sync_runs__ended check ((ended_at is null) = (outcome is null))
);
create index sync_runs__began_at on pathmend.sync_runs (project_id, began_at, run_id);
alter table pathmend.sync_runs enable row level security;
comment on table pathmend.sync_runs is 'Runs of `pages sync` with their reports: the latest hundred of each project.';
comment on column pathmend.sync_runs.source is 'What was read, without credentials and query string.';
comment on column pathmend.sync_runs.outcome is
  'incomplete: something was refused, or not deleted although it was to be. Null: it runs, or was cut off.';
comment on column pathmend.sync_runs.report is 'Counts: created, updated_content, updated_metadata, unchanged, gone, refused, redirects.';
comment on column pathmend.sync_runs.problem is 'Why it failed, or why nothing was deleted.';
comment on column pathmend.sync_runs.refusals is 'The first that were refused: where, and the reason.';
comment on column pathmend.sync_runs.left_out is 'Urls of a site that were not read, by reason.';
