-- Database roles of the least privilege. A superuser runs it with psql on the database that is to be pathmend's, which
-- is there already (docs/operate/database.md, Database roles). On a shared server without one, a login that may make roles and
-- owns the database can, except for advisory locks: see below. Run again, it sets the passwords, and rights that were added since.
--
--   psql -d pathmend -v owner=pathmend -v owner_password="$OWNER_PASSWORD" \
--        -v api=pathmend_api -v api_password="$API_PASSWORD" -f db/roles.sql
--
-- The owner migrates and works: it may make tables here, no roles, no databases. The api's login may read and write rows,
-- and change no table. The roles without login belong to the whole server and may be there already.

-- No password is printed, in no error and no log: what fails is said without the statement that failed.
\set SHOW_CONTEXT never
\set ECHO none
select where set_config('pathmend.owner', :'owner', false) is null or set_config('pathmend.owner_password', :'owner_password', false) is null
          or set_config('pathmend.api', :'api', false) is null or set_config('pathmend.api_password', :'api_password', false) is null;
do $$
declare
  v_role text;
begin
  foreach v_role in array array['pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst'] loop
    if to_regrole(v_role) is null then
      execute format('create role %I nologin', v_role);
    end if;
  end loop;
  foreach v_role in array array['owner', 'api'] loop
    execute format('%s role %I login password %L',
                   case when exists (select from pg_roles where rolname = current_setting('pathmend.' || v_role)) then 'alter' else 'create' end,
                   current_setting('pathmend.' || v_role), current_setting('pathmend.' || v_role || '_password'));
  end loop;
exception when others then
  raise exception 'db/roles.sql cannot make the logins as %: %', current_user, sqlerrm
    using errcode = sqlstate, hint = 'Run it as a superuser, or as a login that owns this database and may make roles.';
end $$;
grant pathmend_tenant to pathmend_service;
grant pathmend_tenant to :"owner";
grant pathmend_service to :"api";

-- Others do not get in. What else lives on this server should be closed to these in the same way. Nobody needs temporary
-- tables, which are places to put functions and types in, too.
do $$
begin
  execute format('revoke all on database %I from public, %I, %I', current_database(), current_setting('pathmend.owner'), current_setting('pathmend.api'));
  execute format('grant connect, create on database %I to %I', current_database(), current_setting('pathmend.owner'));
  execute format('grant connect on database %I to pathmend_service, pathmend_analyst, pathmend_project_analyst', current_database());
end $$;
revoke create on schema public from public;

-- An advisory lock is anybody's who knows its number, and whoever holds one of the job queue's keeps workers waiting.
do $$
declare
  v_function regprocedure;
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    raise warning 'Only a superuser can keep others from advisory locks: every login of this server can make workers of pathmend wait.';
    return;
  end if;
  for v_function in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_' loop
    execute format('revoke execute on function %s from public', v_function);
    execute format('grant execute on function %s to %I', v_function, current_setting('pathmend.owner'));
  end loop;
end $$;

create extension if not exists vector;
create extension if not exists fuzzystrmatch;
create extension if not exists btree_gin;
