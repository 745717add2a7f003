-- Makes a login of an analyst, of all projects or of one, with a schema of its own, and returns its password: 244 random bits, which
-- are stored nowhere. The caller becomes a member of the new role, so that it may make the schema, and later `migrate` what the
-- analyst builds on our views.
create or replace function pathmend.make_analyst(p_login text, p_project uuid) returns text
language plpgsql as $$
declare
  v_password text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  v_group text := case when p_project is null then 'pathmend_analyst' else 'pathmend_project_analyst' end;
begin
  if p_login !~ '^[a-z_][a-z0-9_]{0,62}$' or p_login ~ '^pg_' then
    raise invalid_name using message = 'The name of an analyst must be 1 to 63 small letters, digits and underscores, and begin with none of pg_ and digits.';
  elsif exists (select from pg_roles where rolname = p_login) then
    raise duplicate_object using message = format('There is a login or role %s already.', p_login);
  elsif to_regnamespace(p_login) is not null then
    raise duplicate_schema using message = format('There is a schema %s already.', p_login);
  elsif to_regrole(v_group) is null then
    raise undefined_object using message = format('The role %s is missing: docs/operate/database.md, Database roles.', v_group);
  end if;
  begin
    execute format('create role %I login password %L', p_login, v_password);
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to current_user', p_login);
    end if;
    execute format('create schema %I authorization %I', p_login, p_login);
    execute format('grant %I to %I', v_group, p_login);
  exception when insufficient_privilege then
    raise insufficient_privilege using message =
      format('The role %s may not make analysts (%s): set DATABASE_URL to an administrator of the database for this command.', current_user, sqlerrm);
  end;
  insert into pathmend.analyst_projects (project_id, login) select p_project, p_login where p_project is not null;
  return v_password;
end $$;
revoke execute on function pathmend.make_analyst from public;
