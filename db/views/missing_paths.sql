-- Missing paths with all stored 404s.
create view analytics.missing_paths with (security_barrier) as
select p.project_id,
       p.project,
       m.path,
       m.people + m.unknown as people,
       m.assistants,
       m.search_engines,
       m.robots + m.scanners as robots,
       m.first_seen,
       m.last_seen,
       m.last_human as last_seen_by_people,
       case greatest(m.redirected, m.clicked, m.suggested, m.nothing, m.gone, m.unlinked)
         when 0 then 'robot'
         when m.redirected then 'redirected'
         when m.clicked then 'clicked'
         when m.suggested then 'suggested'
         when m.nothing then 'nothing'
         when m.gone then 'gone'
         else 'unlinked'
       end as outcome,
       m.redirected, m.clicked, m.suggested, m.nothing, m.gone, m.unlinked,
       m.best_url as best_suggestion,
       m.best_score::numeric(5, 4) as best_score,
       m.best_at as best_suggested_at,
       m.redirected + m.clicked as recovered,
       m.path_hash,
       m.best_page_id
  from analytics.accessible_projects p
  join pathmend.missing_paths m on m.project_id = p.project_id;
comment on view analytics.missing_paths is 'Missing paths with all of their stored 404s. Without test keys.';
comment on column analytics.missing_paths.project_id is 'Id of the project.';
comment on column analytics.missing_paths.project is 'Name of the project.';
comment on column analytics.missing_paths.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.missing_paths.people is '404s of people, and of visitors without a user agent.';
comment on column analytics.missing_paths.assistants is '404s of assistants that fetch a page for a person, such as ChatGPT-User.';
comment on column analytics.missing_paths.search_engines is '404s of search engines.';
comment on column analytics.missing_paths.robots is '404s of other robots and of scanners.';
comment on column analytics.missing_paths.first_seen is 'The first 404, by any visitor.';
comment on column analytics.missing_paths.last_seen is 'The latest 404, by any visitor.';
comment on column analytics.missing_paths.last_seen_by_people is 'The latest 404 that the column people counts; null if there is none.';
comment on column analytics.missing_paths.outcome is
  'The most frequent outcome for people: redirected, clicked, suggested (no click), nothing (no suggestion), gone, unlinked (unknown); robot: no person came.';
comment on column analytics.missing_paths.redirected is '404s of people that were redirected.';
comment on column analytics.missing_paths.clicked is '404s of people who clicked a suggestion.';
comment on column analytics.missing_paths.suggested is '404s of people who were shown suggestions and clicked none.';
comment on column analytics.missing_paths.nothing is '404s of people without a suggestion.';
comment on column analytics.missing_paths.gone is '404s of people on a path that is gone for good.';
comment on column analytics.missing_paths.unlinked is '404s of people whose outcome is unknown.';
comment on column analytics.missing_paths.best_suggestion is 'The first suggestion of the latest search with a result.';
comment on column analytics.missing_paths.best_score is 'Its score in that search, 0 to 1; suggest may answer differently now.';
comment on column analytics.missing_paths.best_suggested_at is 'When best_suggestion was the answer; null: there is none.';
comment on column analytics.missing_paths.recovered is '404s of people that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.missing_paths.path_hash is 'SHA-256 of the path, by which other views are joined fastest. Empty: of (other).';
comment on column analytics.missing_paths.best_page_id is 'Id of the page of best_suggestion, which may be deleted by now; null as best_suggestion.';
