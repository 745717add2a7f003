-- Searches that found nothing at their threshold: what the site lacks, or calls by another name.
create view analytics.searches_without_results with (security_barrier) as
select p.project_id,
       p.project,
       s.day,
       s.kind,
       s.understood,
       s.searches - s.others as searches,
       s.example_input,
       s.last_searched,
       s.searches as searches_all
  from analytics.accessible_projects p
  join pathmend.empty_search_days s on s.project_id = p.project_id;
comment on view analytics.searches_without_results is
  'Unfiltered searches without any result, by what was understood; 1,000 a day have rows of their own. Test keys left out.';
comment on column analytics.searches_without_results.project_id is 'Id of the project.';
comment on column analytics.searches_without_results.project is 'Name of the project.';
comment on column analytics.searches_without_results.day is 'UTC day of the search.';
comment on column analytics.searches_without_results.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.searches_without_results.understood is 'The path after sanitizing and spelling, or the question; (other): those beyond.';
comment on column analytics.searches_without_results.searches is 'How many there were of people; 0: robots alone asked.';
comment on column analytics.searches_without_results.example_input is 'One of them, as it came.';
comment on column analytics.searches_without_results.last_searched is 'The latest of them.';
comment on column analytics.searches_without_results.searches_all is 'As searches, robots'' among them.';
