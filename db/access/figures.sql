-- Figures of the console: views, which show a session of one project that project alone (accessible_projects). Rows of searches
-- are read in sessions that see all projects.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['pathmend_service', 'pathmend_tenant'] loop
    continue when to_regrole(v_role) is null;
    execute format('grant usage on schema analytics to %I', v_role);
    execute format('grant select on
      analytics.recovery_daily, analytics.recovery_daily_all, analytics.recovery_by_path, analytics.recovery_by_path_all,
      analytics.judged_daily, analytics.missing_paths, analytics.redirect_effects, analytics.redirects_worth_adding,
      analytics.redirects_without_hits, analytics.broken_internal_links, analytics.referrers, analytics.content_gaps,
      analytics.click_through_positions, analytics.calibration, analytics.searches_without_results, analytics.latency_buckets,
      analytics.index_health, analytics.plan_usage, analytics.not_kept_daily to %I', v_role);
  end loop;
  if to_regrole('pathmend_service') is not null then
    grant select on analytics.searches to pathmend_service;
  end if;
end $$;
