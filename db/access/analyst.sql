-- What analysts may see: the views of `analytics`, and nothing of `pathmend`. Which projects the views show whom:
-- db/views/accessible_projects.sql.
do $$
declare
  v_role text;
  v_view regclass;
begin
  foreach v_role in array array['pathmend_analyst', 'pathmend_project_analyst'] loop
    continue when to_regrole(v_role) is null;
    -- What an earlier release granted, or somebody by hand. What others put into `analytics` is theirs, with its rights.
    execute format('revoke all on schema pathmend from %I', v_role);
    execute format('revoke all on all tables in schema pathmend from %I', v_role);
    execute format('revoke all on all sequences in schema pathmend from %I', v_role);
    execute format('revoke all on all functions in schema pathmend from %I', v_role);
    execute format('revoke create on schema analytics from %I', v_role);
    execute format('grant usage on schema analytics to %I', v_role);
    for v_view in select view from (select to_regclass('analytics.' || split_part(split_part(name, '/', 2), '.', 1)) as view
                                      from pathmend.repeatables where name like 'views/%') as files
                   where view is not null loop
      begin
        execute format('revoke all on %s from %I', v_view, v_role);
      exception when dependent_objects_still_exist then
        null; -- A member has passed his right on.
      end;
      execute format('grant select on %s to %I', v_view, v_role);
    end loop;
  end loop;
end $$;
