-- What analysts may see: the views of `analytics`, and nothing of `pathmend`. Which projects the views show whom:
-- db/views/accessible_projects.sql.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['pathmend_analyst', 'pathmend_project_analyst'] loop
    continue when to_regrole(v_role) is null;
    -- What an earlier release granted, or somebody by hand.
    execute format('revoke all on schema analytics, pathmend from %I', v_role);
    execute format('revoke all on all tables in schema analytics, pathmend from %I', v_role);
    execute format('revoke all on all sequences in schema analytics, pathmend from %I', v_role);
    execute format('revoke all on all functions in schema analytics, pathmend from %I', v_role);
    execute format('grant usage on schema analytics to %I', v_role);
    execute format('grant select on all tables in schema analytics to %I', v_role);
  end loop;
end $$;
