-- Which rows a role sees and writes. Whoever owns the tables, and superusers, see all. Tables are named, not looked up: this
-- file runs again when its text changes. A policy that is as it should be stays: to make it again needs its table alone,
-- while requests hold others (platform/database/schema/statements.ts).
do $$
declare
  v_table text;
  v_made text[] := array(
    select policyname || ' ' || tablename from pg_policies
     where schemaname = 'pathmend'
       and array[policyname::text, permissive, roles::text, cmd, coalesce(qual, with_check)] in (
             array['service', 'PERMISSIVE', '{pathmend_service}', 'ALL', 'true'],
             array['tenant', 'PERMISSIVE', '{pathmend_tenant}', 'ALL',
                   '(project_id = (NULLIF(current_setting(''pathmend.project''::text, true), ''''::text))::uuid)'],
             array['named', 'RESTRICTIVE', '{pathmend_service}', 'INSERT',
                   '((kind = ''upload''::text) OR ((kind = ''url''::text) AND guarded))']));
begin
  foreach v_table in array array['projects', 'pages', 'indexed_pages', 'chunks', 'page_terms', 'vocabulary', 'index_versions',
                                 'clicked_questions', 'learned_redirects', 'section_redirects', 'judgements', 'wrong_guesses', 'turns', 'missing_pages', 'tombstones',
                                 'page_validators', 'held_pages', 'wordless_pages',
                                 'rules', 'rule_hits', 'rule_changes', 'rule_proposals', 'path_rules',
                                 'not_found_days', 'missing_paths', 'path_days', 'referrer_weeks', 'search_days',
                                 'position_days', 'empty_search_days', 'latency_days', 'not_found_hours',
                                 'watches', 'alerts', 'deliveries', 'sync_runs', 'project_sources', 'uploads', 'upload_chunks',
                                 'broken_links'] loop
    if exists (select from pg_roles where rolname = 'pathmend_tenant') and 'tenant ' || v_table <> all (v_made) then
      execute format('drop policy if exists tenant on pathmend.%I', v_table);
      -- Where a statement says whose rows it means, as all do, the planner compares the two once for a scan ("One-Time
      -- Filter"), not for every row. No subselect (it would be planned for each table of each statement: twice the cost),
      -- and pathmend.caller_project() is written out, whose text would be parsed again as often.
      execute format('create policy tenant on pathmend.%I to pathmend_tenant
                        using (project_id = nullif(current_setting(''pathmend.project'', true), '''')::uuid)', v_table);
    end if;
    if exists (select from pg_roles where rolname = 'pathmend_service') and 'service ' || v_table <> all (v_made) then
      execute format('drop policy if exists service on pathmend.%I', v_table);
      execute format('create policy service on pathmend.%I to pathmend_service using (true)', v_table);
    end if;
  end loop;
  -- Whoever gets into an api process cannot make workers read their own files, or ask the machines inside.
  if exists (select from pg_roles where rolname = 'pathmend_service') and 'named project_sources' <> all (v_made) then
    drop policy if exists named on pathmend.project_sources;
    create policy named on pathmend.project_sources as restrictive for insert to pathmend_service
      with check (kind = 'upload' or (kind = 'url' and guarded));
  end if;
end $$;
