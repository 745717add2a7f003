-- The role that everything is done in that is done for one project: searches, upserts, deletes, storing an index. It sees
-- the rows of that project (policies.sql), no keys, no events but their sums, no other table.
do $$
begin
  if exists (select from pg_roles where rolname = 'pathmend_tenant') then
    -- What an earlier release granted, or somebody by hand.
    revoke all on schema pathmend from pathmend_tenant;
    revoke all on all tables in schema pathmend from pathmend_tenant;
    revoke all on all sequences in schema pathmend from pathmend_tenant;
    revoke all on all functions in schema pathmend from pathmend_tenant;
    grant usage on schema pathmend to pathmend_tenant;
    grant select, insert, update, delete on
      pathmend.pages, pathmend.indexed_pages, pathmend.chunks, pathmend.page_terms, pathmend.vocabulary,
      pathmend.index_versions, pathmend.clicked_questions, pathmend.learned_redirects, pathmend.section_redirects, pathmend.missing_pages,
      pathmend.tombstones, pathmend.page_validators, pathmend.held_pages, pathmend.wordless_pages,
      pathmend.rules, pathmend.rule_hits, pathmend.rule_changes, pathmend.rule_proposals, pathmend.path_rules
      to pathmend_tenant;
    grant select on
      pathmend.not_found_days, pathmend.missing_paths, pathmend.path_days, pathmend.referrer_weeks, pathmend.search_days,
      pathmend.position_days, pathmend.empty_search_days, pathmend.latency_days, pathmend.sync_runs, pathmend.project_sources,
      pathmend.uploads, pathmend.upload_chunks, pathmend.broken_links, pathmend.judgements, pathmend.wrong_guesses
      to pathmend_tenant;
    grant select (project_id, name, model_id, title_evidence, redirect_above, shown_from, site_search, path_case, path_slash, trial), update (model_id) on pathmend.projects to pathmend_tenant;
    grant select, insert, update on pathmend.turns to pathmend_tenant;
    grant usage on sequence pathmend.arrivals to pathmend_tenant;
  end if;
end $$;

-- What runs with its owner's rights is for these roles alone.
revoke execute on function
  pathmend.matching_pages, pathmend.near_words, pathmend.page_exists, pathmend.pages_in_reach, pathmend.ensure_weeks,
  pathmend.drop_old_weeks
  from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'pathmend_tenant') then
    grant execute on function
      pathmend.matching_pages, pathmend.near_words, pathmend.page_exists, pathmend.pages_in_reach to pathmend_tenant;
  end if;
end $$;
