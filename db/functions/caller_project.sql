-- The project that this session works for; null where it works for all of them.
create or replace function pathmend.caller_project() returns uuid
language sql stable parallel safe as $$
  select nullif(current_setting('pathmend.project', true), '')::uuid
$$;
