-- For functions that run with their owner's rights: refuses a session that works for another project.
create or replace function pathmend.check_project(p_project uuid) returns void
language plpgsql stable as $$
begin
  if p_project is distinct from coalesce(pathmend.caller_project(), p_project) then
    raise insufficient_privilege using message = 'this session works for another project';
  end if;
end $$;
