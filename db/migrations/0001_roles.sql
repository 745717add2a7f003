-- The roles that db/access grants to. Roles belong to the whole server: they may exist already, be made for another
-- database at this moment, or be the administrator's to make (db/roles.sql). Without them pathmend works, and says what
-- it lacks when it starts.

-- Analysts read the views of the schema `analytics`, and nothing else.
do $$
begin
  if to_regrole('pathmend_analyst') is null then
    create role pathmend_analyst nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pathmend_analyst was not created: ask an administrator to run `create role pathmend_analyst nologin`';
end $$;

-- Whatever is done for one project is done as pathmend_tenant, which sees the rows of that project only; an api process
-- logs in with the rights of pathmend_service.
do $$
begin
  for attempt in 1..10 loop
    begin
      if to_regrole('pathmend_tenant') is null then
        create role pathmend_tenant nologin;
      end if;
      if to_regrole('pathmend_service') is null then
        create role pathmend_service nologin;
      end if;
      if not exists (select from pg_auth_members
                      where roleid = to_regrole('pathmend_tenant') and member = to_regrole('pathmend_service')) then
        grant pathmend_tenant to pathmend_service;
      end if;
      -- Whoever made a role may not become it without this (db/functions/may_become_tenant.sql).
      if not pg_has_role(to_regrole('pathmend_tenant'),
                         case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end) then
        execute format('grant pathmend_tenant to %I', current_user);
      end if;
      exit;
    exception
      when insufficient_privilege then exit;
      when duplicate_object or unique_violation or internal_error then null;
    end;
  end loop;
end $$;

-- Analysts who see some projects only read the same views (pathmend.analyst_projects).
do $$
begin
  if to_regrole('pathmend_project_analyst') is null then
    create role pathmend_project_analyst nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pathmend_project_analyst was not created: ask an administrator to run `create role pathmend_project_analyst nologin`';
end $$;
