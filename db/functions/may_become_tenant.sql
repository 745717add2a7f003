-- Whether this session's user may become pathmend_tenant. If not, only the statements' conditions keep projects apart.
create or replace function pathmend.may_become_tenant() returns boolean
language sql stable as $$
  select coalesce(pg_has_role(to_regrole('pathmend_tenant'), case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end), false)
$$;
