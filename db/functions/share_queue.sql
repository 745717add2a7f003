-- Lets the roles of tenants and of the service use pg-boss's tables, which pg-boss creates itself: to queue jobs, and to
-- cancel waiting jobs. A tenant sees only its own project's jobs. They get no other rights: workers run the content of
-- pgboss.bam as SQL with the owner's rights, and build statements from pgboss.queue. Grants of other releases are revoked.
-- Safe to call at every start.
create or replace function pathmend.share_queue() returns void
language plpgsql as $$
declare
  v_roles constant regrole[] := array[to_regrole('pathmend_service'), to_regrole('pathmend_tenant')];
  -- The columns that pg-boss names in an insert.
  v_inserted constant text[] := array[
    'id', 'name', 'data', 'priority', 'start_after', 'created_on', 'singleton_key', 'singleton_on', 'group_id', 'group_tier',
    'expire_seconds', 'deletion_seconds', 'keep_until', 'retry_limit', 'retry_delay', 'retry_backoff', 'retry_delay_max',
    'policy', 'dead_letter', 'heartbeat_seconds', 'blocked', 'blocking', 'pending_dependencies'];
  -- The rights of each role on each table; null: on all columns.
  v_wanted constant jsonb := jsonb_build_array(
    jsonb_build_array('pathmend_service', 'select', 'version', array['version']),
    jsonb_build_array('pathmend_service', 'select', 'queue', null),
    jsonb_build_array('pathmend_service', 'insert', 'job_common', v_inserted),
    jsonb_build_array('pathmend_service', 'select', 'job_common', array['id', 'start_after']),
    jsonb_build_array('pathmend_tenant', 'select', 'queue', null),
    jsonb_build_array('pathmend_tenant', 'insert', 'job_common', v_inserted),
    jsonb_build_array('pathmend_tenant', 'select', 'job_common', null),
    jsonb_build_array('pathmend_tenant', 'delete', 'job_common', null));
  v_table text;
  v_grant jsonb;
begin
  if to_regclass('pgboss.job_common') is null or array_position(v_roles, null) is not null then
    return;
  end if;
  -- Processes that start at the same time take turns by a row that only they can lock.
  perform from pathmend.migrations where number = 1 for update;

  if array(
       select format('%s %s %s %s', x.grantee::regrole, lower(x.privilege_type), c.name, c.part) as one
         from (select r.relname as name, null as part, r.relacl as acl from pg_class r where r.relnamespace = 'pgboss'::regnamespace
               union all
               select r.relname, a.attname, a.attacl from pg_class r join pg_attribute a on a.attrelid = r.oid
                where r.relnamespace = 'pgboss'::regnamespace and a.attacl is not null) as c
        cross join aclexplode(c.acl) as x
        where x.grantee = any (v_roles)
        order by one)
     is distinct from array(
       select format('%s %s %s %s', w ->> 0, w ->> 1, w ->> 2, part) as one
         from jsonb_array_elements(v_wanted) as w
         left join jsonb_array_elements_text(nullif(w -> 3, 'null')) as part on true
        order by one)
  then
    revoke all on all tables in schema pgboss from pathmend_service, pathmend_tenant;
    revoke all on all sequences in schema pgboss from pathmend_service, pathmend_tenant;
    for v_grant in select * from jsonb_array_elements(v_wanted) loop
      execute format('grant %s %s on pgboss.%I to %I', v_grant ->> 1,
                     (select '(' || string_agg(quote_ident(part), ', ') || ')' from jsonb_array_elements_text(nullif(v_grant -> 3, 'null')) as part),
                     v_grant ->> 2, v_grant ->> 0);
    end loop;
  end if;
  if exists (select from pg_proc p where p.pronamespace = 'pgboss'::regnamespace and has_function_privilege('public', p.oid, 'execute'))
     or not has_schema_privilege('pathmend_service', 'pgboss', 'usage') or not has_schema_privilege('pathmend_tenant', 'pgboss', 'usage') then
    grant usage on schema pgboss to pathmend_tenant, pathmend_service;
    revoke execute on all functions in schema pgboss from public;
    grant execute on function pgboss.job_now() to pathmend_tenant, pathmend_service;
  end if;

  foreach v_table in array array['job', 'job_common'] loop
    continue when exists (select from pg_policies where schemaname = 'pgboss' and tablename = v_table and policyname = 'tenant');
    execute format('alter table pgboss.%I enable row level security', v_table);
    execute format('create policy service on pgboss.%I to pathmend_service using (true)', v_table);
    execute format('create policy tenant on pgboss.%I to pathmend_tenant
                      using (data ->> ''projectId'' = (select current_setting(''pathmend.project'', true)))', v_table);
  end loop;
end $$;
