-- The project that this session works for; null if it works for all projects.
create or replace function pathmend.caller_project() returns uuid
language sql stable parallel safe as $$
  select nullif(current_setting('pathmend.project', true), '')::uuid
$$;
