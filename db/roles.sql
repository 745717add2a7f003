-- Database roles of the least privilege. An administrator runs it once, with psql, on the database that is to be pathmend's:
--
--   psql -v owner=pathmend -v owner_password=… -v api=pathmend_api -v api_password=… -d pathmend -f db/roles.sql
--
-- The owner migrates and works: it may make tables here, no roles, no databases. The api's login may read and write rows,
-- and change no table. The roles without login belong to the whole server and may be there already.

do $$
declare
  v_role text;
begin
  foreach v_role in array array['pathmend_tenant', 'pathmend_service', 'pathmend_analyst'] loop
    if to_regrole(v_role) is null then
      execute format('create role %I nologin', v_role);
    end if;
  end loop;
end $$;
grant pathmend_tenant to pathmend_service;

create role :"owner" login password :'owner_password';
grant pathmend_tenant to :"owner";
create role :"api" login password :'api_password';
grant pathmend_service to :"api";

-- Others do not get in. What else lives on this server should be closed to these two in the same way.
select set_config('pathmend.owner', :'owner', false), set_config('pathmend.api', :'api', false);
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create, temporary on database %I to %I', current_database(), current_setting('pathmend.owner'));
  execute format('grant connect on database %I to %I', current_database(), current_setting('pathmend.api'));
end $$;

create extension if not exists vector;
create extension if not exists fuzzystrmatch;
create extension if not exists btree_gin;
