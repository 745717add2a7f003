-- What an api process needs beyond its tenants' rows: to resolve keys, take tokens, log searches and queue jobs. Grant it
-- to a login that owns nothing (docs/operate/database.md); it can read and write rows, and change no table.
do $$
begin
  if exists (select from pg_roles where rolname = 'pathmend_service') then
    -- What an earlier release granted, or somebody by hand.
    revoke all on schema pathmend from pathmend_service;
    revoke all on all tables in schema pathmend from pathmend_service;
    revoke all on all sequences in schema pathmend from pathmend_service;
    revoke all on all functions in schema pathmend from pathmend_service;
    grant usage on schema pathmend to pathmend_service;
    grant select, insert, update, delete on all tables in schema pathmend to pathmend_service;
    revoke insert, update, delete on pathmend.migrations, pathmend.repeatables from pathmend_service;
    -- Whoever gets into an api process cannot make workers load a model from where he likes.
    revoke insert, update, delete on pathmend.models, pathmend.model_names from pathmend_service;
    -- Whoever gets into an api process cannot hide what was changed through the console.
    revoke update, delete on pathmend.audit_log from pathmend_service;
    -- Nor what they read (policies.sql): he can only choose when.
    revoke update on pathmend.project_sources from pathmend_service;
    grant update (every_seconds, prune, next_at) on pathmend.project_sources to pathmend_service;
    revoke all on pathmend.analyst_projects from pathmend_service;
    grant usage on all sequences in schema pathmend to pathmend_service;
    grant execute on function
      pathmend.matching_pages, pathmend.near_words, pathmend.page_exists, pathmend.pages_in_reach, pathmend.ensure_weeks
      to pathmend_service;
  end if;
end $$;
