-- For functions that run with their owner's rights: refuses a session that works for another project. On Citus they run on
-- the node that has the project's rows, as part of a statement there, and it is this setting that lets them read these rows.
-- Elsewhere nobody knows it.
create or replace function pathmend.check_project(p_project uuid) returns void
language plpgsql stable as $$
begin
  perform set_config('citus.allow_nested_distributed_execution', 'on', true);
  if p_project is distinct from coalesce(pathmend.caller_project(), p_project) then
    raise insufficient_privilege using message = 'this session works for another project';
  end if;
end $$;
