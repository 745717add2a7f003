-- Every stored search.
create view analytics.searches with (security_barrier) as
select s.project_id,
       p.project,
       s.searched_at as at,
       s.kind,
       s.input,
       s.understood,
       s.cached,
       s.took_ms,
       pathmend.shown_score(s.best_score) as best_score,
       s.results,
       k.name as key_name,
       s.of_others as is_robot,
       (s.searched_at at time zone 'UTC')::date as day,
       s.search_id,
       s.filtered,
       s.threshold,
       s.clicked_rank as clicked_position,
       s.redirected
  from pathmend.searches s
  join analytics.accessible_projects p on p.project_id = s.project_id
  left join pathmend.api_keys k on k.project_id = s.project_id and k.key_id = s.key_id
 where not s.is_test;
comment on view analytics.searches is
  'Every stored search, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.searches.project_id is 'Id of the project.';
comment on column analytics.searches.project is 'Name of the project.';
comment on column analytics.searches.at is 'Time of the search.';
comment on column analytics.searches.kind is 'suggest, semantic-search, search, proxy or not-found: pathmend''s own 404 page.';
comment on column analytics.searches.input is 'The path or question, as received.';
comment on column analytics.searches.understood is 'The path after sanitizing and spelling correction; the question itself.';
comment on column analytics.searches.cached is 'Whether the answer came from the cache.';
comment on column analytics.searches.took_ms is 'Milliseconds that the answer took.';
comment on column analytics.searches.best_score is 'Score of the first result; null: none.';
comment on column analytics.searches.results is 'What was answered: a JSON array of {page_id, url, score, by}, best first. by: rule or learned; absent for a guess.';
comment on column analytics.searches.key_name is 'Name of the API key that asked; null: the key has no name.';
comment on column analytics.searches.is_robot is
  'Whether a robot, scanner, search engine or assistant searched: by the 404 that names the search, else by its own user agent. Nobody known counts as a person.';
comment on column analytics.searches.day is 'UTC day of the search.';
comment on column analytics.searches.search_id is 'Id of the search, which clicks and 404s name.';
comment on column analytics.searches.filtered is 'Whether it had filters.';
comment on column analytics.searches.threshold is 'Minimum score of its results.';
comment on column analytics.searches.clicked_position is 'Best position that was clicked within seven days; null: none.';
comment on column analytics.searches.redirected is 'Whether the visitor was redirected, by pathmend or by the site.';
