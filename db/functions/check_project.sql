-- For functions that run with their owner's rights: refuses a session that works for another project. On Citus these
-- functions run on the node with the project's rows, as part of a statement there. The setting below allows them to read the
-- rows. Other PostgreSQL servers ignore it.
create or replace function pathmend.check_project(p_project uuid) returns void
language plpgsql stable as $$
begin
  perform set_config('citus.allow_nested_distributed_execution', 'on', true);
  if p_project is distinct from coalesce(pathmend.caller_project(), p_project) then
    raise insufficient_privilege using message = 'this session works for another project';
  end if;
end $$;
