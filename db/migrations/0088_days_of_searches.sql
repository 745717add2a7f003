-- As not_founds__day (0026): an analyst's days are read and not their weeks. Its statistics, too: without them the planner expects
-- half a percent of the rows in any range of days, and compares each 404 with each search where an analyst joins the two.
create index searches__day on pathmend.searches
  using brin (((searched_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
create index clicks__day on pathmend.clicks
  using brin (((received_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
do $$
begin
  -- Citus plans by the statistics of its shards, which autovacuum keeps.
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  analyze pathmend.searches;
  analyze pathmend.clicks;
end $$;
