-- Lets the roles of tenants and of the service use pg-boss's tables, which pg-boss makes itself: a tenant sees and queues
-- the jobs of its own project only. Safe to call at every start.
create or replace function pathmend.share_queue() returns void
language plpgsql as $$
declare
  v_table text;
  v_jobs constant text[] := array['job', 'job_common'];
begin
  -- Processes that start together.
  perform pg_advisory_xact_lock(hashtextextended('pathmend.share_queue', 0));
  if to_regclass('pgboss.job') is null or to_regrole('pathmend_tenant') is null or to_regrole('pathmend_service') is null
     or exists (select from pg_policies where schemaname = 'pgboss' and tablename = 'job_common' and policyname = 'tenant') then
    return;
  end if;
  grant usage on schema pgboss to pathmend_tenant, pathmend_service;
  grant select, insert, update, delete on all tables in schema pgboss to pathmend_service;
  grant usage on all sequences in schema pgboss to pathmend_service;
  grant select on pgboss.queue to pathmend_tenant;
  foreach v_table in array v_jobs loop
    execute format('grant select, insert, delete on pgboss.%I to pathmend_tenant', v_table);
    execute format('alter table pgboss.%I enable row level security', v_table);
    execute format('create policy service on pgboss.%I to pathmend_service using (true)', v_table);
    execute format('create policy tenant on pgboss.%I to pathmend_tenant
                      using (data ->> ''projectId'' = (select current_setting(''pathmend.project'', true)))', v_table);
  end loop;
end $$;
